// A program as terms that ranks compare before they run it.
#pragma once

#include <tasuki/base/agree.hpp>
#include <tasuki/program/plan.hpp>

namespace tasuki {

// {"item 1", "Relax over [1,63)x[1,63), reads u star(1), writes v"}, {"item 2", "swap u, v"} ..: all that decides what goes
// from rank to rank, and the types that a sweep was compiled for. What a cell function holds is not in it.
Terms terms_of(const Items& items);

// How its fields stand: how deep each halo is valid and which memory it has. Ranks that wrote a field each for itself, or
// swapped two, differ in it.
Terms terms_of(const Planner& planner);

// Of both. Terms of the items are worked out once a program.
std::uint64_t digest_of(const Program& program);

} // namespace tasuki
