// Turns an error of one rank into the same Error on all ranks, so that no rank waits in a collective call.
#pragma once

#include <tasuki/base/gather.hpp>
#include <tasuki/base/world.hpp>

#include <exception>
#include <new>
#include <string>

namespace tasuki {

// An Error that agree() throws on every rank at the same place.
class Agreed : public Error {
public:
  using Error::Error;
};

// Throws Agreed on every rank if at least one rank has an error ("what;
// mend"; empty: none). The text is that of the lowest such rank. Collective.
void agree(World& world, const std::string& fault);

// Does the work on each rank, and throws on all ranks if it fails on one. The work must not communicate. Collective.
template <class Work>
void on_all(World& world, Work&& work) {
  std::string fault;
  try {
    work();
  } catch (const std::bad_alloc&) {
    fault = "rank " + std::to_string(world.rank()) + " is out of memory; use a smaller grid or more ranks";
  } catch (const std::exception& caught) {
    fault = caught.what();
  }
  agree(world, fault);
}

// The same, with work on rank 0 only.
template <class Work>
void on_root(World& world, Work&& work) {
  on_all(world, [&] {
    if (world.rank() == 0) work();
  });
}

// Does collective work. If the ranks agree that it failed, each rank calls
// undo() before any of them rethrows the error. Collective.
template <class Work, class Undo>
void or_undo(World& world, Work&& work, Undo&& undo) {
  try {
    work();
  } catch (const Agreed&) {
    undo();
    any_rank(world, false);
    throw;
  }
}

} // namespace tasuki
