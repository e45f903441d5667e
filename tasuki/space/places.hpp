// Places: the instructions of the program that touch missing pages, counted, and as lines of the source.
//
//   Places places;
//   places.add("a", code, 16, 120000);               // a touch by this instruction brought 16 pages in 120 us
//   auto all = together(world, places);              // of all ranks, on rank 0, the costliest of each array first
//   name_lines(all);                                 // all[0].line is "heat.c:41 (relax)"
//
// addr2line of binutils finds the lines in the debug information (compile
// with -g). Without either, a place is the function, or "heat+0x1a2b".
#pragma once

#include <tasuki/base/world.hpp>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tasuki::space {

struct Place {
  std::string array, module; // the program's file, or a library's
  std::uint64_t offset = 0;  // of the instruction in the module
  std::uint64_t touches = 0, pages = 0;
  double seconds = 0; // that threads waited
  std::string line;
};

// Of one rank. From any thread.
class Places {
public:
  void add(const std::string& array, std::uintptr_t code, std::uint64_t pages, std::uint64_t ns);
  std::vector<Place> list() const;

private:
  struct Sum {
    std::uint64_t touches = 0, pages = 0, ns = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::uintptr_t>, Sum> sums_;
};

// On rank 0, up to `most` of each array; empty elsewhere. Collective.
std::vector<Place> together(World& world, const Places& mine, std::size_t most = 3);
void name_lines(std::vector<Place>& places);

// A line through the seconds of fetches of several sizes: it predicts the seconds of one fetch of all their pages.
//
//   Fit fit;
//   fit.add(1, 50e-6); fit.add(64, 110e-6);
//   fit.once(65);      // about 111e-6: asked for at once
struct Fit {
  double count = 0, pages = 0, seconds = 0, squares = 0, products = 0; // sums, which add up over ranks

  void add(double more_pages, double more_seconds);
  bool knows() const; // sizes differed
  double once(double all_pages) const;
};

} // namespace tasuki::space
