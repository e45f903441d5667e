// `--halo auto`: the depth with the least predicted time a step.
#pragma once

#include <tasuki/program/program.hpp>

namespace tasuki {

// The depth for this program on the ranks that are there, from what its grid has now (at least) to 16 or the smallest
// block: predicted for the world's executor or, where that is auto, for the fastest at each depth. Of depths that
// take as long, the least. Asks no rank, and every rank finds the same. Throws Error where the executor is one that the
// model does not know, or one that cannot do the program.
HaloChoice choose_halo(const Program& program);

// What make() returns, which has a grid, fields and whatever else works on them; with `--halo auto` on the grid that is
// chosen for program(step(made)). It is made on the grid as it asks for it first, and again if that is not the best.
//   const auto heat = with_best_halo(world, [&] { return Heat(world, n); }, [](const Heat& h) { return h.step(); });
// Collective.
template <class Make, class Step>
auto with_best_halo(World& world, const Make& make, const Step& step) -> decltype(make()) {
  if (world.settings().halo == kAutoHalo) {
    auto& choice = world.part<HaloChoice>();
    choice = {};
    choice.trying = true;
    const auto trial = make();
    choice = choose_halo(Program(step(trial)));
  }
  return make();
}

} // namespace tasuki
