// Several steps per pass over memory (device/tiled.hpp), for blocks that are too large for shared memory. This is
// temporal blocking on the device: an exchange is as deep as a pass has steps.
#include <tasuki/base/settings.hpp>
#include <tasuki/device/signal/reach.hpp>
#include <tasuki/run/boards.hpp>
#include <tasuki/run/executor.hpp>
#include <tasuki/run/roles.hpp>
#include <tasuki/run/run.hpp>

#include <algorithm>

namespace tasuki {
namespace {

constexpr long kAtOnce = 32; // passes that the host enqueues before it checks verdicts
constexpr long kAhead = 256; // steps that it plans ahead

// A pass must read from one set of memories and write to the other.
std::string trouble_with_memories(const March& march) {
  if (march.phases != 2) return "its steps do not swap what they read with what they write";
  const auto& accesses = march.sweep->accesses();
  for (const FieldCore* memory : march.changing) {
    bool written = false;
    for (std::size_t k = 0; k < accesses.size(); ++k) {
      if (accesses[k].kind != Access::Kind::write) continue;
      for (const auto& now : march.memory) written = written || now[k] == memory;
    }
    if (!written) return "field '" + memory->name() + "' is swapped and not written";
  }
  for (std::size_t k = 0; k < accesses.size(); ++k)
    for (std::size_t m = 0; m < accesses.size(); ++m)
      if (accesses[k].kind == Access::Kind::write && accesses[m].kind == Access::Kind::read &&
          march.memory[0][k] == march.memory[0][m])
        return "field '" + accesses[k].name + "' is read and written in one step";
  return "";
}

// A pass leaves its result in the memory that it does not read. After an even number of steps this memory takes the
// place of the memory that was read, and cells that no step writes would have the values of the wrong memory.
bool does_all(const SweepCore& sweep) {
  for (int a = 0; a < sweep.grid().dims(); ++a)
    if (sweep.region().lo[a] != 0 || sweep.region().hi[a] != sweep.grid().extents()[a]) return false;
  return true;
}

TilingRequest request_for(const March& march, const Roles& roles, TiledKind kind) {
  const GridCore& grid = march.sweep->grid();
  TilingRequest request = tiling_request(march, roles, kind);
  request.most_depth = std::min(request.most_depth, kTiledLooks);
  request.odd_depth = !does_all(*march.sweep);
  const int reach = *std::max_element(roles.reach.begin(), roles.reach.end());
  if (const int halo = grid.world().settings().halo; halo > 0 && reach > 0)
    request.most_depth = std::min(request.most_depth, halo / reach);
  for (int a = 0; a < request.dims; ++a) {
    if (grid.cut().ranks[a] > 1) // halos are in device memory
      request.most_halo[a] = std::min(grid.halo()[a].lo, grid.halo()[a].hi);
    else if (grid.periodic(a)) // a cell is read from the opposite end of the block, at most once around
      request.most_halo[a] = static_cast<int>(grid.cut().smallest_block(a));
  }
  return request;
}

// How passes do a stretch: as waves where they can, else in tiles that stay where they are.
struct PassChoice {
  TiledKind kind = TiledKind::pass;
  TilingChoice tiling;
};
std::optional<PassChoice> best_of_passes(const March& march, const Roles& roles) {
  if (march.sweep->tiled_limits(TiledKind::wave).possible)
    if (const auto wave = wave_tiles(request_for(march, roles, TiledKind::wave)))
      return PassChoice{TiledKind::wave, *wave};
  if (!march.sweep->tiled_limits(TiledKind::pass).possible) return {};
  if (const auto pass = best_pass(request_for(march, roles, TiledKind::pass)))
    return PassChoice{TiledKind::pass, *pass};
  return {};
}
// Waves evaluate no condition: the host does.
bool does_waves(const Program& program) {
  const auto march = march_at(program, 1, kFewSteps, kTiledPhases);
  if (!march) return false;
  const Roles roles = roles_of(*march);
  if (!roles.trouble.empty()) return false;
  const auto choice = best_of_passes(*march, roles);
  return choice && choice->kind == TiledKind::wave;
}

class Blocked final : public Executor {
public:
  Blocked(const Program& program, const Until& until)
      : program_(program),
        device_(program.grid().device()),
        until_(until),
        judges_(!until.told && judged_in_kernel(program, until) && device_.part<Reach>().all() &&
                !does_waves(program)),
        steps_(make_overlapped(device_)),
        ahead_(device_, kAtOnce) {}
  const char* name() const override { return row_of(ExecutorKind::blocked).name; }
  // Where kernels of all ranks can tell each other what they found, before the next pass begins. They have no exact sums.
  bool judges(const Until&) const override { return judges_; }

