// `--halo auto`: the depth with the least predicted time a step.
#pragma once

#include <tasuki/program/program.hpp>

namespace tasuki {

// The depth for this program on the ranks that are there, from what its grid has now (at least) to 16 or the smallest
// block: predicted for the world's executor or, where that is auto, for the fastest at each depth. Of depths that
// take as long, the least. Asks no rank, and every rank finds the same. Throws Error where the executor is one that the
// model does not know, or one that cannot do the program.
HaloChoice choose_halo(const Program& program);

// What make(chosen) returns, which has a grid, fields and whatever else works on them. The grid is made with `chosen` among
// its options: Grid<2>(world, n, {.halo = 1, .chosen = chosen}). With `--halo auto` it is made twice, as it asks for it first,
// and then as is best for program(step(made)); else once.
//   const auto heat = with_best_halo(
//       world, [&](const ChosenHalo& chosen) { return Heat(world, n, chosen); }, [](const Heat& h) { return h.step(); });
// Collective.
template <class Make, class Step>
auto with_best_halo(World& world, const Make& make, const Step& step) -> decltype(make(ChosenHalo())) {
  if (world.settings().halo != kAutoHalo) return make(nullptr);
  HaloChoice best;
  {
    const auto trial = make(std::make_shared<HaloChoice>());
    best = choose_halo(Program(step(trial)));
  }
  return make(std::make_shared<HaloChoice>(std::move(best)));
}

} // namespace tasuki
