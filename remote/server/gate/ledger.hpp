// Who has which virtual device, and who waits for it: numbers alone, no process and no socket.
//
//   Ledger ledger(2, 1);                   // two devices, one client each
//   ledger.claim(7, 0);                    // 0: granted
//   ledger.claim(8, 0);                    // 1: first in line
//   ledger.leave(7);                       // {8}: granted now
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tasuki::remote {

class Ledger {
public:
  using Client = int;
  Ledger(std::size_t devices, int clients_each) : slots_(devices), clients_each_(clients_each) {}

  bool has(int device) const { return device >= 0 && static_cast<std::size_t>(device) < slots_.size(); }
  // A client claims once. Those of one session, where it is named, count as one: what one of them has, the others have
  // beside it. Returns 0 where the client has the device, else its place in line, from 1.
  int claim(Client client, int device, const std::string& session = "");
  bool is_free(int device, const std::string& session = "") const;
  // Returns who has a device now by it.
  std::vector<Client> leave(Client client);
  int place(Client client) const; // 0: has its device; -1: claims none
  const std::set<Client>& holders(int device) const {
    return slots_[static_cast<std::size_t>(device)].holders;
  }
  std::size_t waiting(int device) const { return slots_[static_cast<std::size_t>(device)].line.size(); }

private:
  struct Slot {
    std::set<Client> holders;
    std::deque<Client> line;
  };
  struct Claim {
    int device;
    std::string session;
  };
  bool shares(const Slot& slot, const std::string& session) const;
  bool has_room(const Slot& slot) const;

  std::vector<Slot> slots_;
  int clients_each_;
  std::map<Client, Claim> claims_;
};

} // namespace tasuki::remote