  void prepare(Walk& walk, long first, long last) override {
    steps_->prepare(walk, first, std::min(last, first + 1));
    constexpr long kLook = 128; // enough steps to contain each frequent stretch
    for (long step = first; step <= std::min(last, first + kLook);) {
      const auto march = march_at(program_, step, std::min(last, step + kLook), kTiledPhases);
      const Way* const way = march && march->steps >= kFewSteps ? way_of(*march) : nullptr;
      if (way) prepare_exchanges(walk, *march, *way, step);
      step += march ? march->steps : 1;
    }
  }

  Advance advance(Walk& walk, long first, long last) override {
    const auto march = march_at(program_, first, std::min(last, first + kAhead), kTiledPhases);
    const Way* const way = march && march->steps >= kFewSteps ? way_of(*march) : nullptr;
    if (!way || march->steps <= way->least) {
      const Advance advance = steps_->advance(walk, first, first);
      if (!judges_ || first % until_.every != 0 || !until_.reached()) return advance;
      return {finish(walk, first + 1, std::min(last, first + until_.late)), true};
    }
    int* const verdicts = judges_ ? reinterpret_cast<int*>(way->verdicts.data()) : nullptr;
    if (judges_) std::fill_n(verdicts, kAtOnce, 0);
    const std::vector<int> passes = do_passes(walk, *march, *way, first, verdicts);
    const auto all = static_cast<long>(passes.size());
    long next = first;
    if (judges_) device_.stream().synchronize();
    for (long k = 0; k < all; next += passes[static_cast<std::size_t>(k++)])
      if (judges_ && verdicts[k] > 0)
        return {end_within(walk, *march, passes, k, next, verdicts[k], last), true};
      else if (judges_ && verdicts[k] < 0)
        return look_again(walk, *march, passes, k, next, -verdicts[k], last);
    return {next - 1}; // two steps or more: a stretch has at least three before its last
  }

  static std::string trouble(const Program& program) {
    if (const std::string why = trouble_with_anywhere(program); !why.empty()) return why;
    return trouble_with_marches(program, kFewSteps, kTiledPhases, trouble_with);
  }

private:
  struct Way {
    Sweep sweep;
    std::vector<std::vector<FieldCore*>> memory;
    Roles roles;
    TiledKind kind = TiledKind::pass;
    TilingChoice choice;
    TiledLaunch base;
    int least = 2;                    // steps of a pass
    bool odd = true;                  // passes have odd numbers of steps
    Buffer partials, words, verdicts; // of passes with looks
    std::unique_ptr<Boards> boards;   // of several ranks
  };

  // Enqueues passes from step `first` on, as many as the host may be ahead; returns their steps. The last step of a
  // stretch is done separately: it leaves fields and reductions as every step does. With `verdicts` the passes evaluate
  // looks, and each stores there which of its steps reached `until`.
  std::vector<int> do_passes(Walk& walk, const March& march, const Way& way, long first, int* verdicts) {
    walk.settle();
    std::vector<int> passes;
    long left = std::min(march.steps - 1, kAtOnce * way.choice.depth);
    while (left >= way.least) {
      long steps = std::min<long>(way.choice.depth, left);
      if (way.odd && steps % 2 == 0) --steps;
      if (steps == 1) break; // the run calls again for it
      pass(walk, march, way, static_cast<int>(steps), first, verdicts ? verdicts + passes.size() : nullptr);
      passes.push_back(static_cast<int>(steps));
      left -= steps;
      first += steps;
    }
    walk.jumped();
    return passes;
  }

