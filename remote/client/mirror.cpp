#include <remote/client/mirror.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace tasuki::remote {

Mirror::Mirror(u64 base, u64 bytes) : base_(base), bytes_(bytes) {}

Mirror::~Mirror() {
  if (alias_) munmap(alias_, bytes_);
  if (file_ >= 0) close(file_);
}

bool Mirror::open() {
  if (alias_) return true;
  if (file_ < 0) file_ = memfd_create("tasuki-mirror", MFD_CLOEXEC);
  if (file_ < 0 || ftruncate(file_, static_cast<off_t>(bytes_))) return false;
  void* at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  if (at == MAP_FAILED) return false;
  alias_ = static_cast<unsigned char*>(at);
  return true;
}

bool Mirror::add(u64 address, u64 bytes) {
  std::lock_guard hold(mutex_);
  if (!open()) return false;
  const u64 offset = address - base_;
  void* at = mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file_, static_cast<off_t>(offset));
  if (at == MAP_FAILED) return false;
  const std::size_t first = offset / block, count = bytes / block;
  if (states_.size() < first + count) states_.resize(first + count, absent);
  std::fill_n(states_.begin() + static_cast<std::ptrdiff_t>(first), count, fresh);
  held_ += count;
  return true;
}

void Mirror::remove(u64 address, u64 bytes) {
  std::lock_guard hold(mutex_);
  const u64 offset = address - base_;
  mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  madvise(alias_ + offset, bytes, MADV_REMOVE); // the next one there begins with zeros
  for (std::size_t n = offset / block; n < (offset + bytes) / block; ++n) {
    held_ -= states_[n] != devices;
    states_[n] = absent;
  }
}

void Mirror::set(std::size_t first, std::size_t last, State state) {
  const int access = state == devices ? PROT_NONE : state == same ? PROT_READ : PROT_READ | PROT_WRITE;
  if (mprotect(view(first), (last - first) * block, access)) throw std::bad_alloc();
  for (std::size_t n = first; n < last; ++n) {
    held_ -= states_[n] != devices;
    held_ += state != devices;
    states_[n] = state;
  }
}

// The host has no access any more: those that the file holds were touched, and the others are zeros at the device too.
void Mirror::look_at_fresh(std::size_t first, std::size_t last) {
  const auto end = static_cast<off_t>(last * block);
  for (auto at = static_cast<off_t>(first * block); at < end;) {
    const off_t data = lseek(file_, at, SEEK_DATA);
    if (data < 0 || data >= end) return;
    const off_t hole = std::min(lseek(file_, data, SEEK_HOLE), end);
    for (auto n = static_cast<u64>(data) / block; n * block < static_cast<u64>(hole); ++n)
      states_[n] = hosts_own;
    at = hole;
  }
}

bool Mirror::give(u64 address, u64 bytes, const Send& send) {
  if (!held_.load(std::memory_order_relaxed)) return false;
  std::lock_guard hold(mutex_);
  bool sent = false;
  const u64 offset = address - base_;
  const std::size_t end = std::min<std::size_t>(states_.size(), (offset + bytes + block - 1) / block);
  const auto run = [&](std::size_t n, auto&& in) {
    while (n < end && in(states_[n])) ++n;
    return n;
  };
  for (std::size_t n = offset / block; n < end;) {
    n = run(n, [](State s) { return s == devices || s == absent; });
    const std::size_t last = run(n, [](State s) { return s != devices && s != absent; });
    if (n == last) break;
    const std::vector<State> before(states_.begin() + static_cast<std::ptrdiff_t>(n),
                                    states_.begin() + static_cast<std::ptrdiff_t>(last));
    set(n, last, devices); // from here on no thread of the program changes a byte of them
    for (std::size_t i = n; i < last;) {
      const State state = before[i - n];
      std::size_t next = i;
      while (next < last && before[next - n] == state) ++next;
      if (state == hosts_own) std::fill(states_.begin() + i, states_.begin() + next, hosts_own);
      if (state == fresh) look_at_fresh(i, next);
      i = next;
    }
    // Whatever becomes of sending, they are the device's now.
    std::vector<std::pair<std::size_t, std::size_t>> changed;
    for (; n < last; ++n) {
      if (states_[n] != hosts_own) continue;
      if (changed.empty() || changed.back().second != n) changed.emplace_back(n, n);
      changed.back().second = n + 1;
      states_[n] = devices;
    }
    for (const auto& [from, to] : changed)
      send(base_ + from * block, {alias_ + from * block, (to - from) * block});
    sent |= !changed.empty();
  }
  return sent;
}

bool Mirror::lacks(u64 address, u64 bytes) {
  std::lock_guard hold(mutex_);
  const u64 offset = address - base_;
  const std::size_t end = std::min<std::size_t>(states_.size(), (offset + bytes + block - 1) / block);
  return std::any_of(states_.begin() + std::min<std::size_t>(end, offset / block), states_.begin() + end,
                     [](State s) { return s == devices; });
}

void Mirror::fetch_blocks(std::size_t first, std::size_t last, const Fetch& fetch) {
  fetch(alias_ + first * block, base_ + first * block, (last - first) * block);
  set(first, last, same);
}

bool Mirror::touched(u64 address, bool writes, const Fetch& fetch) {
  std::lock_guard hold(mutex_);
  const std::size_t n = (address - base_) / block;
  if (address < base_ || n >= states_.size() || states_[n] == absent) return false;
  if (states_[n] == devices) {
    window_ = n == next_ ? std::min<std::size_t>(2 * window_, most_at_once / block) : 1;
    std::size_t last = n + 1;
    while (last < states_.size() && last < n + window_ && states_[last] == devices) ++last;
    fetch_blocks(n, last, fetch);
    next_ = last;
  }
  if (writes && states_[n] == same) set(n, n + 1, hosts_own);
  return true;
}

void Mirror::fetch(u64 address, u64 bytes, const Fetch& fetch) {
  std::lock_guard hold(mutex_);
  const u64 offset = address - base_;
  const std::size_t end = std::min<std::size_t>(states_.size(), (offset + bytes + block - 1) / block);
  for (std::size_t n = offset / block; n < end; ++n) {
    std::size_t last = n;
    while (last < end && last < n + most_at_once / block && states_[last] == devices) ++last;
    if (last > n) fetch_blocks(n, last, fetch), n = last - 1;
  }
}

} // namespace tasuki::remote
