#include <tools/tune/exchanges.hpp>

#include <tasuki/base/reduce.hpp>
#include <tasuki/route/fit.hpp>
#include <tasuki/route/links.hpp>
#include <tasuki/transfer/transfer.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

namespace tasuki::tune {
namespace {

constexpr double kTooLong = 0.25;      // s: what takes longer is the largest that is measured
constexpr long kSpanHost = 256L << 20; // bytes of memory that a face may be scattered over
constexpr long kSpanCuda = 2L << 30;

// How the rows of a face lie: as far apart as they are long again, and in lines of their own.
struct Form {
  FaceShape shape;
  long row; // bytes; 0: one block
  long pitch() const { return std::max(2 * row, 256L); }
  long span(long bytes) const { return row == 0 ? bytes : bytes / row * pitch(); }
};
constexpr Form kForms[] = {{FaceShape::block, 0},
                           {FaceShape::block_stride, 4096},
                           {FaceShape::block_stride, 512},
                           {FaceShape::block_stride, 64},
                           {FaceShape::stride, 8}};

Strided face_at(char* base, const Form& form, long bytes) {
  Strided s;
  s.base = base;
  s.run = form.row == 0 ? bytes : form.row;
  if (form.row == 0) return s;
  s.levels = 1;
  s.count[0] = bytes / form.row;
  s.stride[0] = form.pitch();
  return s;
}

// One way to travel, between pairs of ranks of one kind.
struct Journey {
  ChannelKind channel;
  PeerMode mode;
  PairKind pair;
};

// The other rank of each rank's pair, or -1: the lowest two that are so joined first. Ranks of one host are looked for
// among those of the host alone.
std::vector<int> partners(const World& world, const Links& links, const Journey& journey) {
  const int size = world.size();
  std::vector<int> other(static_cast<std::size_t>(size), -1);
  const auto joined = [&](int a, int b) {
    return other[static_cast<std::size_t>(b)] < 0 && links.pair(a, b) == journey.pair &&
           (row_of(journey.channel).joins != Joins::memory || links.peer(a, b));
  };
  const auto join = [&](int a, int b) {
    other[static_cast<std::size_t>(a)] = b;
    other[static_cast<std::size_t>(b)] = a;
  };
  if (journey.pair == PairKind::self) {
    for (int r = 0; r < size; ++r) join(r, r);
    return other;
  }
  if (journey.pair == PairKind::far && world.host_count() == 1) return other;
  std::vector<std::vector<int>> ranks(static_cast<std::size_t>(world.host_count())); // of each host, in order
  for (int r = 0; r < size; ++r) ranks[static_cast<std::size_t>(world.host_of(r))].push_back(r);
  std::vector<int> all;
  if (journey.pair == PairKind::far)
    for (int r = 0; r < size; ++r) all.push_back(r);
  for (int a = 0; a < size; ++a) {
    if (other[static_cast<std::size_t>(a)] >= 0) continue;
    const auto& among =
        journey.pair == PairKind::far ? all : ranks[static_cast<std::size_t>(world.host_of(a))];
    const auto b = std::find_if(std::upper_bound(among.begin(), among.end(), a), among.end(),
                                [&](int rank) { return joined(a, rank); });
    if (b != among.end()) join(a, *b);
  }
  return other;
}

// The transfer of one face there and one back.
Transfer there_and_back(Device& device, const Journey& journey, int partner, const Strided& from,
                        const Strided& to, char* there) {
  const int me = device.world().rank();
  const Route route{journey.channel, journey.mode};
  Strided landing = to;
  landing.base = there;
  std::vector<Parcel> parcels;
  if (partner >= 0) parcels.push_back({me, partner, route, from, landing});
  if (partner >= 0 && partner != me) parcels.push_back({partner, me, route, {}, to});
  return Transfer(device, parcels);
}

class Bench {
public:
  Bench(World& world, const Effort& effort)
      : world_(world), device_(world.part<Device>()), links_(device_.part<Links>()), effort_(effort) {}

