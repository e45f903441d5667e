#include <tasuki/base/error.hpp>
#include <tasuki/field/exchange_cost.hpp>
#include <tasuki/model/predict.hpp>
#include <tasuki/model/tiles.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace tasuki {
namespace {

// What sets an executor apart, as far as time goes.
struct Way {
  const char* name;
  bool overlaps;   // the interior goes beside the exchange
  bool launched;   // the host enqueues every sweep of every step
  bool resident;   // one kernel does all steps: a sweep ends with a barrier, and what fits stays on the chip
  int event_calls; // of the host, a sweep with an exchange
  bool passes = false; // several steps a pass over memory
};
constexpr Way kWays[] = {{"eager", false, true, false, 0},
                         {"overlapped", true, true, false, 5},
                         {"graph", true, false, false, 0},
                         {"blocked", false, false, false, 0, true},
                         {"resident", true, false, true, 0}};

// Kernels and stream operations that the host enqueues for an exchange, by channel: self copies; peer frees,
// waits, copies, raises, waits; mpi packs, waits for the stream, sends, unpacks.
constexpr std::array<int, kChannelNames.size()> kExchangeCalls = {1, 5, 3};

constexpr double kShortSweep = 12e6; // bytes: a graph's fork and join cost more than they hide

struct Cost { // of an exchange: seconds however short it is, and seconds of its bytes
  double latency = 0, bandwidth = 0;
  double total() const { return latency + bandwidth; }
};

const Way& way_of(const std::string& executor) {
  for (const Way& way : kWays)
    if (executor == way.name) return way;
  throw Error("the model knows no executor '" + executor + "'", "use eager, overlapped, graph or resident");
}

class Teller {
public:
  Teller(const Workload& load, const Way& way, const Constants& constants, const Joining& joining,
         const Forced& forced)
      : load_(load), way_(way), c_(constants), joining_(joining), forced_(forced) {
    if (way_.resident && c_.cuda) tiled_ = tiled_step(load, c_, remote());
    if (way_.passes && c_.cuda) tiled_ = pass_step(load, c_);
    if (!c_.shared_memory) return;
    int near = 0;
    for (int rank = 0; rank < load.cut.size(); ++rank)
      near += rank == load.rank || joining(load.rank, rank) != PairKind::far;
    sharers_ = near;
  }

  Parts of(const StepLoad& step) const {
    if (way_.resident && c_.cuda) return resident(step);
    if (way_.passes) return blocked(step);
    Parts parts;
    double issue = c_.step; // what the host does for the step, where it launches
    if (way_.launched && load_.look_late) issue += load_.looks * answer();
    for (const SweepLoad& sweep : step.sweeps) {
      add(sweep, parts);
      issue += c_.launch * (1 + (sweep.reduces ? 1 : 0));
      if (!sweep.exchanges) continue;
      issue += calls_of(sweep.faces) * c_.launch + way_.event_calls * c_.event;
      if (way_.overlaps) issue += c_.launch; // of the rim
    }
    for (const auto& faces : step.refreshes) {
      const Cost wrap = wrapped(faces), cost = exchange(faces);
      parts[Part::latency] += wrap.latency + cost.latency;
      parts[Part::bandwidth] += wrap.bandwidth + cost.bandwidth;
      issue += calls_of(faces) * c_.launch;
    }
    if (c_.cuda) {
      // Launches go beside what was launched before, until the host has to see a result.
      if (way_.launched) parts[Part::host] += std::max(0.0, issue - parts.total());
      if (step.calls > 0) parts[Part::host] += c_.launch;
    } else {
      const double regions = static_cast<double>(step.sweeps.size() + step.refreshes.size());
      if (!way_.resident) parts[Part::host] += c_.step + regions * c_.launch;
    }
    parts[Part::host] += step.calls * answer();
    if (load_.looks > 0 && !(way_.launched && load_.look_late)) {
      if (way_.resident) // the devices tell each other
        parts[Part::latency] += load_.looks * (load_.look_late ? 0 : c_.flag);
      else
        parts[Part::host] += load_.looks * (answer() + c_.launch);
    }
    return parts;
  }

  // All the steps in one kernel, which a call of the host ends.
  Parts resident(const StepLoad& step) const {
    Parts parts;
    parts[Part::compute] = tiled_.compute;
    parts[Part::latency] = tiled_.latency;
    for (const SweepLoad& sweep : step.sweeps)
      if (sweep.reduces) parts[Part::latency] += c_.barrier; // sums of tiles meet
    if (!load_.look_late) parts[Part::latency] += load_.looks * (c_.barrier + (remote() ? c_.flag : 0));
    parts[Part::host] = step.calls * (answer() + c_.launch);
    return parts;
  }

  // Exchanges and passes take turns.
  Parts blocked(const StepLoad& step) const {
    Parts parts;
    parts[Part::compute] = tiled_.compute;
    parts[Part::latency] = gap() / tiled_.depth;
    for (const SweepLoad& sweep : step.sweeps) {
      if (!sweep.exchanges) continue;
      const Cost cost = exchange(sweep.faces);
      parts[Part::latency] += cost.latency;
      parts[Part::bandwidth] += cost.bandwidth;
    }
    parts[Part::host] = (step.calls + load_.looks) * (answer() + c_.launch);
    return parts;
  }

