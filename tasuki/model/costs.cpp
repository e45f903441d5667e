#include <tasuki/model/costs.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace tasuki {
namespace {

// Kernels and stream operations that the host enqueues for an exchange, by channel: self: a copy; peer: free,
// wait, copy, raise, wait; mpi: pack, wait for the stream, send and unpack.
constexpr std::array<int, kChannelNames.size()> kExchangeCalls = {1, 5, 3};

// Measured on H100 and H200 (bench/results), and not by `tasuki tune`:
constexpr double kSumFetched = 15e-6; // a sum is folded, rounded and copied to the host ..
constexpr double kMerged = 8e-6;      // .. and merged with those of other ranks
constexpr double kInGraph = 3e-6; // a kernel that stores faces and waits for the neighbours', beside the flag

} // namespace

Costs::Costs(const Workload& load, Begun begun, const Constants& constants, const Joining& joining,
             const Forced& forced)
    : load_(load), begun_(begun), c_(constants), joining_(joining), forced_(forced) {
  if (!c_.shared_memory) return;
  int near = 0;
  for (int rank = 0; rank < load.cut.size(); ++rank)
    near += rank == load.rank || joining(load.rank, rank) != PairKind::far;
  sharers_ = near;
}

bool Costs::remote() const {
  for (const StepLoad& step : load_.steps)
    for (const SweepLoad& sweep : step.sweeps)
      for (const FaceLoad& face : sweep.faces)
        if (face.to != load_.rank) return true;
  return false;
}

bool Costs::by(ChannelKind kind) const {
  const auto goes = [&](const std::vector<FaceLoad>& faces) {
    return std::any_of(faces.begin(), faces.end(),
                       [&](const FaceLoad& face) { return travel(face).channel == kind; });
  };
  for (const StepLoad& step : load_.steps) {
    if (std::any_of(step.refreshes.begin(), step.refreshes.end(), goes)) return true;
    for (const SweepLoad& sweep : step.sweeps)
      if (goes(sweep.faces)) return true;
  }
  return false;
}

double Costs::answer() const {
  const double rounds = std::ceil(std::log2(std::max(1, load_.cut.size())));
  const double fetched = c_.cuda ? kSumFetched + (rounds > 0 ? kMerged : 0) : 0;
  return c_.synchronize + fetched + rounds * c_.collective;
}

double Costs::look() const {
  constexpr double kNoted = 0.55; // measured on H200: nothing is fetched, and the device may go on
  return (c_.cuda ? kNoted : 1) * answer() + c_.launch;
}

double Costs::gap() const {
  if (begun_ == Begun::by_itself) return c_.barrier;
  if (!c_.cuda) return 0;
  return begun_ == Begun::by_host ? c_.gap : c_.graph_node;
}

// Seconds for `bytes` bytes from and to memory in a sweep. Data near the arithmetic units, in the cache and in
// memory is read at the respective speed.
double Costs::streaming(double bytes, const std::string& sweep) const {
  const double all = load_.memory;
  const double on_chip = begun_ == Begun::by_itself ? std::min(1.0, c_.chip_bytes / all) : 0;
  const double rest = all * (1 - on_chip), room = c_.cache_bytes / sharers_;
  // What is written first stays in a GPU's cache until it goes to memory, beside what comes from there: it takes room twice.
  const double kept = c_.cuda ? rest * (2 - load_.read_first / all) : rest;
  const double in_cache = rest > 0 ? std::clamp((2 * room - kept) / room, 0.0, 1.0) : 0;
  const double seconds_a_byte =
      on_chip / c_.chip + (1 - on_chip) * sharers_ * (in_cache / c_.cache + (1 - in_cache) / c_.memory);
  return bytes * seconds_a_byte / c_.efficiency_of(sweep);
}

Costs::Travel Costs::travel(const FaceLoad& face) const {
  if (face.near > 0) { // flags
    Travel meeting = cheapest(face, PairKind::node, {ChannelKind::peer});
    if (c_.tuning.device.meeting > 0) meeting.cost.latency = c_.tuning.device.meeting;
    return meeting;
  }
  if (face.to == load_.rank && !forced_.channel) return cheapest(face, PairKind::self, {ChannelKind::self});
  const PairKind pair = face.to == load_.rank ? PairKind::node : joining_(load_.rank, face.to);
  if (forced_.channel) return cheapest(face, pair, {*forced_.channel});
  return cheapest(face, pair, {ChannelKind::peer, ChannelKind::mpi});
}

