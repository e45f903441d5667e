#include <remote/client/neighbours.hpp>
#include <remote/client/virtual_device.hpp>
#include <remote/link/descriptor.hpp>

namespace tasuki::remote {

std::mutex Neighbours::mutex_;

Neighbours::~Neighbours() {
  std::lock_guard hold(mutex_);
  for (auto& [other, known] : others_) other->readers_.erase(this);
  for (Neighbours* reader : readers_) reader->others_.erase(this);
}

// With the lock. Null where it cannot reach the other, or cannot ask now.
Neighbours::Other* Neighbours::other(Neighbours& other) {
  if (const auto known = others_.find(&other); known != others_.end())
    return known->second.can ? &known->second : nullptr;
  Other found;
  if (&other != this && device_.calls().passes_files() && other.device_.calls().passes_files()) {
    if (!VirtualDevice::may_ask()) return nullptr;
    const ArenaPlace& place = other.device_.place();
    try {
      device_.calls().ask<answer::Done>(
          call::Adjoin{place.address, place.bytes, other.device_.about().name, other.device_.about().uuid});
      found.can = true;
    } catch (const Failure& failure) {
      if (!of_the_call_alone(failure.status())) throw;
    }
  }
  other.readers_.insert(this);
  Other& kept = others_[&other] = found;
  return kept.can ? &kept : nullptr;
}

bool Neighbours::can_reach(Neighbours& other) {
  std::lock_guard hold(mutex_);
  return this->other(other) != nullptr;
}

// With the lock. False: it cannot be had.
bool Neighbours::import(Neighbours& other, u64 address, u64 bytes) {
  try {
    const Descriptor file(other.device_.calls().ask_for_file(call::Export{address, bytes}));
    device_.calls().ask_with_file(call::Import{address, bytes}, file.number());
  } catch (const Failure& failure) {
    if (!of_the_call_alone(failure.status())) throw;
    others_[&other].can = false;
    return false;
  }
  others_[&other].units.insert(address);
  return true;
}

void Neighbours::share() {
  std::call_once(given_, [this] {
    shared_ = true;
    device_.is_shared();
  });
}

bool Neighbours::reach(Neighbours& other, u64 address, u64 bytes) {
  if (!other.shared() && (!VirtualDevice::may_ask() || !can_reach(other))) return false;
  other.share();
  std::lock_guard hold(mutex_);
  Other* there = this->other(other);
  while (there && bytes > 0) {
    const auto unit = range_at(other.units_, address);
    if (unit == other.units_.end()) return false;
    if (!there->units.count(unit->first) &&
        (!VirtualDevice::may_ask() || !import(other, unit->first, unit->second)))
      return false;
    const u64 here = std::min(bytes, unit->first + unit->second - address);
    address += here;
    bytes -= here;
  }
  return there != nullptr;
}

void Neighbours::open(Neighbours& other) {
  if (!can_reach(other)) throw Failure(Status::peer_access_unsupported);
  other.share();
  std::lock_guard hold(mutex_);
  Other* there = this->other(other);
  for (const auto& [address, bytes] : other.units_)
    if (!there || (!there->units.count(address) && !import(other, address, bytes)))
      throw Failure(Status::peer_access_unsupported);
  if (there) there->open = true;
}

void Neighbours::close(Neighbours& other) {
  std::lock_guard hold(mutex_);
  if (const auto known = others_.find(&other); known != others_.end()) known->second.open = false;
}

bool Neighbours::is_open(Neighbours& other) {
  std::lock_guard hold(mutex_);
  const auto known = others_.find(&other);
  return known != others_.end() && known->second.open;
}

bool Neighbours::mapped(u64 address, u64 bytes) {
  std::lock_guard hold(mutex_);
  units_[address] = bytes;
  for (Neighbours* reader : readers_) {
    if (!reader->others_.at(this).open) continue;
    try {
      if (reader->import(*this, address, bytes)) continue;
      forget(address, bytes);
      return false;
    } catch (const Failure&) {
      // that device is gone, or has a fault: it is no matter of this one
    }
  }
  return true;
}

void Neighbours::unmapping(u64 address, u64 bytes) {
  std::lock_guard hold(mutex_);
  forget(address, bytes);
}

// With the lock.
void Neighbours::forget(u64 address, u64 bytes) {
  units_.erase(address);
  for (Neighbours* reader : readers_) {
    if (!reader->others_.at(this).units.erase(address)) continue;
    try {
      reader->device_.calls().ask<answer::Done>(call::Forget{address, bytes});
    } catch (const Failure&) {
      // its worker is gone, or its device faulted: it uses the memory no more
    }
  }
}

} // namespace tasuki::remote
