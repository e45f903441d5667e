// The size of a grid, the same option in every program: --size 512x256, x first; --size 512, a cube; --size M.
//
//   const Sizes sizes{2, 3, {{"S", {1024, 1024}}, {"M", {4096, 4096}}}};
//   std::vector<long> extents = {1024, 1024};
//   add_size(options, sizes, [&](const std::vector<long>& given) { extents = given; }, "1024x1024");
#pragma once

#include <tasuki/base/options.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tasuki::job {

struct Sizes {
  std::size_t axes = 0;                                              // 0: 1 to 4, as many as are given
  long least = 1;                                                    // cells along each axis
  std::vector<std::pair<std::string, std::vector<long>>> named = {}; // the smallest first
  std::string older = {}; // further names of the option beside --size and --extents: "--lattice"
  std::string counts = "cells along each axis, x first"; // the meaning of the numbers
  std::string example = {}; // for error messages; empty: one is made for the number of axes
};

// Cells along x, y ..; throws Error that contains `option`.
std::vector<long> parse_size(const std::string& text, const std::string& option, const Sizes& sizes);

// The name of these extents, or "64x32x32" if they have none.
std::string size_text(const std::vector<long>& extents, const Sizes& sizes = {});

// Adds the option --size, also named --extents. `usual`: the default in --help.
Option add_size(OptionParser& options, const Sizes& sizes,
                std::function<void(const std::vector<long>& extents)> take, const std::string& usual);

} // namespace tasuki::job
