#include <remote/server/gate/slots.hpp>

#include <sys/mman.h>
#include <tasuki/base/error.hpp>

#include <new>

namespace tasuki::remote {

Slots::Slots(int gpus) : bytes_(sizeof(Share) * static_cast<std::size_t>(gpus)) {
  void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error("no memory for the gate's shares", "free some");
  shares_ = static_cast<Share*>(memory);
  for (int n = 0; n < gpus; ++n) new (shares_ + n) Share;
}
Slots::~Slots() { munmap(shares_, bytes_); }

int Slots::take(int gpu, const std::string& session, int client) {
  Share& share = shares_[gpu];
  int slot = -1;
  for (const auto& [other, taken] : taken_)
    if (taken.gpu == gpu && !session.empty() && taken.session == session) slot = taken.slot;
  for (int n = 0; slot < 0 && n < Share::most; ++n)
    if (share.clients[n].workers == 0) slot = n;
  if (slot < 0) return -1;
  if (share.clients[slot].workers++ == 0) share.clients[slot].used = share.clients[slot].asked = 0;
  taken_[client] = {gpu, slot, session};
  return slot;
}

void Slots::give(int client) {
  const auto taken = taken_.find(client);
  if (taken == taken_.end()) return;
  --shares_[taken->second.gpu].clients[taken->second.slot].workers;
  taken_.erase(taken);
}

} // namespace tasuki::remote
