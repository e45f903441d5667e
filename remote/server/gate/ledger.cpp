#include <remote/server/gate/ledger.hpp>

#include <algorithm>

namespace tasuki::remote {

bool Ledger::shares(const Slot& slot, const std::string& session) const {
  if (session.empty()) return false;
  return std::any_of(slot.holders.begin(), slot.holders.end(),
                     [&](Client holder) { return claims_.at(holder).session == session; });
}

bool Ledger::has_room(const Slot& slot) const {
  std::set<std::string> sessions;
  int clients = 0;
  for (const Client holder : slot.holders) {
    const std::string& session = claims_.at(holder).session;
    clients += session.empty() || sessions.insert(session).second;
  }
  return clients < clients_each_;
}

bool Ledger::is_free(int device, const std::string& session) const {
  const Slot& slot = slots_[static_cast<std::size_t>(device)];
  return shares(slot, session) || (slot.line.empty() && has_room(slot));
}

int Ledger::claim(Client client, int device, const std::string& session) {
  Slot& slot = slots_[static_cast<std::size_t>(device)];
  const bool now = is_free(device, session);
  claims_[client] = {device, session};
  if (now)
    slot.holders.insert(client);
  else
    slot.line.push_back(client);
  return place(client);
}

std::vector<Ledger::Client> Ledger::leave(Client client) {
  const auto claim = claims_.find(client);
  if (claim == claims_.end()) return {};
  Slot& slot = slots_[static_cast<std::size_t>(claim->second.device)];
  slot.holders.erase(client);
  slot.line.erase(std::remove(slot.line.begin(), slot.line.end(), client), slot.line.end());
  claims_.erase(claim);
  std::vector<Client> next;
  for (auto waits = slot.line.begin(); waits != slot.line.end();) {
    if (has_room(slot) || shares(slot, claims_.at(*waits).session)) {
      next.push_back(*waits);
      slot.holders.insert(*waits);
      waits = slot.line.erase(waits);
    } else {
      ++waits;
    }
  }
  return next;
}

int Ledger::place(Client client) const {
  const auto claim = claims_.find(client);
  if (claim == claims_.end()) return -1;
  const Slot& slot = slots_[static_cast<std::size_t>(claim->second.device)];
  if (slot.holders.count(client)) return 0;
  return 1 + static_cast<int>(std::find(slot.line.begin(), slot.line.end(), client) - slot.line.begin());
}

} // namespace tasuki::remote
