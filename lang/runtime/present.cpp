#include "present.hpp"

#include <cstring>

namespace tasuki::xmp {
namespace {

// Fills memory with a signalling NaN of float and double, so that uses of uninitialised data are visible.
void fill_with_nan(char* data, long bytes) {
  constexpr std::uint64_t kSignals = 0x7ff4dead7fa4deadu; // as a double, and as two floats
  long at = 0;
  for (; at + 8 <= bytes; at += 8) std::memcpy(data + at, &kSignals, 8);
  std::memcpy(data + at, &kSignals, static_cast<std::size_t>(bytes - at));
}

} // namespace

Present::Entry* Present::find(const void* host, long bytes, const std::string& name) {
  const auto* const first = static_cast<const char*>(host);
  auto next = entries_.upper_bound(first);
  if (next != entries_.end() && next->first < first + bytes)
    throw Error("'" + name + "' is present in part: it begins before what is on the device",
                "bring all of it over, or name the part that is there");
  if (next == entries_.begin()) return nullptr;
  Entry& entry = std::prev(next)->second;
  if (first >= entry.host + std::max(entry.bytes, 1L)) return nullptr;
  if (first + bytes > entry.host + entry.bytes)
    throw Error("'" + name + "' is present in part: it ends behind what is on the device",
                "bring all of it over, or name the part that is there");
  return &entry;
}

Present::Entry* Present::touching(const void* host, long bytes, const std::string& name) {
  const auto* const first = static_cast<const char*>(host);
  auto next = entries_.upper_bound(first);
  if (next != entries_.begin()) {
    const Entry& before = std::prev(next)->second;
    if (first < before.host + std::max(before.bytes, 1L)) --next;
  }
  if (next == entries_.end() || next->first >= first + bytes) return nullptr;
  const auto second = std::next(next);
  if (second != entries_.end() && second->first < first + bytes)
    throw Error("'" + name + "' is present in several parts",
                "bring all of it over, or name the part that is meant");
  return &next->second;
}

Present::Entry& Present::enter(const void* host, long bytes, const std::string& name, bool& is_new,
                               ArrayMemory* given) {
  is_new = false;
  if (Entry* known = find(host, bytes, name)) {
    if (known->count >= 0) ++known->count;
    return *known;
  }
  RunTime& run_time = RunTime::now();
  Entry entry;
  entry.host = static_cast<const char*>(host);
  entry.bytes = bytes;
  entry.count = 1;
  entry.number = next_++;
  if (run_time.apart()) {
    entry.memory.reset(given ? given : new ArrayMemory(run_time.accelerator(), bytes));
    entry.device = entry.memory->data();
    if (!run_time.accelerator().cuda()) fill_with_nan(entry.device, bytes);
  } else {
    entry.device = const_cast<char*>(entry.host);
  }
  is_new = true;
  return entries_[entry.host] = std::move(entry);
}

void Present::leave(Entry& entry, bool all) {
  if (entry.count < 0) return; // mapped by the program
  entry.count = all ? 0 : entry.count - 1;
  if (entry.count == 0) entries_.erase(entry.host);
}

void Present::map(const void* host, void* device, long bytes) {
  if (find(host, bytes, "what is mapped")) throw Error("memory is mapped that is present", "map what is not");
  Entry entry;
  entry.host = static_cast<const char*>(host);
  entry.bytes = bytes;
  entry.device = static_cast<char*>(device);
  entry.count = -1;
  entry.number = next_++;
  entries_[entry.host] = entry;
}

void Present::unmap(const void* host) { entries_.erase(static_cast<const char*>(host)); }

void Present::gone(const void* host, long bytes) {
  const auto* const first = static_cast<const char*>(host);
  if (!first || bytes <= 0) return;
  entries_.erase(entries_.lower_bound(first), entries_.lower_bound(first + bytes));
}

const Present::Entry* Present::of_device(const void* device) const {
  const auto* const at = static_cast<const char*>(device);
  for (const auto& [host, entry] : entries_)
    if (at >= entry.device && at < entry.device + entry.bytes) return &entry;
  return nullptr;
}

void Present::copy(Entry& entry, const void* host, long bytes, bool to_device) {
  RunTime& run_time = RunTime::now();
  if (!run_time.apart() || bytes == 0) return;
  auto* const here = static_cast<char*>(const_cast<void*>(host));
  char* const there = entry.device + (here - entry.host);
  if (to_device)
    copy_to_device(run_time.accelerator(), there, here, static_cast<std::size_t>(bytes));
  else
    copy_to_host(run_time.accelerator(), here, there, static_cast<std::size_t>(bytes));
}

} // namespace tasuki::xmp
