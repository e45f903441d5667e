// SIGSEGV at an address of a range: somebody serves it, or the run ends by a line that says what it was. Others' faults go
// to the handler that was there before.
//
//   Strays strays(range, [](const void* at, bool write) { return line_about(at); });
//   Strays served(range, about, [](const void* at, bool write, auto) { return fetch(at, write); }); // true: try again
#pragma once

#include <tasuki/space/faults.hpp>

#include <cstdint>
#include <functional>

namespace tasuki::space {

// One a range; several ranges may be watched at once. The handler is put back when the last has gone, unless somebody
// else's stands there by then.
class Strays {
public:
#if defined(__x86_64__)
  static constexpr bool kTellsWrites = true;
#else
  static constexpr bool kTellsWrites = false; // all look like reads
#endif
  // `code`: the instruction, 0 where the processor does not say. In the handler: nothing that locks.
  using Serve = std::function<bool(const void* at, bool write, std::uintptr_t code)>;
  Strays(const Range& range, Stray stray, Serve serve = {});
  ~Strays();
  Strays(const Strays&) = delete;
  Strays& operator=(const Strays&) = delete;

  struct Entry;

private:
  Entry* entry_;
};

} // namespace tasuki::space
