// Ranks compare what must be the same on all of them when they create a world, a grid or a field, or start a run.
//
// All comparisons use the same collective call on a separate communicator, so they match whatever each rank is about
// to do: if one rank makes a grid while another begins a run, both get an Error, and no rank waits forever.
#pragma once

#include <tasuki/base/ranks.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tasuki {

using Terms = std::vector<std::pair<std::string, std::string>>; // name and value; an empty value: none

// agree(world, "makes a grid", {{"extents", "64x64"}, {"halo", "1"}});
//
// Throws Error on every rank if some rank does something else or has another value: "rank 0 makes a
// grid with extents 64x64, rank 3 with extents 64x32; ..". The ranks reduce two numbers, and send
// texts only if these differ. Collective over the ranks of a world, or some of them (see subset()).
void agree(const Ranks& ranks, const std::string& act, const Terms& terms);

// The same for terms whose digest is known: `terms` is called only if ranks differ.
void agree(const Ranks& ranks, const std::string& act, std::uint64_t digest,
           const std::function<Terms()>& terms);

std::uint64_t digest_of(const Terms& terms);

// While an Underway exists, agree() compares nothing: the steps of a run repeat what was compared before the run.
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

// The words of a command line as terms: "--nx 64 --fast data.h5" is --nx: 64, --fast: given, argument 1: data.h5.
Terms terms_of_words(const std::vector<std::string>& words);

} // namespace tasuki
