// Ranks compare what must be the same on all of them when something begins: a world, a grid, a field, a run.
//
// All comparisons are the same collective call on a communicator of their own, so ranks meet whatever each is
// about to do: if one makes a grid while another begins a run, both get an Error, and neither waits for ever.
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
// Throws Error on every rank if some rank does something else or has another value: "rank 0 makes a
// grid with extents 64x64, rank 3 with extents 64x32; ..". The ranks reduce two numbers; they send
// texts only if they differ. Collective over the ranks of a world, or some of them (see subset()).
void agree(const Ranks& ranks, const std::string& act, const Terms& terms);

// The same for terms whose digest is known: `terms` is called only if ranks differ.
void agree(const Ranks& ranks, const std::string& act, std::uint64_t digest,
           const std::function<Terms()>& terms);

std::uint64_t digest_of(const Terms& terms);

// While an Underway exists, ranks compare nothing again: the loop of a run does what was agreed on before it.
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
