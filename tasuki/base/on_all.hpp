// Lets a fault that one rank sees end in the same Error on all of them, so that nobody waits in a collective call.
#pragma once

#include <tasuki/base/gather.hpp>
#include <tasuki/base/world.hpp>

#include <exception>
#include <new>
#include <string>

namespace tasuki {

// What agree() throws: every rank has it, at the same place.
class Agreed : public Error {
public:
  using Error::Error;
};

// Throws Agreed on every rank where one rank or more has a fault ("what; mend", empty where there is none): that of
// the lowest such rank. Collective.
void agree(World& world, const std::string& fault);

// Does the work, which must not communicate, on each rank and agrees on how it went. Collective.
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

// The same on rank 0 alone.
template <class Work>
void on_root(World& world, Work&& work) {
  on_all(world, [&] {
    if (world.rank() == 0) work();
  });
}

// Does collective work; where ranks agree that it failed, each undoes its part before any of them says so and thereby
// ends the run. Collective.
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
