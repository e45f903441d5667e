#include <tasuki/model/streamed.hpp>

#include <algorithm>
#include <cmath>

namespace tasuki {
namespace {

constexpr double kSlabs = 16;     // of a pass
constexpr double kMostSteps = 32; // then planes that slabs keep for their neighbours take the window
constexpr double kOnHost = 8;     // where nothing is hidden, each step more gains less

// What ends a pass, a step.
double ends_of(const StepLoad& step) {
  double ends = static_cast<double>(step.refreshes.size()) + step.calls;
  bool reduces = false;
  for (const SweepLoad& sweep : step.sweeps) {
    ends += sweep.exchanges;
    reduces = reduces || sweep.reduces;
  }
  return ends + reduces;
}

} // namespace

double StreamedPass::beyond(double compute, bool beside) const {
  return beside ? std::max({bring, take, compute}) - compute + start : bring + take;
}

StreamedPass streamed_pass(const Workload& load, const Constants& c) {
  StreamedPass pass;
  pass.bring = load.read_first / c.link;
  pass.take = pass.bring; // what is only read does not go back; the longer of the two counts
  const double compute = load.bytes() / (c.memory * c.usual_efficiency);
  pass.steps = c.cuda && compute > 0 ? std::ceil(pass.bring / compute) : kOnHost;
  pass.steps = std::min(pass.steps, kMostSteps);
  if (const double ends = load.mean(ends_of); ends > 0) pass.steps = std::min(pass.steps, 1 / ends);
  pass.steps = std::max(1.0, std::floor(pass.steps + 1e-6));
  pass.start = 2 * pass.bring / kSlabs;
  return pass;
}

int streamed_steps(const Program& program, const Tuning& tuning) {
  const GridCore& grid = program.grid();
  const Constants c = Constants::of(tuning);
  const Workload load = workload(describe(program), grid.cut(), c.cuda ? Padding::gpu : Padding::cpu);
  return static_cast<int>(streamed_pass(load, c).steps);
}

} // namespace tasuki