  // Why the executor cannot do it, or nothing.
  std::string fault() const {
    if (way_.passes && !c_.cuda) return "the host has no passes of several steps";
    if (way_.passes) {
      if (4 * load_.looks > 1) return "a reduction is looked at before a pass is over";
      for (const StepLoad& step : load_.steps)
        if (step.sweeps.size() != 1) return "a step is more than a sweep and swaps";
      return tiled_.not_here;
    }
    if (way_.launched) return "";
    if (!c_.cuda && !way_.resident) return "the host has no graphs";
    if (!way_.resident || !c_.cuda) return "";
    for (const StepLoad& step : load_.steps) {
      for (const SweepLoad& sweep : step.sweeps)
        for (const FaceLoad& face : sweep.faces)
          if (channel_of(face) == ChannelKind::mpi) return "a face goes by mpi";
      if (step.sweeps.size() != 1 || !step.refreshes.empty()) return "a step is more than a sweep and swaps";
    }
    return tiled_.not_here;
  }

private:
  // Seconds for so many bytes to and from memory by a sweep. What the device keeps near its arithmetic units,
  // in its cache and in memory is read at the speed of each.
  double streaming(double bytes, const std::string& sweep) const {
    const double all = load_.memory;
    const double on_chip = way_.resident ? std::min(1.0, c_.chip_bytes / all) : 0;
    const double rest = all * (1 - on_chip), room = c_.cache_bytes / sharers_;
    const double in_cache = rest > 0 ? std::clamp((2 * room - rest) / room, 0.0, 1.0) : 0;
    const double seconds_a_byte =
        on_chip / c_.chip + (1 - on_chip) * sharers_ * (in_cache / c_.cache + (1 - in_cache) / c_.memory);
    return bytes * seconds_a_byte / c_.efficiency_of(sweep);
  }

  bool remote() const {
    for (const StepLoad& step : load_.steps)
      for (const SweepLoad& sweep : step.sweeps)
        for (const FaceLoad& face : sweep.faces)
          if (face.to != load_.rank) return true;
    return false;
  }

  double answer() const { // a value of all ranks at the host
    return c_.synchronize + std::ceil(std::log2(std::max(1, load_.cut.size()))) * c_.collective;
  }

  double gap() const {
    if (!c_.cuda) return way_.resident ? c_.barrier : 0;
    return way_.resident ? c_.barrier : way_.launched ? c_.gap : c_.graph_node;
  }

  struct Travel {
    ChannelKind channel;
    Tuning::Cost cost;
  };
  Travel travel(const FaceLoad& face) const {
    if (face.to == load_.rank && !forced_.channel) return cheapest(face, PairKind::self, {ChannelKind::self});
    const PairKind pair = face.to == load_.rank ? PairKind::node : joining_(load_.rank, face.to);
    if (forced_.channel) return cheapest(face, pair, {*forced_.channel});
    return cheapest(face, pair, {ChannelKind::peer, ChannelKind::mpi});
  }
  Travel cheapest(const FaceLoad& face, PairKind pair, const std::vector<ChannelKind>& channels) const {
    Travel best{ChannelKind::mpi, {std::numeric_limits<double>::infinity(), 1}};
    const auto consider = [&](ChannelKind channel, PairKind between, PeerMode mode) {
      const Tuning::Cost cost = c_.tuning.cost(channel, face.shape, face.row_bytes, between, mode);
      if (cost.seconds(face.bytes) < best.cost.seconds(face.bytes)) best = {channel, cost};
    };
    for (const ChannelKind channel : channels) {
      consider(channel, pair, PeerMode::stores);
      if (channel == ChannelKind::peer && way_.launched)
        for (const PeerMode mode : {PeerMode::pack, PeerMode::copy2d}) consider(channel, pair, mode);
    }
    return best;
  }
  ChannelKind channel_of(const FaceLoad& face) const { return travel(face).channel; }

  // Of what goes to other ranks. On a GPU channels work at once, on the host the rank's cores copy for all of
  // them.
  Cost exchange(const std::vector<FaceLoad>& faces) const {
    std::map<ChannelKind, Cost> by_channel;
    for (const FaceLoad& face : faces) {
      const Travel t = travel(face);
      if (t.channel == ChannelKind::self) continue;
      Cost& cost = by_channel[t.channel];
      cost.latency = std::max(cost.latency, latency(t));
      cost.bandwidth += static_cast<double>(face.bytes) / t.cost.bandwidth;
    }
    Cost all;
    for (const auto& [channel, cost] : by_channel) {
      if (!c_.cuda) {
        all.latency = std::max(all.latency, cost.latency);
        all.bandwidth += cost.bandwidth;
      } else if (cost.total() > all.total()) {
        all = cost;
      }
    }
    return all;
  }
  double latency(const Travel& t) const {
    if (way_.launched || t.channel == ChannelKind::mpi) return t.cost.latency;
    return c_.flag + (way_.resident ? 0 : c_.graph_node); // in a graph one kernel stores, tells and waits
  }

