#include <tasuki/model/streamed.hpp>
#include <tasuki/program/plan.hpp>

#include <algorithm>
#include <cmath>

namespace tasuki {
namespace {

constexpr double kSlabs = 16;     // per pass
constexpr double kMostSteps = 32; // beyond it, planes kept for neighbouring slabs fill the window
constexpr double kOnHost = 8;     // without overlap, each additional step gains less

// How often per step a pass must end.
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
  pass.take = pass.bring; // read-only fields are not copied back; the longer of the two times counts
  const double compute = load.bytes() / (c.memory * c.usual_efficiency);
  pass.steps = c.cuda && compute > 0 ? std::ceil(pass.bring / compute) : kOnHost;
  pass.steps = std::min(pass.steps, kMostSteps);
  if (const double ends = load.mean(ends_of); ends > 0) pass.steps = std::min(pass.steps, 1 / ends);
  pass.steps = std::max(1.0, std::floor(pass.steps + 1e-6));
  pass.start = 2 * pass.bring / kSlabs;
  return pass;
}

bool lies_outside(const Program& program) {
  const auto& fields = program.planner().fields();
  return std::any_of(fields.begin(), fields.end(), [](const auto& field) { return field->outside(); });
}

int streamed_steps(const Program& program, const Tuning& tuning) {
  const GridCore& grid = program.grid();
  const Constants c = Constants::of(tuning);
  const Workload load = workload(describe(program), grid.cut(), c.cuda ? Padding::gpu : Padding::cpu);
  return static_cast<int>(streamed_pass(load, c).steps);
}

} // namespace tasuki
