// Runs the steps of a time loop by an executor of Tasuki: arrays are copied to fields, stepped, and copied back.
#include "lifted.hpp"
#include "numbers.hpp"
#include "present.hpp"
#include "queues.hpp"

#include <tasuki/array/reflect.hpp>
#include <tasuki/base/log.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/base/variables.hpp>
#include <tasuki/device/host_memory.hpp>
#include <tasuki/field/room.hpp>
#include <tasuki/model/halo_choice.hpp>
#include <tasuki/run/run.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

namespace tasuki::xmp {
namespace {

// With fewer steps the loop runs unchanged: the copies to the fields and back read and write all memory once or twice.
constexpr long kFewest = 8;

// The times of each time loop when it was last lifted, the same on every rank.
struct Costs {
  explicit Costs(World&) {}
  struct Cost {
    double around = 0; // seconds to create the fields, fill them, and copy them back
    double step = 0;
    long steps = 0;
  };
  std::map<const tsk_lifted*, Cost> of;
};

class Lifting {
public:
  Lifting(const char* where, Asked asked)
      : where_(where), asked_(std::move(asked)), run_time_(RunTime::now()), world_(run_time_.world()) {}

  // Runs all steps but the last, or until the condition ends the loop; `over`: whether it has.
  long steps(long all, bool& over) {
    const long wanted = all - 1;
    if (wanted < kFewest) return few();
    if (std::string why = trouble(); !why.empty()) return none(why);
    if (is_short(wanted)) return none("its steps take less time than to begin with them and to end");
    if (lacks_memory()) return none("there is no memory for its arrays a second time");
    if (asked_.on_gpu) run_time_.part<Queues>().wait_all();
    const double begun = seconds();
    const bool chooses = world_.settings().halo == kAutoHalo;
    if (chooses && !world_.settings().ranks.empty())
      return none("--halo auto and --ranks are given, and its directives say how it is cut");
    Made made = chooses ? with_best_halo(
                              world_, [&](const ChosenHalo& chosen) { return make(chosen); },
                              [](const Made& m) { return m.items; })
                        : make(nullptr);
    if (!fits(*made.grid)) return none("--halo auto would give its blocks to other ranks");
    fill(asked_, made);
    Until until;
    if (asked_.lift.goes_on) until.reached = [&] { return !goes_on(made); };
    const RunReport report = run(Program(made.items), {.times = wanted, .until = until});
    over = report.reached;
    log_info(world_, [&] {
      return std::string(where_) + ": lifted: " + std::to_string(report.steps) + " steps by executor " +
             report.executor;
    });
    if (report.interrupted)
      throw Error("a signal ended its time loop after " + std::to_string(report.steps) + " steps",
                  "start it again");
    bring_back(asked_, made);
    if (over || asked_.lift.stretches) reflect();
    const double around = reduce_max(world_, seconds() - begun - report.seconds);
    costs() = {around, report.seconds / static_cast<double>(std::max(report.steps, 1L)), report.steps};
    return report.steps;
  }

  bool refused() const { return refused_; } // the loop cannot be lifted for any number of steps

private:
  long few() {
    if (asked_.lift.stretches) return 0;
    return none("it has few steps");
  }

  std::string trouble() {
    if (static_cast<int>(run_time_.executing().members().size()) != world_.size())
      return "a part of the ranks does it";
    if (std::string why = no_device(); !why.empty()) return why;
    Cutting cutting = cutting_of(asked_, world_);
    if (!cutting.trouble.empty()) return cutting.trouble;
    cut_ = std::move(cutting.cut);
    if (overlaps()) return "two of its arrays are one";
    std::string why;
    reach_ = reach_of(asked_, cut_, why);
    return why;
  }

  // Where device memory is apart, a GPU's kernels do all of the steps there, or none. Collective.
  std::string no_device() {
    if (!run_time_.host().beside() && !run_time_.apart()) return "";
    if (!run_time_.accelerator().cuda() || !asked_.lift.on_gpus) return "its arrays are on a device too";
    int absent = 0;
    for (ArrayObject* object : asked_.arrays)
      absent |= !run_time_.part<Present>().find(object->face->start, object->face->bytes, object->name);
    if (reduce_max(world_, absent)) return "not all of its arrays are present on the device";
    for (ArrayObject* object : asked_.arrays) take_device(*object);
    asked_.on_gpu = true;
    return "";
  }
  Device& device() const { return asked_.on_gpu ? run_time_.accelerator() : run_time_.host(); }

  Costs::Cost& costs() const { return world_.part<Costs>().of[&asked_.lift]; }

  // True if the overhead would exceed a third of the expected time of the steps, which is about the gain of lifting.
  bool is_short(long wanted) const {
    if (variable_word("TASUKI_LIFT").value_or("auto") == "always") return false;
    const Costs::Cost& last = costs();
    const long expected = asked_.lift.goes_on ? std::min(wanted, last.steps) : wanted;
    return last.steps > 0 && last.around > last.step * static_cast<double>(expected) / 3;
  }

