// What every rank has to have alike is compared where something begins: a world, a grid, a field, a run.
//
// All these comparisons are one collective of a communicator of its own, so ranks meet whatever each of them is about
// to do: one that makes a grid while another begins a run is told so, and neither waits for ever.
#pragma once

#include <tasuki/base/ranks.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tasuki {

using Terms = std::vector<std::pair<std::string, std::string>>; // name and value; an empty value: has none

// agree(world, "makes a grid", {{"extents", "64x64"}, {"halo", "1"}});
//
// Throws Error on every rank where some rank does something else or has another value: "rank 0 makes a grid with extents
// 64x64, rank 3 with extents 64x32; ..". Two numbers are reduced over the ranks; texts travel only where they differ.
// Collective over the ranks of a world, or some of it (see subset()).
void agree(const Ranks& ranks, const std::string& act, const Terms& terms);

// The same for terms whose digest is known: `terms` is asked for them only where ranks differ.
void agree(const Ranks& ranks, const std::string& act, std::uint64_t digest,
           const std::function<Terms()>& terms);

std::uint64_t digest_of(const Terms& terms);

// While one lives, the ranks do what they have agreed on: a run's loop compares nothing anew.
class Underway {
public:
  explicit Underway(World& world);
  ~Underway();
  Underway(const Underway&) = delete;
  Underway& operator=(const Underway&) = delete;
  static bool in(World& world);

private:
  int& depth_;
};

// A program's own words as terms: "--nx 64 --fast data.h5" is --nx: 64, --fast: given, argument 1: data.h5.
Terms terms_of_words(const std::vector<std::string>& words);

} // namespace tasuki
