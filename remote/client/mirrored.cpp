#include <remote/client/faults.hpp>
#include <remote/client/mirrored.hpp>
#include <remote/client/virtual_device.hpp>

#include <algorithm>
#include <array>

namespace tasuki::remote {

namespace {

// Read by a handler of signals, so without a lock. A place is used again where its device has gone.
std::array<std::atomic<Mirrored*>, 4096> all;

} // namespace

Mirrored* Mirrored::of(u64 address) {
  for (const auto& one : all) {
    Mirrored* mirrored = one.load(std::memory_order_acquire);
    if (!mirrored) return nullptr;
    if (mirrored->holds(address)) return mirrored;
  }
  return nullptr;
}

Mirrored::Mirrored(VirtualDevice& device, u64 base, u64 bytes, Arena::Worker worker)
    : device_(device),
      base_(base),
      bytes_(bytes),
      mirror_(base, bytes),
      arena_(base, bytes,
             {[this, map = worker.map, unmap = worker.unmap](u64 address, u64 size) {
                if (!map(address, size)) return false;
                if (mirror_.add(address, size)) return true;
                unmap(address, size);
                return false;
              },
              [this, unmap = worker.unmap](u64 address, u64 size) {
                mirror_.remove(address, size);
                unmap(address, size);
              },
              worker.settle}) {
  for (auto& one : all) {
    Mirrored* none = nullptr;
    if (one.compare_exchange_strong(none, this)) break;
  }
  watch_faults();
}

Mirrored::~Mirrored() {
  // The last one comes to its place, so that there is no gap.
  const auto end = std::find(all.begin(), all.end(), nullptr);
  const auto mine = std::find(all.begin(), end, this);
  if (mine == end) return;
  mine->store(std::prev(end)->load());
  std::prev(end)->store(nullptr);
}

u64 Mirrored::allocate(u64 bytes) {
  chain_faults();
  std::lock_guard hold(arena_mutex_);
  return arena_.allocate(bytes);
}

bool Mirrored::release(u64 address, bool busy) {
  chain_faults();
  std::lock_guard hold(arena_mutex_);
  return arena_.release(address, busy);
}

std::optional<Arena::Range> Mirrored::find(u64 address) {
  std::lock_guard hold(arena_mutex_);
  return arena_.find(address);
}

u64 Mirrored::mapped() {
  std::lock_guard hold(arena_mutex_);
  return arena_.mapped();
}

u64 Mirrored::used() {
  std::lock_guard hold(arena_mutex_);
  return arena_.used();
}

void Mirrored::before(u64 stream, u64 address, u64 bytes) {
  std::lock_guard hold(order_mutex_);
  Connection& calls = device_.calls();
  if (sending_ && behind_.insert(stream).second) calls.post(call::WaitFor{stream, event_});
  const bool sent = mirror_.give(
      address, bytes, [&](u64 to, View from) { device_.copy_in(to, from.data, from.size, stream); });
  ++given_;
  chain_faults();
  if (!sent) return;
  if (!event_) {
    event_ = device_.fresh();
    calls.post(call::CreateEvent{event_, 2}); // without times
  }
  calls.post(call::Record{event_, stream});
  sending_ = true;
  behind_ = {stream};
}

void Mirrored::settled(u64 given, bool all) {
  chain_faults();
  if (all) {
    std::lock_guard hold(arena_mutex_);
    arena_.settled();
  }
  std::lock_guard hold(order_mutex_);
  if (given_ == given) sending_ = false;
  if (settled_ < given) settled_ = given;
}

u64 Mirrored::quiet() {
  std::lock_guard hold(quiet_mutex_);
  if (!quiet_) {
    quiet_ = first_stream_of_functions + device_.fresh();
    device_.calls().post(call::CreateStream{quiet_, 1, 0});
  }
  return quiet_;
}

void Mirrored::after_function() {
  const bool sent = mirror_.give(
      base_, bytes_, [&](u64 to, View from) { device_.copy_in(to, from.data, from.size, quiet()); });
  if (sent) device_.calls().ask<answer::Done>(call::WaitStream{quiet()});
}

void Mirrored::fetch_now(void* to, u64 address, u64 bytes) {
  device_.copy_out_now(to, address, bytes, quiet());
}

void Mirrored::fetch(u64 stream, u64 address, u64 bytes) {
  if (!mirror_.lacks(address, bytes)) return;
  device_.calls().ask<answer::Done>(call::WaitStream{stream});
  mirror_.fetch(address, bytes, [this](void* to, u64 at, u64 size) { fetch_now(to, at, size); });
}

bool Mirrored::touch(u64 address, bool writes) {
  const u64 given = given_;
  if (!VirtualDevice::in_function() && settled_ < given && mirror_.lacks(address, 1)) device_.synchronize();
  return mirror_.touched(address, writes, [this](void* to, u64 at, u64 size) { fetch_now(to, at, size); });
}

} // namespace tasuki::remote