  // Two parameters may be the same array. Every rank has cells of each array, so all ranks agree.
  bool overlaps() const {
    for (std::size_t k = 0; k < asked_.arrays.size(); ++k)
      for (std::size_t other = 0; other < k; ++other) {
        const tsk_array &a = *asked_.arrays[k]->face, &b = *asked_.arrays[other]->face;
        if (a.start < b.start + b.bytes && b.start < a.start + a.bytes) return true;
      }
    return false;
  }

  // True if any node lacks the memory for the fields of all its ranks. Collective.
  bool lacks_memory() const {
    double wanted = 0;
    for (const ArrayObject* array : asked_.arrays) wanted += 1.25 * static_cast<double>(array->face->bytes);
    const double free = asked_.on_gpu ? static_cast<double>(Room(device()).free())
                                      : static_cast<double>(free_host_memory()) / world_.node_size();
    const bool lacks = wanted > free;
    return reduce_max(world_, static_cast<int>(lacks)) > 0;
  }

  // Combines the reductions of all ranks in their variables, and evaluates the loop's condition. Collective.
  bool goes_on(const Made& made) const {
    for (int n = 0; n < asked_.lift.nests; ++n) {
      const tsk_nest& nest = asked_.lift.nest[n];
      for (int k = 0; k < nest.reductions; ++k) {
        const tsk_reduced& reduced = nest.reduced[k];
        void* const variable = asked_.given[reduced.variable];
        std::memcpy(variable, made.sweeps[static_cast<std::size_t>(n)]->result(k),
                    static_cast<std::size_t>(size_of(reduced.type)));
        tsk_reduce(nest.where, nullptr, reduced.op, reduced.type, variable, 1, TSK_HOST, TSK_NOW);
      }
    }
    return asked_.lift.goes_on(asked_.given) != 0;
  }

  void reflect() const {
    std::vector<Reflected> list;
    for (int k = 0; k < asked_.lift.reflects; ++k) {
      const tsk_reflected& how = asked_.lift.reflect[k];
      Array* const array = asked_.arrays[static_cast<std::size_t>(how.array)]->array.get();
      list.push_back({array});
      for (int d = 0; how.width && d < array->dims(); ++d)
        list.back().widths.push_back({how.width[d].lo, how.width[d].hi, how.width[d].periodic != 0});
    }
    if (!list.empty()) Reflect(list, asked_.on_gpu ? Side::device : Side::host).whole();
    device().stream().synchronize();
  }

  long none(const std::string& why) {
    refused_ = true;
    log_info(world_, [&] { return std::string(where_) + ": not lifted here: " + why; });
    return 0;
  }

  Made make(const ChosenHalo& chosen) const {
    if (chosen) {
      GridOptions options{.halo = Halo(reach_), .device = &device(), .chosen = chosen};
      options.periodic = PerAxis<bool>(cut_.periodic);
      std::array<int, kMaxDims> ranks{};
      for (int a = 0; a < cut_.dims; ++a) {
        ranks[static_cast<std::size_t>(a)] = cut_.ranks[a];
        const std::vector<long>& at = cut_.offsets[static_cast<std::size_t>(a)];
        options.blocks.emplace_back();
        for (std::size_t k = 1; k < at.size(); ++k) options.blocks.back().push_back(at[k] - at[k - 1]);
      }
      options.ranks = PerAxis<int>(ranks);
      return made_on(asked_, std::make_shared<GridCore>(world_, cut_.dims, cut_.extents, options));
    }
    return made_on(asked_, std::make_shared<GridCore>(world_, cut_, halo(), &device()));
  }

  // The depth that --halo requests, limited by the size of the blocks.
  Widths halo() const {
    Widths widths = reach_;
    for (int a = 0; a < cut_.dims; ++a) {
      if (widths[a] == Width(0) || world_.settings().halo <= 0) continue;
      const long most = cut_.exchanges(a) ? cut_.smallest_block(a) : world_.settings().halo;
      const int deep = static_cast<int>(std::min<long>(world_.settings().halo, most));
      widths[a] = Width(std::max(deep, widths[a].lo), std::max(deep, widths[a].hi));
    }
    return widths;
  }

  bool fits(const GridCore& grid) const {
    for (int rank = 0; rank < world_.size(); ++rank)
      if (!(grid.cut().block(rank) == cut_.block(rank))) return false;
    return true;
  }

  const char* where_;
  Asked asked_;
  RunTime& run_time_;
  World& world_;
  Decomposition cut_;
  Widths reach_{};
  bool refused_ = false;
};

} // namespace
} // namespace tasuki::xmp

using namespace tasuki;
using namespace tasuki::xmp;

extern "C" long tsk_lift(const char* where, const tsk_lifted* lift, tsk_array* const* array,
                         const long* bounds, void* const* given, long steps, int* over) {
  return at(where, [&] {
    Asked asked{*lift, {}, bounds, given};
    for (int k = 0; k < lift->arrays; ++k) asked.arrays.push_back(&array_of(array[k]));
    Lifting lifting(where, std::move(asked));
    bool ended = false;
    const long done = lifting.steps(steps, ended);
    if (over && (ended || (lift->stretches && lifting.refused()))) *over = 1;
    return over && ended ? done - 1 : done;
  });
}
