// The costs of a step's parts, of a workload that is written down here: what hides what, and what adds up.
#include <tasuki/model/costs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tasuki {
namespace {

// Rank 0 of two in a row: one face to rank 1, one to itself; a sweep of which a tenth is the rim.
Workload two_ranks(long face_bytes) {
  Workload load;
  load.cut.dims = 1;
  load.cut.ranks[0] = 2;
  load.memory = load.read_first = 1e9; // in no cache
  FaceLoad away{.to = 1, .bytes = face_bytes, .row_bytes = 4096};
  FaceLoad around{.to = 0, .bytes = face_bytes, .row_bytes = 4096};
  SweepLoad sweep{.name = "Relax", .faces = {away, around}, .exchanges = true};
  sweep.bytes = 1e9;
  sweep.interior_bytes = .9e9;
  sweep.rim_bytes = .1e9;
  load.steps.emplace_back().sweeps = {sweep};
  load.steps[0].share = 1;
  return load;
}

struct Priced {
  Workload load;
  Constants constants;
  Joining joining;
  Forced forced;

  Priced(const char* machine, long face_bytes, PairKind pair)
      : load(two_ranks(face_bytes)),
        constants(Constants::named(machine)),
        joining([pair](int, int) { return pair; }) {}
  Costs costs(Begun begun) const { return {load, begun, constants, joining, forced}; }
  const SweepLoad& sweep() const { return load.steps[0].sweeps[0]; }
  const std::vector<FaceLoad>& faces() const { return sweep().faces; }
  Parts parts(Begun begun, bool beside) const {
    Parts parts;
    costs(begun).add_sweep(sweep(), beside, parts);
    return parts;
  }
};
constexpr const char *kGpu = "NVIDIA H200", *kHost = "host";

TEST(Costs, BetweenTwoSweepsAreThoseOfWhoBeginsThem) {
  const Priced gpu(kGpu, 65536, PairKind::node), host(kHost, 65536, PairKind::node);
  EXPECT_EQ(gpu.costs(Begun::by_host).gap(), gpu.constants.gap);
  EXPECT_EQ(gpu.costs(Begun::by_graph).gap(), gpu.constants.graph_node);
  EXPECT_EQ(gpu.costs(Begun::by_itself).gap(), gpu.constants.barrier);
  EXPECT_EQ(host.costs(Begun::by_host).gap(), 0); // threads are called, nothing is enqueued
  EXPECT_EQ(host.costs(Begun::by_itself).gap(), host.constants.barrier);
}

TEST(Costs, OfAFaceAreThoseOfTheCheapestChannel) {
  for (const PairKind pair : {PairKind::node, PairKind::far})
    for (const long bytes : {64L, 65536L, 64L << 20}) {
      const Priced p(kHost, bytes, pair);
      double least = std::numeric_limits<double>::infinity();
      for (const ChannelKind channel : {ChannelKind::peer, ChannelKind::mpi})
        for (const PeerMode mode : {PeerMode::stores, PeerMode::pack, PeerMode::copy2d})
          least = std::min(
              least, p.constants.tuning.cost(channel, FaceShape::block, 4096, pair, mode).seconds(bytes));
      const ExchangeSeconds found = p.costs(Begun::by_host).exchange(p.faces());
      EXPECT_DOUBLE_EQ(found.total(), least) << bytes << " bytes, " << to_string(pair);
    }
}

TEST(Costs, OfAForcedChannelAreItsOwnAlsoWhereAnotherIsCheaper) {
  Priced p(kGpu, 1 << 20, PairKind::node);
  EXPECT_FALSE(p.costs(Begun::by_host).by(ChannelKind::mpi));
  const double free = p.costs(Begun::by_host).exchange(p.faces()).total();
  p.forced.channel = ChannelKind::mpi;
  const Costs forced = p.costs(Begun::by_host);
  EXPECT_TRUE(forced.by(ChannelKind::mpi));
  EXPECT_FALSE(forced.by(ChannelKind::peer) || forced.by(ChannelKind::self));
  EXPECT_GT(forced.exchange(p.faces()).total(), free);
}

TEST(Costs, OfFacesOfOneChannelAddUpAndTheirLatencyIsPaidOnce) {
  const Priced p(kHost, 1 << 20, PairKind::node);
  const FaceLoad& face = p.faces()[0];
  const Costs costs = p.costs(Begun::by_host);
  const ExchangeSeconds one = costs.exchange({face}), two = costs.exchange({face, face});
  EXPECT_DOUBLE_EQ(two.latency, one.latency);
  EXPECT_DOUBLE_EQ(two.bandwidth, 2 * one.bandwidth);
  // A face to oneself is a copy, and no exchange with others.
  EXPECT_DOUBLE_EQ(costs.exchange(p.faces()).total(), one.total());
  EXPECT_GT(costs.wrapped(p.faces()).bandwidth, 0);
  EXPECT_EQ(costs.wrapped({face}).total(), 0);
  EXPECT_TRUE(costs.remote());
  EXPECT_EQ(costs.calls_of({}), 0);
  EXPECT_GT(costs.calls_of(p.faces()), costs.calls_of({p.faces()[1]}));
}

TEST(Costs, OfAnExchangeBesideTheInteriorAreWhatIsLongerThanIt) {
  // A short message is hidden; of a long one stays what takes longer than nine tenths of the sweep.
  for (const long bytes : {4096L, 256L << 20}) {
    const Priced p(kGpu, bytes, PairKind::node);
    const Costs costs = p.costs(Begun::by_graph);
    const Parts before = p.parts(Begun::by_graph, false), beside = p.parts(Begun::by_graph, true);
    const double interior = .9 * before[Part::compute], all = costs.exchange(p.faces()).total();
    const double wrapped = costs.wrapped(p.faces()).bandwidth;
    EXPECT_DOUBLE_EQ(before[Part::bandwidth] - wrapped, costs.exchange(p.faces()).bandwidth);
    EXPECT_NEAR(beside[Part::compute], before[Part::compute], 1e-9 * before[Part::compute]);
    if (all < interior)
      EXPECT_DOUBLE_EQ(beside[Part::bandwidth], wrapped);
    else
      EXPECT_NEAR((beside[Part::bandwidth] - wrapped) / (before[Part::bandwidth] - wrapped),
                  1 - interior / all, 1e-9);
    EXPECT_EQ(all < interior, bytes == 4096);
  }
  // On the host the cores that compute also copy: bytes cost what they cost.
  const Priced host(kHost, 1 << 20, PairKind::far);
  EXPECT_DOUBLE_EQ(host.parts(Begun::by_host, true)[Part::bandwidth],
                   host.parts(Begun::by_host, false)[Part::bandwidth]);
}

TEST(Costs, OfAnAnswerGrowWithTheLogarithmOfTheRanks) {
  Priced p(kHost, 65536, PairKind::node);
  const auto answer = [&](int ranks) {
    p.load.cut.ranks[0] = ranks;
    return p.costs(Begun::by_host).answer();
  };
  EXPECT_DOUBLE_EQ(answer(1), p.constants.synchronize);
  for (const int rounds : {1, 3, 10})
    EXPECT_DOUBLE_EQ(answer(1 << rounds), p.constants.synchronize + rounds * p.constants.collective);
  EXPECT_DOUBLE_EQ(answer(5), answer(8));
}

} // namespace
} // namespace tasuki
