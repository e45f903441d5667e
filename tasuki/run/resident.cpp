// One persistent kernel per GPU that does many steps (device/tiled.hpp): the host only launches it.
#include <tasuki/base/settings.hpp>
#include <tasuki/device/exact_sum.hpp>
#include <tasuki/device/host_reach.hpp>
#include <tasuki/device/signal/reach.hpp>
#include <tasuki/program/merged_parts.hpp>
#include <tasuki/run/ahead.hpp>
#include <tasuki/run/boards.hpp>
#include <tasuki/run/executor.hpp>
#include <tasuki/run/look_log.hpp>
#include <tasuki/run/run.hpp>
#include <tasuki/run/tile_mail.hpp>

#include <algorithm>

namespace tasuki {
namespace {

constexpr double kLaunch = 10e-3;    // approximate seconds of steps per launch
constexpr long kWorthSplitting = 16; // cells per thread
constexpr int kResults = 4;          // words that the kernel returns to the host

// Requires that halos of a rank's tiles come from ranks of its node that can store into its memory, or from itself.
std::string trouble_with_neighbours(const GridCore& grid) {
  World& world = grid.world();
  const std::string& forced = world.settings().channel;
  if (!forced.empty() && forced != "peer" && forced != "self")
    return "--channel " + forced + " wants other ways for halos than stores into the neighbour's memory";
  if (world.nodes() > 1) return "ranks are on several nodes";
  if (!reaches_host(grid.device()))
    return "its kernel tells this host how far it is, and the GPU cannot reach this host's memory";
  if (!grid.device().part<Reach>().all())
    return "the GPUs of this node cannot store into each other's memory";
  int cut_axes = 0;
  for (int a = 0; a < grid.dims(); ++a) cut_axes += grid.cut().ranks[a] > 1;
  if (cut_axes > 3) return "the grid is cut along more than three axes";
  return "";
}

TilingRequest request_for(const March& march, const Roles& roles, bool cut_at_looks) {
  const GridCore& grid = march.sweep->grid();
  TilingRequest request = tiling_request(march, roles, TiledKind::resident);
  for (int a = 0; a < request.dims; ++a) {
    // A halo must not extend beyond the adjacent block.
    if (grid.cut().exchanges(a)) request.most_halo[a] = static_cast<int>(grid.cut().smallest_block(a));
    request.remote = request.remote || grid.cut().ranks[a] > 1;
  }
  if (cut_at_looks) request.most_depth = 1;
  if (const int halo = grid.world().settings().halo; halo > 0) {
    const int reach = *std::max_element(roles.reach.begin(), roles.reach.end());
    request.depth = std::clamp(reach > 0 ? halo / reach : 1, 1, request.most_depth);
  }
  return request;
}

// The resources of a stretch of one sweep, created once.
class Resident {
public:
  // Collective.
  Resident(const March& march, const Roles& roles, const TilingChoice& choice, const Until& until)
      : grid_(march.sweep->grid()),
        device_(grid_.device()),
        roles_(roles),
        choice_(choice),
        base_(lay_out(march, roles, choice)),
        mail_(march, roles, base_),
        boards_(device_, 16ul * 2 * ranks() * static_cast<std::size_t>(base_.blocks) * (1 + ExactSum::kSize)),
        partials_(device_, 16ul * kTiledReduces * static_cast<std::size_t>(base_.blocks)),
        sums_(device_, kTiledReduces * sizeof(ExactSum)),
        words_(device_, 2 * sizeof(unsigned)),
        results_(device_, 2 * kResults * sizeof(int), Memory::pinned) {
    settle(march);
    if (until.told && looked_at(march, until) >= 0) log_.emplace(device_, until.reduction, base_.blocks);
  }

  const TilingChoice& choice() const { return choice_; }
  // Of the values that are told; null: no sweep computes them.
  const LookLog* log() const { return log_ ? &*log_ : nullptr; }
  long mail_bytes_a_step() const { return mail_.bytes() / choice_.depth; } // to other ranks

