// Named ranges of a rank's work for a profiler: NVTX ranges in the domain "tasuki".
//
//   Ranges& ranges = world.part<Ranges>();
//   {
//     const NamedRange now(ranges, "step"); // ends with the block; ranges nest
//   }
//
// Enabled by --ranges in a build with CUDA; otherwise a range costs one comparison. Each thread has its own ranges.
#pragma once

#include <tasuki/base/world.hpp>

#include <functional>

namespace tasuki {

class Ranges {
public:
  explicit Ranges(World& world);

  void begin(const char* name) {
    if (begin_) begin_(name);
  }
  void end() {
    if (end_) end_();
  }
  // Replaces the functions that begin and end a range; empty functions disable ranges.
  void to(std::function<void(const char* name)> begin, std::function<void()> end);

private:
  std::function<void(const char* name)> begin_;
  std::function<void()> end_;
};

class NamedRange {
public:
  NamedRange(Ranges& ranges, const char* name) : ranges_(ranges) { ranges_.begin(name); }
  ~NamedRange() { ranges_.end(); }
  NamedRange(const NamedRange&) = delete;
  NamedRange& operator=(const NamedRange&) = delete;

private:
  Ranges& ranges_;
};

} // namespace tasuki