Costs::Travel Costs::cheapest(const FaceLoad& face, PairKind pair,
                              const std::vector<ChannelKind>& channels) const {
  Travel best{ChannelKind::mpi, {std::numeric_limits<double>::infinity(), 1}};
  const auto consider = [&](ChannelKind channel, PairKind between, PeerMode mode) {
    const Tuning::Cost cost = c_.tuning.cost(channel, face.shape, face.row_bytes, between, mode);
    if (cost.seconds(face.bytes) < best.cost.seconds(face.bytes)) best = {channel, cost};
  };
  for (const ChannelKind channel : channels) {
    consider(channel, pair, PeerMode::stores);
    if (channel == ChannelKind::peer && begun_ == Begun::by_host)
      for (const PeerMode mode : {PeerMode::pack, PeerMode::copy2d}) consider(channel, pair, mode);
  }
  return best;
}

// A GPU's sweep loads the neighbour's cells over what joins the two, while others of its cells come from memory at a speed to
// which these add nothing: H200, a plane of 2 MiB took 4.8 us of a sweep, 5.7 at the speed of the link (docs/space.md). On a
// host they lie in the same memory.
double Costs::read_near(const std::vector<FaceLoad>& faces) const {
  double seconds = 0;
  for (const FaceLoad& face : faces)
    if (c_.cuda && face.near > 0) seconds += static_cast<double>(face.near) / travel(face).cost.bandwidth;
  return seconds;
}

ExchangeSeconds Costs::exchange(const std::vector<FaceLoad>& faces) const {
  std::map<ChannelKind, ExchangeSeconds> by_channel;
  for (const FaceLoad& face : faces) {
    const Travel t = travel(face);
    if (t.channel == ChannelKind::self) continue;
    ExchangeSeconds& cost = by_channel[t.channel];
    cost.latency = std::max(cost.latency, latency(t));
    cost.bandwidth += static_cast<double>(face.bytes) / t.cost.bandwidth;
  }
  ExchangeSeconds all;
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

double Costs::latency(const Travel& t) const {
  if (begun_ == Begun::by_host || t.channel == ChannelKind::mpi) return t.cost.latency;
  // In a graph, one kernel stores, signals and waits.
  return c_.flag + (begun_ == Begun::by_itself ? 0 : c_.graph_node + kInGraph);
}

ExchangeSeconds Costs::wrapped(const std::vector<FaceLoad>& faces) const {
  ExchangeSeconds all;
  for (const FaceLoad& face : faces) {
    const Travel t = travel(face);
    if (t.channel != ChannelKind::self) continue;
    all.latency = begun_ == Begun::by_host ? t.cost.latency : gap();
    all.bandwidth += static_cast<double>(face.bytes) / t.cost.bandwidth;
  }
  return all;
}

int Costs::calls_of(const std::vector<FaceLoad>& faces) const {
  std::array<bool, kChannelNames.size()> used{};
  for (const FaceLoad& face : faces) used[static_cast<std::size_t>(travel(face).channel)] = true;
  int calls = 0;
  for (std::size_t k = 0; k < used.size(); ++k) calls += used[k] ? kExchangeCalls[k] : 0;
  return calls;
}

void Costs::add_sweep(const SweepLoad& sweep, bool beside, Parts& parts) const {
  const bool stays = begun_ == Begun::by_itself;
  parts[Part::latency] +=
      gap() + (stays ? 0 : c_.start) + (sweep.reduces ? (stays ? c_.flag : c_.reduce) : 0);
  if (sweep.syncs) parts[Part::latency] += c_.space.synchronisation;
  if (!sweep.exchanges) {
    parts[Part::compute] += streaming(sweep.bytes, sweep.name);
    return;
  }
  const ExchangeSeconds wrap = wrapped(sweep.faces), cost = exchange(sweep.faces);
  parts[Part::bandwidth] += read_near(sweep.faces);
  parts[Part::latency] += wrap.latency;
  parts[Part::bandwidth] += wrap.bandwidth;
  if (!beside || cost.total() == 0) {
    parts[Part::compute] += streaming(sweep.bytes, sweep.name);
    parts[Part::latency] += cost.latency;
    parts[Part::bandwidth] += cost.bandwidth;
    return;
  }
  const double interior = streaming(sweep.interior_bytes, sweep.name);
  parts[Part::compute] += interior + streaming(sweep.rim_bytes, sweep.name);
  if (!stays) parts[Part::latency] += sweep.reduces ? gap() : c_.cuda ? c_.event : 0;
  if (!c_.cuda) { // the same cores copy and compute: only waits are hidden
    parts[Part::latency] += std::max(0.0, cost.latency - interior);
    parts[Part::bandwidth] += cost.bandwidth;
    return;
  }
  const double exposed = std::max(0.0, cost.total() - interior) / cost.total();
  parts[Part::latency] += exposed * cost.latency;
  parts[Part::bandwidth] += exposed * cost.bandwidth;
}

void Costs::add_refresh(const std::vector<FaceLoad>& faces, Parts& parts) const {
  const ExchangeSeconds wrap = wrapped(faces), cost = exchange(faces);
  parts[Part::latency] += wrap.latency + cost.latency;
  parts[Part::bandwidth] += wrap.bandwidth + cost.bandwidth;
}

} // namespace tasuki
