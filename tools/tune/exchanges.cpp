#include <tools/tune/exchanges.hpp>

#include <tasuki/base/reduce.hpp>
#include <tasuki/channel/mpi.hpp>
#include <tasuki/channel/peer.hpp>
#include <tasuki/channel/self.hpp>
#include <tasuki/route/fit.hpp>
#include <tasuki/route/links.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

namespace tasuki::tune {
namespace {

constexpr double kTooLong = 0.25;      // s: what takes longer is the largest that is measured
constexpr long kSpanHost = 256L << 20; // bytes of memory that a face may be scattered over
constexpr long kSpanCuda = 2L << 30;
constexpr int kTag = 32700; // beside those of exchanges, of which there are none

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
           (journey.channel != ChannelKind::peer || links.peer(a, b));
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

// The channel set up for one face there and one back.
class Exchanged {
public:
  Exchanged(Device& device, const Journey& journey, int partner, const Strided& from, const Strided& to,
            char* there) {
    const bool takes_part = partner >= 0;
    Strided landing = to;
    landing.base = there;
    if (journey.channel == ChannelKind::self && takes_part)
      self_ = std::make_unique<SelfChannel>(device, std::vector<CopyPair>{{from, to}});
    if (journey.channel == ChannelKind::mpi && takes_part)
      mpi_ = std::make_unique<MpiChannel>(device, std::vector<MpiChannel::Message>{{partner, {from}}},
                                          std::vector<MpiChannel::Message>{{partner, {to}}}, kTag);
    if (journey.channel != ChannelKind::peer) return;
    std::vector<PeerChannel::Outgoing> outgoing;
    std::vector<PeerChannel::Incoming> incoming;
    if (takes_part) {
      const int node_rank = device.world().node_rank_of(partner);
      PeerChannel::Outgoing out{node_rank, {}, {}, {}};
      PeerChannel::Incoming in{node_rank, {}};
      if (journey.mode == PeerMode::stores) out.stored.push_back({from, landing});
      if (journey.mode == PeerMode::copy2d) out.copied.push_back({from, landing});
      if (journey.mode == PeerMode::pack) {
        out.packed.push_back(from);
        in.packed.push_back(to);
      }
      outgoing.push_back(std::move(out));
      incoming.push_back(std::move(in));
    }
    peer_ = std::make_unique<PeerChannel>(device, std::move(outgoing), std::move(incoming));
  }

  void run(Stream& stream) {
    if (self_) self_->start(stream);
    if (mpi_) {
      mpi_->start(stream);
      mpi_->finish(stream);
    }
    if (peer_) {
      peer_->start(stream);
      peer_->finish(stream);
    }
  }

private:
  std::unique_ptr<SelfChannel> self_;
  std::unique_ptr<MpiChannel> mpi_;
  std::unique_ptr<PeerChannel> peer_;
};

class Bench {
public:
  Bench(World& world, const Effort& effort)
      : world_(world), device_(world.part<Device>()), links_(world.part<Links>()), effort_(effort) {}

  // One line, or none where this kind of pair or too few sizes are there.
  std::optional<Line> line(const Journey& journey, const Form& form) {
    const std::vector<int> others = partners(world_, links_, journey);
    if (std::all_of(others.begin(), others.end(), [](int r) { return r < 0; })) return std::nullopt;
    const int partner = others[static_cast<std::size_t>(world_.rank())];
    const long most = largest(form);
    const auto span = static_cast<std::size_t>(form.span(most));
    const Buffer source(device_, span);
    const SharedBuffer target(device_, span);
    char* const there = journey.channel == ChannelKind::peer && partner >= 0
                            ? target.peer(world_.node_rank_of(partner))
                            : target.data();
    Line line{journey.channel, journey.mode, form.shape, form.row, journey.pair, 0, 0, 0, {}};
    for (long bytes = effort_.least_bytes; bytes <= most; bytes *= 4) {
      if (form.row != 0 && bytes < 2 * form.row) continue;
      Exchanged exchange(device_, journey, partner, face_at(source.data(), form, bytes),
                         face_at(target.data(), form, bytes), there);
      line.points.emplace_back(bytes, seconds(exchange));
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
  double timed(Exchanged& exchange, long count) {
    Stream& stream = device_.stream();
    stream.synchronize();
    barrier(world_);
    const double begun = tasuki::seconds();
    for (long k = 0; k < count; ++k) exchange.run(stream);
    stream.synchronize();
    return reduce_max(world_, tasuki::seconds() - begun);
  }

  double seconds(Exchanged& exchange) {
    timed(exchange, 2);
    const double one = timed(exchange, 4) / 4; // the same on every rank
    const long count = std::clamp(std::lround(effort_.seconds / std::max(one, 1e-9)), 1L, 20000L);
    double least = one;
    for (int k = 0; k < effort_.repetitions && (k < 2 || one * static_cast<double>(count) < kTooLong); ++k)
      least = std::min(least, timed(exchange, count) / static_cast<double>(count));
    return least;
  }

  World& world_;
  Device& device_;
  const Links& links_;
  Effort effort_;
};

} // namespace

std::vector<Line> measure_exchanges(World& world, const Effort& effort,
                                    const std::function<void(const Line&)>& each) {
  Bench bench(world, effort);
  std::vector<Journey> journeys = {{ChannelKind::self, PeerMode::stores, PairKind::self},
                                   {ChannelKind::peer, PeerMode::stores, PairKind::node}};
  // The host has no copy engine: there the other modes do the same work, or twice as much.
  if (world.part<Device>().cuda())
    for (const PeerMode mode : {PeerMode::pack, PeerMode::copy2d})
      journeys.push_back({ChannelKind::peer, mode, PairKind::node});
  for (const PairKind pair : {PairKind::node, PairKind::subcluster, PairKind::far})
    journeys.push_back({ChannelKind::mpi, PeerMode::stores, pair});
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