  // Enqueues some steps. Returns where their results are for the host once the stream has completed them. A verdict
  // comes `late` steps after its look.
  const int* launch(const March& march, int steps, const Until* until, long late, long done) {
    TiledLaunch l = base_;
    name_memories(l, march, roles_);
    l.steps = steps;
    if (until) {
      l.until.every = within_int(until->every);
      l.until.tests = until->tests;
      l.until.late = within_int(late);
      l.until.below = until->below;
      l.until.threshold = until->threshold;
      l.until.reduce = looked_at(march, *until);
      l.first_look = within_int(until->every - done % until->every);
      l.looks = looks_;
      l.verdict_in = verdict_in_;
      if (log_) log_->tell(l);
    }
    l.result = reinterpret_cast<int*>(results_.data()) + kResults * (turn_++ % 2);
    march.sweep->launch_tiled(TiledKind::resident, device_.stream(), l, choice_.shared_bytes);
    if (until && log_) log_->take();
    return l.result;
  }
  // Stores the state of looks for the next launch.
  void looked(const int* results) {
    verdict_in_ = results[2];
    looks_ = static_cast<unsigned>(results[3]);
  }

private:
  std::size_t ranks() const { return static_cast<std::size_t>(grid_.world().node_size()); }
  void settle(const March& march);
  bool worth_splitting(const TiledLimits& limits) const;

  GridCore& grid_;
  Device& device_;
  Roles roles_;
  TilingChoice choice_;
  TiledLaunch base_;
  TileMail mail_;
  Boards boards_;
  Buffer partials_, sums_, words_, results_;
  std::optional<LookLog> log_;
  unsigned looks_ = 0;
  int verdict_in_ = -1, turn_ = 0;
};

void Resident::settle(const March& march) {
  TiledLaunch& l = base_;
  mail_.tell(l);
  l.split = worth_splitting(march.sweep->tiled_limits(TiledKind::resident));
  boards_.tell(l);
  l.partials = partials_.data();
  l.sums = reinterpret_cast<long long*>(sums_.data());
  l.counter = reinterpret_cast<unsigned*>(words_.data());
  l.turn = l.counter + 1;
}

// Whether a step takes longer than the transit of mail, so that computing the slabs around the interior apart pays off. In
// three dimensions it does not: a step of himeno M took 178 us on two H200 so, at once it takes 90.
bool Resident::worth_splitting(const TiledLimits& limits) const {
  if (grid_.dims() > 2) return false;
  long inside = 1, all = 1;
  for (int a = 0; a < grid_.dims(); ++a) {
    const long n = grid_.layout().extents[a] / choice_.tiles[a];
    inside *= std::max(0l, n - 2l * roles_.reach[a]);
    all *= n + 2l * (choice_.depth - 1) * roles_.reach[a];
  }
  return inside > 0 && all > kWorthSplitting * limits.threads;
}

class ResidentCuda final : public Executor {
public:
  ResidentCuda(const Program& program, const Until& until)
      : program_(program),
        device_(program.grid().device()),
        until_(until),
        judges_(judged_in_kernel(program, until)),
        steps_(make_overlapped(device_)),
        ahead_(device_, 1) {}
  const char* name() const override { return row_of(ExecutorKind::resident).name; }

  void prepare(Walk& walk, long first, long last) override {
    steps_->prepare(walk, first, std::min(last, first + 1));
    constexpr long kLook = 128; // enough steps to contain each frequent stretch
    for (long step = first; step <= std::min(last, first + kLook);) {
      const auto march = march_at(program_, step, last, kTiledPhases);
      if (march && march->steps >= kFewSteps) resident_of(*march);
      step += march ? march->steps : 1;
    }
  }

  bool judges(const Until&) const override { return judges_; }