  // A look in pass k, which began with step `first`, reached `until` after `steps` steps: does the rest until the run
  // ends, and returns its last step. The passes after k have done nothing, so the memory that pass k read is unchanged.
  long end_within(Walk& walk, const March& march, const std::vector<int>& passes, long k, long first,
                  int steps, long last) {
    const long end = std::min(first + steps - 1 + until_.late, last);
    const long after = first + passes[static_cast<std::size_t>(k)];
    const bool whole = after <= end; // the last step is done separately
    march.swap_fields(static_cast<long>(passes.size()) - k - whole);
    walk.jumped();
    return finish(walk, whole ? after : first, end);
  }

  // A look in pass k, which began with step `first`, was undecided after `steps` steps: repeats these steps, the last
  // one separately with its exact sum, and evaluates that sum.
  Advance look_again(Walk& walk, const March& march, const std::vector<int>& passes, long k, long first,
                     int steps, long last) {
    ++epoch_; // enables passes again
    march.swap_fields(static_cast<long>(passes.size()) - k);
    walk.jumped();
    const long step = finish(walk, first, first + steps - 1);
    if (!until_.reached()) return {step};
    return {finish(walk, step + 1, std::min(last, step + until_.late)), true};
  }

  // Does steps without looks; returns the last step.
  long finish(Walk& walk, long first, long last) {
    while (first <= last) {
      const auto march = march_at(program_, first, std::min(last, first + kAhead), kTiledPhases);
      const Way* const way = march && march->steps >= kFewSteps ? way_of(*march) : nullptr;
      if (!way || march->steps <= way->least) {
        first = steps_->advance(walk, first, first).done + 1;
      } else {
        for (const int steps : do_passes(walk, *march, *way, first, nullptr)) first += steps;
      }
    }
    return last;
  }

  static std::string trouble_with(const March& march) {
    const TiledLimits pass = march.sweep->tiled_limits(TiledKind::pass),
                      wave = march.sweep->tiled_limits(TiledKind::wave);
    if (!pass.possible && !wave.possible) return pass.reason.empty() ? wave.reason : pass.reason;
    TiledLaunch launch;
    if (!local_region(*march.sweep, launch))
      return "sweep '" + march.sweep->name() + "' does a part of a periodic axis";
    if (const std::string why = trouble_with_memories(march); !why.empty()) return why;
    const Roles roles = roles_of(march);
    if (!roles.trouble.empty()) return roles.trouble;
    if (!best_of_passes(march, roles))
      return "the halo is not as deep as a pass of several steps reaches (give the grid a deeper one: --halo "
             "5)";
    return "";
  }

  // Null if passes cannot do the stretch. The first call for a stretch is collective.
  const Way* way_of(const March& march) {
    for (const auto& way : ways_)
      if (way->sweep == march.sweep && way->memory == march.memory)
        return way->choice.depth ? way.get() : nullptr;
    ways_.push_back(std::make_unique<Way>());
    Way& way = *ways_.back();
    way.sweep = march.sweep;
    way.memory = march.memory;
    way.choice.depth = 0;
    if (!trouble_with(march).empty()) return nullptr;
    way.roles = roles_of(march);
    way.odd = !does_all(*march.sweep);
    const PassChoice chosen = *best_of_passes(march, way.roles);
    way.kind = chosen.kind;
    way.choice = chosen.tiling;
    way.base = lay_out(march, way.roles, way.choice);
    if (way.kind == TiledKind::wave) {
      way.least = way.choice.depth; // a wave has all its steps
      way.base.blocks = march.sweep->tiled_limits(way.kind).multiprocessors;
    }
    if (judges_) {
      way.partials = Buffer(device_, 16ul * static_cast<std::size_t>(way.choice.depth * way.base.blocks));
      way.words = Buffer(device_, 2 * sizeof(unsigned));
      way.verdicts = Buffer(device_, kAtOnce * sizeof(int), Memory::pinned);
      if (device_.world().size() > 1) {
        way.boards = std::make_unique<Boards>(device_, 16ul * 2 * kLookEntries * way.choice.depth *
                                                           static_cast<std::size_t>(device_.world().size()));
        way.boards->tell(way.base);
      }
      way.base.partials = way.partials.data();
      way.base.counter = reinterpret_cast<unsigned*>(way.words.data());
      way.base.over = way.base.counter + 1;
      way.base.until = {.every = within_int(until_.every),
                        .late = 0,
                        .reduce = looked_at(march, until_),
                        .below = until_.below,
                        .threshold = until_.threshold,
                        .exact = device_.exact_sums()};
    }
    return &way;
  }

