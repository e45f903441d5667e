// The halo depth with the least predicted time per step: `--halo auto`, and what programs have by default.
#pragma once

#include <tasuki/base/executors.hpp>
#include <tasuki/model/description.hpp>
#include <tasuki/model/streamed.hpp>
#include <tasuki/program/program.hpp>

#include <type_traits>

namespace tasuki {

// The best depth for this program on the present ranks, in a run with these looks, from that of its grid to 16 or the smallest block:
// predicted for the world's executor or, if that is auto, for the fastest executor at each depth: for streamed where
// fields lie in host memory. Of equally fast depths the smallest. With --halo auto also kDirectHalo, where all ranks are of one
// node and the fields can lie so (docs/space.md). Needs no communication; every rank gets the same result. Throws Error for an
// executor without a model, or one that cannot run the program.
HaloChoice choose_halo(const Program& program, const Looks& looks = {});

// Where neither --halo nor --executor is given, halos of several ranks, and of fields in host memory, are deeper than the
// program's own if the model predicts a step that is shorter by a tenth or more. Smaller gains are within the model's error.
constexpr double kWorthDeeper = 0.1;

bool streams_all(World& world); // by --executor streamed
bool may_stream(World& world);  // so, or where the device has no room for a field

// Returns make(chosen): a grid with its fields and whatever else uses them. make() passes `chosen` to the options of
// the grid: Grid<2>(world, n, {.halo = 1, .chosen = chosen}). Where the depth is chosen, make() is called first with the
// requested halo, and once more where another depth is better for program(step(made)). With `--halo 4` it is called once.
// `looks`: of the run's `until` or monitor.
//   const auto heat = with_best_halo(
//       world, [&](const ChosenHalo& chosen) { return Heat(world, n, chosen); }, [](const Heat& h) { return h.step(); });
// Collective.
template <class Make, class Step>
auto with_best_halo(World& world, const Make& make, const Step& step, const Looks& looks = {})
    -> decltype(make(ChosenHalo())) {
  const Settings& given = world.settings();
  const bool asked = given.halo == kAutoHalo;
  const bool free = given.halo == 0 && (given.executor == kAutoExecutor || streams_all(world));
  if (!asked && !(free && (world.size() > 1 || may_stream(world)))) return make(nullptr);
  HaloChoice best;
  {
    auto trial = make(asked ? std::make_shared<HaloChoice>() : nullptr);
    const Program program(step(trial));
    bool stays = !asked && world.size() == 1 && !lies_outside(program);
    if (!stays) {
      best = choose_halo(program, looks);
      const double own = best.seconds.begin()->second; // by default nothing is before the program's own depth
      stays = !asked && best.seconds.at(best.depth) > (1 - kWorthDeeper) * own;
    }
    if (stays) {
      if constexpr (std::is_move_constructible_v<decltype(trial)>) return trial;
      best = {}; // what cannot be moved is made again
    }
  }
  return make(best.depth != 0 ? std::make_shared<HaloChoice>(std::move(best)) : nullptr);
}

} // namespace tasuki
