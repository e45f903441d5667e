// `--halo auto`: the halo depth with the least predicted time per step.
#pragma once

#include <tasuki/program/program.hpp>

namespace tasuki {

// The best depth for this program on the present ranks, from that of its grid to 16 or the smallest block:
// predicted for the world's executor or, if that is auto, for the fastest executor at each depth. Of equally fast
// depths the smallest. Needs no communication; every rank gets the same result. Throws Error for an executor without
// a model, or one that cannot run the program.
HaloChoice choose_halo(const Program& program);

// Returns make(chosen): a grid with its fields and whatever else uses them. make() passes `chosen` to the options of
// the grid: Grid<2>(world, n, {.halo = 1, .chosen = chosen}). With `--halo auto`, make() is called twice: with the
// requested halo, then with the best one for program(step(made)); otherwise once.
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