  // Of what a rank sends to itself.
  Cost wrapped(const std::vector<FaceLoad>& faces) const {
    Cost all;
    for (const FaceLoad& face : faces) {
      const Travel t = travel(face);
      if (t.channel != ChannelKind::self) continue;
      all.latency = way_.launched ? t.cost.latency : gap();
      all.bandwidth += static_cast<double>(face.bytes) / t.cost.bandwidth;
    }
    return all;
  }

  int calls_of(const std::vector<FaceLoad>& faces) const {
    std::array<bool, kChannelNames.size()> used{};
    for (const FaceLoad& face : faces) used[static_cast<std::size_t>(channel_of(face))] = true;
    int calls = 0;
    for (std::size_t k = 0; k < used.size(); ++k) calls += used[k] ? kExchangeCalls[k] : 0;
    return calls;
  }

  void add(const SweepLoad& sweep, Parts& parts) const {
    parts[Part::latency] += gap() + (sweep.reduces ? (way_.resident ? c_.flag : c_.reduce) : 0);
    if (!sweep.exchanges) {
      parts[Part::compute] += streaming(sweep.bytes, sweep.name);
      return;
    }
    const Cost wrap = wrapped(sweep.faces), cost = exchange(sweep.faces);
    parts[Part::latency] += wrap.latency;
    parts[Part::bandwidth] += wrap.bandwidth;
    const bool graph = !way_.launched && !way_.resident; // does short sweeps after their exchange
    if (!way_.overlaps || cost.total() == 0 || (graph && sweep.bytes <= kShortSweep)) {
      parts[Part::compute] += streaming(sweep.bytes, sweep.name);
      parts[Part::latency] += cost.latency;
      parts[Part::bandwidth] += cost.bandwidth;
      return;
    }
    const double interior = streaming(sweep.interior_bytes, sweep.name);
    parts[Part::compute] += interior + streaming(sweep.rim_bytes, sweep.name);
    if (!way_.resident) parts[Part::latency] += sweep.reduces ? gap() : c_.cuda ? c_.event : 0;
    if (!c_.cuda) { // the cores that copy are those that compute: only waiting is hidden
      parts[Part::latency] += std::max(0.0, cost.latency - interior);
      parts[Part::bandwidth] += cost.bandwidth;
      return;
    }
    const double exposed = std::max(0.0, cost.total() - interior) / cost.total();
    parts[Part::latency] += exposed * cost.latency;
    parts[Part::bandwidth] += exposed * cost.bandwidth;
  }

  const Workload& load_;
  const Way& way_;
  const Constants& c_;
  const Joining& joining_;
  const Forced& forced_;
  TiledStep tiled_;
  int sharers_ = 1; // ranks that share the memory of this one's host
};

int depth_of(const Workload& load) {
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
  const Teller teller(load, way_of(executor), constants, joining, forced);
  Prediction p{executor, depth_of(load), {}, teller.fault()};
  if (!p.possible()) return p;
  for (const StepLoad& step : load.steps) p.parts += step.share * teller.of(step);
  return p;
}

Prediction predict(const Description& program, int devices, const std::string& executor,
                   const Constants& constants, const std::array<int, kMaxDims>& ranks, const Forced& forced) {
  const Decomposition cut = cut_for(program, devices, constants, ranks);
  const Joining joining = nodes_of(constants.devices_a_node);
  return predict(workload(program, cut, padding_of(constants), joining), executor, constants, joining,
                 forced);
}

Prediction predict(const Program& program, const std::string& executor, int halo, const Tuning& tuning) {
  const GridCore& grid = program.grid();
  const World& world = grid.world();
  Description description = describe(program);
  if (halo > 0) description = description.with_halo(halo);
  Tuning here = tuning;
  if (here.machine.device_name.empty()) here.machine.device_name = grid.device().name();
  const Constants constants = Constants::of(here);
  const Joining joining = [&](int a, int b) {
    return a == b                  ? PairKind::self
           : world.same_node(a, b) ? PairKind::node
           : world.same_host(a, b) ? PairKind::subcluster
                                   : PairKind::far;
  };
  Forced forced; // a channel forced for some faces alone is not modelled
  for (std::size_t k = 0; k < kChannelNames.size(); ++k)
    if (world.settings().channel == kChannelNames[k]) forced.channel = static_cast<ChannelKind>(k);
  return predict(workload(description, grid.cut(), padding_of(constants), joining), executor, constants,
                 joining, forced);
}

const Prediction* fastest(const std::vector<Prediction>& predictions) {
  const Prediction* best = nullptr;
  for (const Prediction& p : predictions)
    if (p.possible() && (!best || p.seconds() < best->seconds())) best = &p;
  return best;
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
    } catch (const Error&) { // wider than a block, as all deeper ones are
      if (best == 0) throw;
      break;
    }
  }
  return best == 0 ? least : best;
}

} // namespace tasuki