  // Makes the exchanges of passes of any number of steps, and of a step that follows one, for both memories.
  void prepare_exchanges(Walk& walk, const March& march, const Way& way, long step) {
    const PlanState now = walk.planner().state();
    for (int memory = 0; memory < march.phases; ++memory) {
      for (int steps = way.choice.depth; steps >= way.least; steps -= way.odd ? 2 : 1)
        if (const auto needs = moving_needs(march, way, steps); !needs.empty()) exchange_at_once(walk, needs);
      for (FieldCore* changed : march.changing) changed->validity().touched();
      steps_->prepare(walk, step, step);
      march.swap_fields(1);
    }
    walk.planner().set_state(now);
  }

  // Evaluates looks if there is a `verdict`; `first`: the number of the pass's first step.
  void pass(Walk& walk, const March& march, const Way& way, int steps, long first, int* verdict) {
    const auto& accesses = march.sweep->accesses();
    exchange_now(walk, needs_of(march, way, steps));
    TiledLaunch l = way.base;
    l.steps = steps;
    if (verdict) {
      l.first_look = within_int(until_.every - (first - 1) % until_.every);
      if (l.first_look <= steps) l.looks = ++turn_; // boards alternate between passes that have looks
    } else {
      l.until = {};
    }
    l.result = verdict;
    l.epoch = epoch_;
    name_memories(l, march, way.roles);
    for (std::size_t k = 0; k < accesses.size(); ++k) {
      const int first = l.access[k].slot[0], last = l.access[k].slot[(steps - 1) % 2];
      if (first < 0) continue;
      if (accesses[k].kind == Access::Kind::read) l.slot[first].taken = true;
      if (accesses[k].kind == Access::Kind::write) l.slot[last].leave = l.slot[first].origin;
    }
    walk.phases().begin_step(1); // all steps of the pass are measured as one
    walk.phases().begin(Phase::sweep, march.sweep->name().c_str());
    march.sweep->launch_tiled(way.kind, device_.stream(), l, way.choice.shared_bytes);
    walk.phases().end();
    ahead_.enqueued(1);
    march.swap_fields(1);
    for (FieldCore* memory : march.changing) memory->validity().touched();
  }

  // Halos that are not there: of fields read at other cells as deep as the steps reach, of other fields a step less.
  std::vector<HaloNeed> needs_of(const March& march, const Way& way, int steps) const {
    std::vector<HaloNeed> needs = fixed_needs(march, steps - 1);
    for (const HaloNeed& need : moving_needs(march, way, steps))
      if (!covers(need.field->validity().depth(), need.depth, program_.grid().dims())) needs.push_back(need);
    return needs;
  }
  // Of fields read at other cells: as deep as `steps` steps reach along cut axes.
  std::vector<HaloNeed> moving_needs(const March& march, const Way& way, int steps) const {
    const GridCore& grid = program_.grid();
    std::vector<HaloNeed> needs;
    const auto& accesses = march.sweep->accesses();
    for (std::size_t k = 0; k < accesses.size(); ++k) {
      if (accesses[k].kind != Access::Kind::read || accesses[k].here) continue;
      Depth need{.width = {}, .order = grid.dims()};
      bool any = false;
      for (int a = 0; a < grid.dims(); ++a) {
        if (grid.cut().ranks[a] == 1) continue;
        need.width[a] = Width(steps * way.roles.reach[a]);
        any = any || way.roles.reach[a] > 0;
      }
      if (any) needs.push_back({accesses[k].field, need});
    }
    return needs;
  }

  Program program_;
  Device& device_;
  const Until& until_;
  const bool judges_;                   // evaluates `until` in its passes
  unsigned turn_ = 0;                   // of the ranks' boards
  unsigned epoch_ = 1;                  // passes of this epoch do nothing after one has reached `until`
  std::unique_ptr<StepExecutor> steps_; // for steps outside long stretches
  Ahead ahead_;
  std::vector<std::unique_ptr<Way>> ways_;
};

} // namespace

std::string trouble_with_blocked(const Program& program) { return Blocked::trouble(program); }
std::unique_ptr<Executor> make_blocked(const Program& program, const Until& until) {
  return std::make_unique<Blocked>(program, until);
}

} // namespace tasuki
