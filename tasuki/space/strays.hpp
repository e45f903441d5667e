// SIGSEGV at addresses of a range: the touch is served, or the run ends with a
// line that describes it. A child of fork() has no arrays: there a line says so, and ends the child.
// Other faults go to the handler that was there before.
//
//   Strays strays(range, [](const void* at, bool write) { return line_about(at); });
//   Strays served(range, about, [](const void* at, bool write, auto) { return fetch(at, write); }); // true: try again
#pragma once

#include <tasuki/space/faults.hpp>

#include <cstdint>
#include <functional>

namespace tasuki::space {

// One per range; several ranges may be watched at once. The last one restores
// the previous handler, unless another handler has been installed since.
class Strays {
public:
#if defined(__x86_64__)
  static constexpr bool kTellsWrites = true;
#else
  static constexpr bool kTellsWrites = false; // all look like reads
#endif
  // `code`: the instruction; 0 if the processor does not tell. It runs in the signal handler, so it must not lock.
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
