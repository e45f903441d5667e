// A program as terms, which ranks compare before they run it.
#pragma once

#include <tasuki/base/agree.hpp>
#include <tasuki/program/plan.hpp>

namespace tasuki {

// {"item 1", "Relax over [1,63)x[1,63), reads u star(1), writes v"}, {"item 2", "swap u, v"} ..: everything that
// determines messages between ranks, and the types that a sweep was compiled for, but not values in cell functions.
Terms terms_of(const Items& items);

// The state of the fields: how deep each halo is valid, and which memory each field has.
// It differs between ranks if some of them wrote a field, or swapped two, on their own.
Terms terms_of(const Planner& planner);

// The digest of both. The terms of the items are computed once per program.
std::uint64_t digest_of(const Program& program);

} // namespace tasuki