  // One line, or none where this kind of pair or too few sizes are there.
  std::optional<Line> line(const Journey& journey, const Form& form) {
    const std::vector<int> others = partners(world_, links_, journey);
    if (std::all_of(others.begin(), others.end(), [](int r) { return r < 0; })) return std::nullopt;
    const int partner = others[static_cast<std::size_t>(world_.rank())];
    const long most = largest(form);
    const auto span = static_cast<std::size_t>(form.span(most));
    const Buffer source(device_, span);
    const SharedBuffer target(device_, span);
    char* const there = row_of(journey.channel).stores && partner >= 0 && partner != world_.rank()
                            ? target.peer(world_.node_rank_of(partner))
                            : target.data();
    Line line{journey.channel, journey.mode, form.shape, form.row, journey.pair, 0, 0, 0, {}};
    for (long bytes = effort_.least_bytes; bytes <= most; bytes *= 4) {
      if (form.row != 0 && bytes < 2 * form.row) continue;
      Transfer transfer = there_and_back(device_, journey, partner, face_at(source.data(), form, bytes),
                                         face_at(target.data(), form, bytes), there);
      line.points.emplace_back(bytes, seconds(transfer));
      if (line.points.back().second > kTooLong) break;
    }
    if (line.points.size() < 2) return std::nullopt;
    const Fit fit = fit_line(line.points);
    line.latency = fit.latency;
    line.bandwidth = fit.bandwidth;
    line.rms = fit.rms;
    return line;
  }

private:
  long largest(const Form& form) const {
    const long span = device_.cuda() ? kSpanCuda : kSpanHost;
    long bytes = effort_.least_bytes;
    while (bytes * 4 <= effort_.most_bytes && form.span(bytes * 4) <= span) bytes *= 4;
    return bytes;
  }

  // Of `count` exchanges in a row, on the slowest rank.
  double timed(Transfer& transfer, long count) {
    Stream& stream = device_.stream();
    stream.synchronize();
    barrier(world_);
    const double begun = tasuki::seconds();
    for (long k = 0; k < count; ++k) transfer.whole(stream);
    stream.synchronize();
    return reduce_max(world_, tasuki::seconds() - begun);
  }

  double seconds(Transfer& transfer) {
    timed(transfer, 2);
    const double one = timed(transfer, 4) / 4; // the same on every rank
    const long count = std::clamp(std::lround(effort_.seconds / std::max(one, 1e-9)), 1L, 20000L);
    double least = one;
    for (int k = 0; k < effort_.repetitions && (k < 2 || one * static_cast<double>(count) < kTooLong); ++k)
      least = std::min(least, timed(transfer, count) / static_cast<double>(count));
    return least;
  }

  World& world_;
  Device& device_;
  const Links& links_;
  Effort effort_;
};

// Each channel and mode, between each kind of pair that it may join.
std::vector<Journey> all_journeys(bool cuda) {
  std::vector<Journey> journeys;
  for (std::size_t k = 0; k < kChannels.size(); ++k) {
    const Joins joins = kChannels[k].joins;
    const std::vector<PairKind> pairs =
        joins == Joins::itself   ? std::vector{PairKind::self}
        : joins == Joins::memory ? std::vector{PairKind::node}
                                 : std::vector{PairKind::node, PairKind::subcluster, PairKind::far};
    // The host has no copy engine: there the other modes do the same work, or twice as much.
    const std::size_t modes = kChannels[k].modes && cuda ? kPeerModeNames.size() : 1;
    for (std::size_t mode = 0; mode < modes; ++mode)
      for (const PairKind pair : pairs)
        journeys.push_back({static_cast<ChannelKind>(k), static_cast<PeerMode>(mode), pair});
  }
  return journeys;
}

} // namespace

std::vector<Line> measure_exchanges(World& world, const Effort& effort,
                                    const std::function<void(const Line&)>& each) {
  Bench bench(world, effort);
  const std::vector<Journey> journeys = all_journeys(world.part<Device>().cuda());
  std::vector<Line> lines;
  for (const Journey& journey : journeys)
    for (const Form& form : kForms)
      if (auto line = bench.line(journey, form)) {
        each(*line);
        lines.push_back(std::move(*line));
      }
  return lines;
}

} // namespace tasuki::tune
