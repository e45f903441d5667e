// Cut, mapping, links, routes and the model's load of some ranks among a hundred thousand and a million, in 2 GiB of
// memory: what grows with the pairs of ranks would need terabytes. No rank but this one exists.
#include <tasuki/field/exchange_cost.hpp>
#include <tasuki/field/mapping.hpp>
#include <tasuki/model/workload.hpp>
#include <tasuki/route/links.hpp>
#include <tasuki/route/route.hpp>

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <numeric>

namespace tasuki {
namespace {

constexpr rlim_t kMemory = rlim_t{2} << 30; // bytes

// Nodes of so many ranks, a host each.
Links nodes_of(int size, int ranks_a_node) {
  Places places;
  for (int r = 0; r < size; ++r) {
    places.host.push_back(r / ranks_a_node);
    places.node.push_back(r / ranks_a_node);
    places.node_rank.push_back(r % ranks_a_node);
  }
  return {std::move(places), [](int, int) { return true; }};
}

DecompositionRequest cube(long edge, int size) {
  DecompositionRequest r;
  r.dims = 3;
  r.extents = {edge, edge, edge};
  r.periodic = {true, true, true};
  r.halo.fill(Width(1));
  r.size = size;
  return r;
}

// Seven points of u into v and back.
Description seven_points(long edge) {
  Description d;
  d.dims = 3;
  d.extents = {edge, edge, edge};
  d.periodic = {true, true, true};
  for (int a = 0; a < 3; ++a) d.halo[a] = Width(1);
  d.fields = {{"u", {8, 1}, nullptr}, {"v", {8, 1}, nullptr}};
  const Use read{.kind = Access::Kind::read, .field = 0, .reach = {d.halo, 1}};
  d.items = {{DescribedSweep{.name = "Relax",
                             .uses = {read, {.kind = Access::Kind::write, .field = 1, .reach = {}}}}},
             {DescribedSwap{0, 1}}};
  return d;
}

class RanksByNumber : public testing::TestWithParam<int> {};

TEST_P(RanksByNumber, AreCutMappedAndRoutedInLittleMemory) {
  const int size = GetParam(), a_node = 8;
  const Tuning constants = Tuning::built_in(DeviceKind::cuda);
  const Links links = nodes_of(size, a_node);
  EXPECT_FALSE(links.alike());
  EXPECT_EQ(links.ranks_a_node(), a_node);

  Decomposition cut = decompose(cube(16000, size), exchange_cost(constants, true, a_node));
  EXPECT_EQ(cut.size(), size);

  // Each candidate looks at every face once: at most 6 orders of the axes and 10 bricks of 8 blocks, 6 faces a block.
  LinkKinds kinds = link_kinds(links, constants);
  long looks = 0;
  const auto kind = kinds.kind;
  kinds.kind = [&](int a, int b) {
    ++looks;
    return kind(a, b);
  };
  const Mapping best = best_mapping(cut, cube(1, 1).halo, kinds),
                naive = naive_mapping(cut, cube(1, 1).halo, kinds);
  EXPECT_LE(looks, 18L * 6 * size);
  EXPECT_LE(best.seconds, naive.seconds);
  cut.map(best.rank_of_block);

  const Router router(links, constants, 3, {"", true, false});
  for (const int rank : {0, 1, size / 3, size - 1}) {
    const Box block = cut.block(rank);
    std::vector<SentFace> faces;
    for (int a = 0; a < 3; ++a)
      for (const int side : {-1, 1}) {
        SentFace face;
        face.direction[a] = side;
        face.to = cut.neighbour(rank, face.direction);
        ASSERT_GE(face.to, 0);
        const long bytes = 8 * block.cells() / block.extent(a);
        face.parts = {{a == 0 ? FaceShape::stride : FaceShape::block_stride, a == 0 ? 8 : 8 * block.extent(0),
                       bytes, 1}};
        faces.push_back(face);
      }
    const std::vector<Route> routes = router.routes(rank, faces);
    for (std::size_t f = 0; f < faces.size(); ++f)
      EXPECT_EQ(routes[f].channel,
                faces[f].to / a_node == rank / a_node ? ChannelKind::peer : ChannelKind::mpi);

    // The model's load of this rank: its block and six messages, as any rank of a few has them.
    const Workload load = workload_of(rank, seven_points(16000), cut);
    EXPECT_EQ(load.cells(), static_cast<double>(block.cells()));
    EXPECT_EQ(load.messages(), 6);
    double sent = 0;
    for (int a = 0; a < 3; ++a) sent += 2 * 8 * static_cast<double>(block.cells() / block.extent(a));
    EXPECT_EQ(load.sent(false), sent);
    EXPECT_LE(load.steps.size(), 4u); // u and v take turns: no more steps are looked at for more ranks
  }
}

TEST_P(RanksByNumber, OfOneHostEachAreAlike) { EXPECT_TRUE(nodes_of(GetParam(), 1).alike()); }

INSTANTIATE_TEST_SUITE_P(, RanksByNumber, testing::Values(100000, 1000000));

// A cube of 16 a side: within one node's constants x is cut least; where messages leave the node, bytes count.
TEST(ManyRanks, AreCutByWhatJoinsThem) {
  const Tuning constants = Tuning::built_in(DeviceKind::cuda);
  const auto bytes = [](const Decomposition& cut) {
    double sum = 0;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        if (a < b)
          sum += static_cast<double>(cut.block(0).extent(a)) * static_cast<double>(cut.block(0).extent(b));
    return sum;
  };
  const Decomposition one = decompose(cube(2048, 4096), exchange_cost(constants, true, 0)),
                      nodes = decompose(cube(2048, 4096), exchange_cost(constants, true, 8));
  EXPECT_LE(bytes(nodes), 1.1 * 3 * 128 * 128);
  EXPECT_GT(bytes(one), bytes(nodes));
}

// 8 x 32 x 64 blocks on nodes of eight: bricks of 2 x 2 x 2 leave half of the faces off the node, rows two thirds and more.
TEST(ManyRanks, OfANodeTakeABrickOfBlocks) {
  const Links links = nodes_of(8 * 32 * 64, 8);
  DecompositionRequest request = cube(2048, 8 * 32 * 64);
  request.extents = {512, 2048, 4096};
  request.ranks = {8, 32, 64};
  Decomposition cut = decompose(request, exchange_cost_cuda());
  const Tuning constants = Tuning::built_in(DeviceKind::cuda);
  const Mapping best = best_mapping(cut, request.halo, link_kinds(links, constants));
  std::vector<int> sorted = best.rank_of_block, all(sorted.size());
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
  cut.map(best.rank_of_block);
  long off = 0, faces = 0;
  for (int rank = 0; rank < cut.size(); ++rank)
    for (int a = 0; a < 3; ++a) {
      std::array<int, kMaxDims> d{};
      d[a] = 1;
      ++faces;
      off += links.pair(rank, cut.neighbour(rank, d)) == PairKind::far;
    }
  EXPECT_EQ(2 * off, faces);
}

} // namespace
} // namespace tasuki

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const rlimit limit{tasuki::kMemory, tasuki::kMemory};
  if (setrlimit(RLIMIT_AS, &limit) != 0) {
    std::perror("the memory cannot be limited");
    return 1;
  }
  return RUN_ALL_TESTS();
}