  Advance advance(Walk& walk, long first, long last) override {
    const auto march = march_at(program_, first, last, kTiledPhases);
    // If the kernel compares a value, it does every step, since nothing else compares it.
    const bool tests = judges_ && until_.tests, told = judges_ && until_.told;
    if (!march || (!tests && march->steps < kFewSteps)) {
      const Advance advance = steps_->advance(walk, first, first);
      if (told) tell(first, 1, nullptr);
      return advance;
    }
    walk.settle();
    Resident& resident = resident_of(*march);
    const long most = std::max(kFewSteps, static_cast<long>(kLaunch / resident.choice().seconds));
    long steps = std::min(march->steps, most);
    const LookLog* const log = told ? resident.log() : nullptr;
    if (log) steps = std::min(steps, log->most() * until_.every);
    if (told && !log) steps = std::min(steps, until_.every - (first - 1) % until_.every);
    // At the end of a run fewer than `late` steps may remain after the last look: its verdict must come within the run.
    const long last_look = tests ? last / until_.every * until_.every : 0;
    long late = until_.late;
    if (tests && last_look + late > last) {
      if (first < last_look)
        steps = std::min(steps, last_look - first);
      else
        late = last - last_look;
    }
    exchange_now(walk, fixed_needs(*march, resident.choice().depth - 1));
    walk.phases().begin_step(1); // all steps are measured as one
    walk.phases().begin(Phase::sweep, march->sweep->name().c_str());
    const int* const results =
        resident.launch(*march, static_cast<int>(steps), tests || log ? &until_ : nullptr, late, first - 1);
    walk.phases().end();
    Advance advance{first + steps - 1};
    if (tests || log) {
      device_.stream().synchronize();
      advance = {first + results[0] - 1, results[1] != 0};
      resident.looked(results);
    } else {
      ahead_.enqueued(1);
    }
    const long done = advance.done - first + 1;
    march->swap_fields(done);
    for (FieldCore* memory : march->changing) memory->validity().touched();
    walk.jumped();
    if (const long bytes = resident.mail_bytes_a_step(); bytes > 0)
      walk.count(ChannelKind::peer, done * bytes, done / resident.choice().depth);
    if (told) tell(first, done, log);
    return advance;
  }

  // Why it cannot do the program's first steps, or an empty string.
  static std::string trouble(const Program& program) {
    GridCore& grid = program.grid();
    if (const std::string why = trouble_with_anywhere(program); !why.empty()) return why;
    if (const std::string why = trouble_with_neighbours(grid); !why.empty()) return why;
    return trouble_with_marches(program, kFewSteps, kTiledPhases, trouble_with);
  }

private:
  // Tells the values of the looks in these steps, which are from the log; without one there is at most the last step's.
  void tell(long first, long steps, const LookLog* log) const {
    const long before = (first - 1) / until_.every, looks = (first + steps - 1) / until_.every - before;
    if (looks == 0) return;
    World& world = device_.world();
    const std::vector<detail::ReductionCore*> reductions(static_cast<std::size_t>(looks),
                                                         until_.reduction.get());
    const auto values = log ? detail::merged_parts(world, reductions, log->parts(looks))
                            : detail::parts_of_all(world, reductions);
    for (long k = 0; k < looks; ++k)
      until_.told((before + k + 1) * until_.every, values[static_cast<std::size_t>(k)]);
  }

  static std::string trouble_with(const March& march) {
    const TiledLimits limits = march.sweep->tiled_limits(TiledKind::resident);
    if (!limits.possible) return limits.reason;
    TiledLaunch launch;
    if (!local_region(*march.sweep, launch))
      return "sweep '" + march.sweep->name() + "' does a part of a periodic axis";
    const Roles roles = roles_of(march);
    if (!roles.trouble.empty()) return roles.trouble;
    if (!best_tiling(request_for(march, roles, false)))
      return "the fields of sweep '" + march.sweep->name() + "' do not fit into the shared memory of the GPU";
    return "";
  }

  // The first call for a stretch is collective.
  Resident& resident_of(const March& march) {
    for (auto& [sweep, memory, resident] : made_)
      if (sweep == march.sweep && memory == march.memory) return *resident;
    const Roles roles = roles_of(march);
    const bool every_step = judges_ && until_.every == 1;
    const auto choice = best_tiling(request_for(march, roles, every_step));
    return *std::get<2>(made_.emplace_back(march.sweep, march.memory,
                                           std::make_unique<Resident>(march, roles, *choice, until_)));
  }

  Program program_;
  Device& device_;
  const Until& until_;
  const bool judges_;                   // evaluates `until` itself, or tells its values
  std::unique_ptr<StepExecutor> steps_; // for steps outside long stretches
  Ahead ahead_;
  std::vector<std::tuple<Sweep, std::vector<std::vector<FieldCore*>>, std::unique_ptr<Resident>>> made_;
};

} // namespace

std::string trouble_with_resident(const Program& program) { return ResidentCuda::trouble(program); }
std::unique_ptr<Executor> make_resident(const Program& program, const Until& until) {
  return std::make_unique<ResidentCuda>(program, until);
}

} // namespace tasuki
