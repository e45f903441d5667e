#include <tasuki/base/error.hpp>
#include <tasuki/base/executors.hpp>
#include <tasuki/field/room.hpp>
#include <tasuki/model/halo_choice.hpp>
#include <tasuki/model/predict.hpp>
#include <tasuki/model/streamed.hpp>
#include <tasuki/program/plan.hpp>
#include <tasuki/route/tuning.hpp>

#include <algorithm>

namespace tasuki {
namespace {

constexpr int kDeepest = 16;

// The widths that can be chosen: as for --halo, one width for every side that has a halo.
struct Depths {
  int least = 1, most = kDeepest;
};
Depths depths_of(const GridCore& grid) {
  Depths depths;
  for (int a = 0; a < grid.dims(); ++a) {
    depths.least = std::max({depths.least, grid.halo()[a].lo, grid.halo()[a].hi});
    if (grid.cut().exchanges(a) && grid.halo()[a] != Width(0))
      depths.most = static_cast<int>(std::min<long>(depths.most, grid.cut().smallest_block(a)));
  }
  depths.most = std::max(depths.least, depths.most);
  return depths;
}

// The executors of which the fastest is taken, if none is asked for.
std::vector<std::string> candidates(const Program& program, int depth, const Tuning& constants) {
  const std::string streamed = row_of(ExecutorKind::streamed).name;
  if (lies_outside(program) && predict(program, streamed, depth, constants).possible()) return {streamed};
  return executor_names();
}

// Halos that are the neighbours' cells: of fields with memory of their own and without a codec, where no channel is wanted.
bool may_be_direct(const Program& program) {
  const GridCore& grid = program.grid();
  const World& world = grid.world();
  const auto& fields = program.planner().fields();
  const Settings& given = world.settings();
  return given.halo == kAutoHalo && given.channel.empty() && given.ranks.empty() && world.nodes() == 1 &&
         world.size() > 1 && grid.dims() > 1 &&
         std::all_of(fields.begin(), fields.end(), [](const auto& field) {
           return field->reached() && !field->common() && !field->codec();
         });
}

} // namespace

bool streams_all(World& world) { return world.settings().executor == row_of(ExecutorKind::streamed).name; }
bool may_stream(World& world) { return streams_all(world) || world.part<Device>().part<Room>().limited(); }

HaloChoice choose_halo(const Program& program, const Looks& looks) {
  const GridCore& grid = program.grid();
  World& world = grid.world();
  const std::string& wish = world.settings().executor;
  const Tuning& constants = tuning(grid.device());
  const Depths depths = depths_of(grid);
  std::vector<std::string> executors{wish};
  if (wish == kAutoExecutor) executors = candidates(program, depths.least, constants);

  HaloChoice choice;
  double least = 0;
  std::string why;
  std::vector<int> all;
  for (int depth = depths.least; depth <= depths.most; ++depth) all.push_back(depth);
  if (may_be_direct(program)) all.push_back(kDirectHalo); // the last: where it is no faster, it is not taken
  for (const int depth : all) {
    std::vector<Prediction> predictions;
    for (const std::string& executor : executors) {
      predictions.push_back(predict(program, executor, depth, constants, looks));
      if (!predictions.back().possible()) why = predictions.back().not_here;
    }
    const std::vector<Prediction> possible = fastest_first(std::move(predictions));
    if (possible.empty()) continue;
    const Prediction* const best = &possible.front();
    choice.seconds[depth] = best->seconds();
    if (choice.depth != 0 && best->seconds() >= least * (1 - 1e-6)) continue;
    choice.depth = depth;
    choice.executor = best->executor;
    least = best->seconds();
  }
  if (choice.depth == 0)
    throw Error("--halo auto: executor " + wish + " cannot do this program: " + why,
                "take --executor auto, or one of the others");
  return choice;
}

} // namespace tasuki
