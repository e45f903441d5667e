#include <tasuki/base/error.hpp>
#include <tasuki/field/exchange_cost.hpp>
#include <tasuki/model/executors.hpp>
#include <tasuki/model/predict.hpp>

#include <algorithm>

namespace tasuki {
namespace {

int depth_of(const Workload& load) {
  if (load.direct) return kDirectHalo;
  int depth = 0;
  for (int a = 0; a < load.cut.dims; ++a) depth = std::max({depth, load.halo[a].lo, load.halo[a].hi});
  return depth;
}

Padding padding_of(const Constants& c) { return c.cuda ? Padding::gpu : Padding::cpu; }

} // namespace

Decomposition cut_for(const Description& program, int devices, const Constants& constants,
                      const std::array<int, kMaxDims>& ranks) {
  const int a_node = devices > constants.devices_a_node ? constants.devices_a_node : 0;
  return cut_for(program, devices, exchange_cost(constants.tuning, constants.cuda, a_node), ranks);
}

Prediction predict(const Workload& load, const std::string& executor, const Constants& constants,
                   const Joining& joining, const Forced& forced) {
  const ExecutorModel& model = model_of(executor);
  Prediction p{executor, depth_of(load), {}, ""};
  if (row_of(model.kind).gpus_only && !constants.cuda) {
    p.not_here = kNeedsGpu;
    return p;
  }
  if (load.direct && !meets(model.kind)) {
    p.not_here = kDoesNotMeet;
    return p;
  }
  const Costs costs(load, model.begun, constants, joining, forced);
  const StepCost cost = model.cost(costs);
  p.not_here = cost.not_here;
  if (!p.possible()) return p;
  for (const StepLoad& step : load.steps) p.parts += step.share * cost.of(step);
  return p;
}

Prediction predict(const Description& program, int devices, const std::string& executor,
                   const Constants& constants, const std::array<int, kMaxDims>& ranks, const Forced& forced) {
  const Decomposition cut = cut_for(program, devices, constants, ranks);
  const Joining joining = nodes_of(constants.devices_a_node);
  return predict(workload(program, cut, padding_of(constants), joining), executor, constants, joining,
                 forced);
}

Prediction predict(const Program& program, const std::string& executor, int halo, const Tuning& tuning,
                   const Looks& looks) {
  const GridCore& grid = program.grid();
  const World& world = grid.world();
  Description description = describe(program);
  description.looks = looks;
  if (halo > 0 || halo == kDirectHalo) description = description.with_halo(halo);
  Tuning here = tuning;
  if (here.machine.device_name.empty()) here.machine.device_name = grid.device().name();
  const Constants constants = Constants::of(here);
  const Joining joining = [&](int a, int b) {
    return a == b                  ? PairKind::self
           : world.same_node(a, b) ? PairKind::node
           : world.same_host(a, b) ? PairKind::subcluster
                                   : PairKind::far;
  };
  Forced forced; // a channel forced for some faces only is not modelled
  for (std::size_t k = 0; k < kChannelNames.size(); ++k)
    if (world.settings().channel == kChannelNames[k]) forced.channel = static_cast<ChannelKind>(k);
  // What is read where it lies has another cut.
  const Decomposition cut = description.direct && !grid.bands().any()
                                ? cut_for(description, world.size(), exchange_cost(grid.device()))
                                : grid.cut();
  return predict(workload(description, cut, padding_of(constants), joining), executor, constants, joining,
                 forced);
}

std::vector<Prediction> fastest_first(std::vector<Prediction> predictions) {
  std::erase_if(predictions, [](const Prediction& p) { return !p.possible(); });
  std::stable_sort(predictions.begin(), predictions.end(),
                   [](const Prediction& a, const Prediction& b) { return a.seconds() < b.seconds(); });
  return predictions;
}

int best_halo(const Description& program, int devices, const std::string& executor,
              const Constants& constants, int most) {
  int best = 0, least = 1;
  for (const DescribedItem& item : program.items)
    if (const auto* sweep = std::get_if<DescribedSweep>(&item.what))
      for (const Use& use : sweep->uses)
        for (int a = 0; a < program.dims; ++a)
          least = std::max({least, use.reach.width[a].lo, use.reach.width[a].hi});
  double seconds = 0;
  for (int depth = least; depth <= std::max(least, most); ++depth) {
    try {
      const Prediction p = predict(program.with_halo(depth), devices, executor, constants);
      if (p.possible() && (best == 0 || p.seconds() < seconds * (1 - 1e-6))) {
        best = depth;
        seconds = p.seconds();
      }
    } catch (const Error&) { // wider than a block, like all larger depths
      if (best == 0) throw;
      break;
    }
  }
  return best == 0 ? least : best;
}

} // namespace tasuki
