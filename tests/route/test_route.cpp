// Routes follow the constants, on both ranks of a face, and change nothing but the way.
#include <tasuki/halo/exchange.hpp>
#include <tests/route/tuning_file.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace tasuki {
namespace {

using test::made_up;
using test::made_up_line;

Line rows(ChannelKind channel, FaceShape shape, long row, double latency, double bandwidth,
          PeerMode mode = PeerMode::stores) {
  return {channel, mode, shape, row, PairKind::node, latency, bandwidth, 0, {}};
}

// A periodic grid of codes, exchanged and looked at in every halo cell; what the exchange of this rank looks like.
std::vector<Face> exchanged(World& world, const std::array<long, 3>& extents, const std::string& file = "") {
  const Grid<3> grid(world, extents, {.halo = 1, .periodic = true, .ranks = {world.size(), 1, 1}});
  Field<double> u(grid, "u");
  const GridCore& core = *grid.core();
  const Box owned = core.owned();
  const auto code = [&](long x, long y, long z) {
    const auto wrap = [](long i, long n) { return (i + n) % n; };
    return static_cast<double>(wrap(x, extents[0]) +
                               1000 * (wrap(y, extents[1]) + 1000 * wrap(z, extents[2])));
  };
  std::vector<double> memory;
  for (long z = owned.lo[2]; z < owned.hi[2]; ++z)
    for (long y = owned.lo[1]; y < owned.hi[1]; ++y)
      for (long x = owned.lo[0]; x < owned.hi[0]; ++x) memory.push_back(code(x, y, z));
  u.core()->write(memory.data());
  Exchange exchange({{u.core(), {core.halo(), 3}}});
  Stream& stream = core.device().stream();
  for (int round = 0; round < 3; ++round) {
    exchange.start(stream);
    exchange.wrap(stream);
    exchange.finish(stream);
  }
  stream.synchronize();
  const Layout& layout = core.layout();
  std::vector<double> got(static_cast<std::size_t>(layout.plane));
  copy_to_host(core.device(), got.data(), u.data() - layout.lead, got.size() * sizeof(double));
  long wrong = 0;
  for (long z = -1; z <= layout.extents[2]; ++z)
    for (long y = -1; y <= layout.extents[1]; ++y)
      for (long x = -1; x <= layout.extents[0]; ++x)
        wrong += got[static_cast<std::size_t>(layout.lead + layout.index({x, y, z}))] !=
                 code(x + owned.lo[0], y + owned.lo[1], z + owned.lo[2]);
  EXPECT_EQ(wrong, 0) << file;
  EXPECT_GT(exchange.predicted(), 0);
  return exchange.faces();
}

std::vector<Face> exchanged_with(const Tuning& constants, const std::array<long, 3>& extents) {
  const test::TuningFile file(constants.json());
  const auto world = test::world_with([&](Settings& s) {
    s.tuning = file.path();
    s.channel = "";
    s.halo = 0;
    s.ranks.clear();
  });
  return exchanged(*world, extents, constants.json().substr(0, 600));
}

bool joined_by_peer(int from, int to) { return test::device().part<Links>().peer(from, to); }

TEST(Route, FollowsTheConstants) {
  const std::array<long, 3> extents{24, 7, 5};
  const auto all = [&](const Tuning& constants, const Route& expected) {
    for (const Face& face : exchanged_with(constants, extents)) {
      if (face.to == face.from) {
        EXPECT_EQ(face.channel, ChannelKind::self);
        continue;
      }
      const bool near = joined_by_peer(face.from, face.to);
      EXPECT_EQ(face.channel, near ? expected.channel : ChannelKind::mpi);
      if (near) {
        EXPECT_EQ(face.mode, expected.mode);
      }
    }
  };
  const auto peer = made_up_line(ChannelKind::peer, PairKind::node, 1e-6, 1e10);
  const auto pack = made_up_line(ChannelKind::peer, PairKind::node, 1e-7, 1e11, PeerMode::pack);
  const auto slow_mpi = made_up_line(ChannelKind::mpi, PairKind::node, 1e-3, 1e3);
  const auto fast_mpi = made_up_line(ChannelKind::mpi, PairKind::node, 1e-8, 1e12);
  all(made_up({peer, slow_mpi}), {ChannelKind::peer, PeerMode::stores});
  all(made_up({peer, fast_mpi}), {ChannelKind::mpi, PeerMode::stores});
  all(made_up({peer, pack, slow_mpi}), {ChannelKind::peer, PeerMode::pack});
  all(made_up({pack, slow_mpi}), {ChannelKind::peer, PeerMode::pack});
}

TEST(Route, DependsOnShapeAndSize) {
  const World& world = test::world();
  if (world.size() < 2 || !joined_by_peer(0, 1)) GTEST_SKIP() << "needs two ranks of a node";
  const Tuning constants =
      made_up({rows(ChannelKind::peer, FaceShape::stride, 8, 1e-6, 1e8),
               rows(ChannelKind::peer, FaceShape::block, 0, 1e-6, 1e10),
               rows(ChannelKind::peer, FaceShape::block, 0, 1e-5, 1e11, PeerMode::pack),
               made_up_line(ChannelKind::mpi, PairKind::node, 1, 1),
               rows(ChannelKind::peer, FaceShape::stride, 8, 1e-5, 1e10, PeerMode::pack)});
  const test::TuningFile file(constants.json());
  const auto tuned = test::world_with([&](Settings& s) {
    s.channel = "";
    s.tuning = file.path();
  });
  const Router router(tuned->part<Device>(), 3);
  const auto mode = [&](FaceShape shape, long row, long bytes) {
    return router.routes(0, {{{1}, 1, {{shape, row, bytes, row ? 2 : 0}}}})[0].mode;
  };
  EXPECT_EQ(mode(FaceShape::block, 0, 1000), PeerMode::stores);   // 1.1 us against 10
  EXPECT_EQ(mode(FaceShape::block, 0, 10000000), PeerMode::pack); // 1 ms against 0.1
  EXPECT_EQ(mode(FaceShape::stride, 8, 800), PeerMode::stores);   // 9 us against 10.1
  EXPECT_EQ(mode(FaceShape::stride, 8, 1600), PeerMode::pack);    // 17 us against 10.2
}

// Both ranks of every face say the same, whoever is asked.
TEST(Route, IsTheSameOnEveryRank) {
  World& world = test::world();
  auto random = test::random(3);
  std::uniform_real_distribution<double> exponent(-7, -4), rate(8, 11);
  for (int trial = 0; trial < 10; ++trial) {
    std::vector<Line> lines;
    for (const ChannelKind channel : {ChannelKind::peer, ChannelKind::mpi})
      for (const PeerMode mode : {PeerMode::stores, PeerMode::pack, PeerMode::copy2d})
        for (const long row : {8L, 0L})
          if (channel == ChannelKind::peer || mode == PeerMode::stores)
            lines.push_back(rows(channel, row ? FaceShape::stride : FaceShape::block, row,
                                 std::pow(10, exponent(random)), std::pow(10, rate(random)), mode));
    const Tuning constants = made_up(lines);
    exchanged_with(constants, {3 * world.size() + test::pick(random, 0, 20), test::pick(random, 1, 30),
                               test::pick(random, 1, 30)});
    const test::TuningFile file(constants.json());
    const auto tuned = test::world_with([&](Settings& s) { s.tuning = file.path(); });
    const Router router(tuned->part<Device>(), 3);
    std::vector<int> routes;
    for (int from = 0; from < world.size(); ++from) {
      std::vector<SentFace> faces;
      for (int k = 0; k < 20; ++k)
        faces.push_back({{k % 3 - 1, 1},
                         static_cast<int>(test::pick(random, 0, world.size() - 1)),
                         {{FaceShape::stride, 8, 8 * test::pick(random, 1, 1 << 20), 2}}});
      if (world.settings().channel.empty())
        for (const Route& r : router.routes(from, faces))
          routes.push_back(static_cast<int>(r.channel) * 10 + static_cast<int>(r.mode));
    }
    std::vector<int> theirs = routes;
    MPI_Bcast(theirs.data(), static_cast<int>(theirs.size()), MPI_INT, 0, world.comm());
    EXPECT_EQ(routes, theirs);
  }
}

TEST(Route, ChannelsAreBalancedOnAGpu) {
  World& world = test::world();
  if (world.size() < 3 || !joined_by_peer(0, 1) || !joined_by_peer(0, 2))
    GTEST_SKIP() << "needs three ranks of a node";
  const test::TuningFile file(made_up({made_up_line(ChannelKind::peer, PairKind::node, 1e-6, 1e10),
                                       made_up_line(ChannelKind::mpi, PairKind::node, 1e-6, 0.9e10)})
                                  .json());
  const auto tuned = test::world_with([&](Settings& s) {
    s.tuning = file.path();
    s.channel = "";
  });
  const Router router(tuned->part<Device>(), 2);
  const std::vector<SentFace> faces = {{{-1}, 1, {{FaceShape::block, 0, 1 << 20, 0}}},
                                       {{1}, 2, {{FaceShape::block, 0, 1 << 20, 0}}}};
  const std::vector<Route> routes = router.routes(0, faces);
  EXPECT_EQ(std::count(routes.begin(), routes.end(), Route{ChannelKind::mpi, PeerMode::stores}),
            test::device().cuda() ? 1 : 0); // the host does one after the other
}

TEST(Route, GoesPackedWhereNobodyCanStore) {
  const Links links({{0, 0, 0}, {0, 0, 1}, {0, 1, 0}},
                    [](int, int) { return true; }); // two of a node, one beside
  const std::vector<SentFace> faces = {{{1}, 1, {{FaceShape::block, 0, 1 << 20, 0}}, false},
                                       {{-1}, 2, {{FaceShape::block, 0, 1 << 20, 0}}, false}};
  const auto taken = [&](const Tuning& constants, const Router::Wish& wish) {
    return Router(links, constants, 1, wish).routes(0, faces);
  };
  const auto peer = made_up_line(ChannelKind::peer, PairKind::node, 1e-6, 1e10);
  const auto pack = made_up_line(ChannelKind::peer, PairKind::node, 1e-2, 1e4, PeerMode::pack);
  const auto near = made_up_line(ChannelKind::mpi, PairKind::node, 1e-5, 1e9);
  const auto far = made_up_line(ChannelKind::mpi, PairKind::subcluster, 1e-5, 1e9);
  const Route packed{ChannelKind::peer, PeerMode::pack}, message{ChannelKind::mpi, PeerMode::stores};
  EXPECT_EQ(taken(made_up({peer, near, far}), {})[0], packed); // nobody measured it: as stores
  EXPECT_EQ(taken(made_up({peer, pack, near, far}), {})[0], message);
  EXPECT_EQ(taken(made_up({peer, pack, near, far}), {"x+=peer", false, false})[0], packed);
  EXPECT_EQ(taken(made_up({peer, pack, near, far}), {"", true, true})[0], packed); // a graph has no messages
  EXPECT_EQ(taken(made_up({peer, near, far}), {})[1], message);
  EXPECT_THROW(taken(made_up({peer, near, far}), {"x+=peer:stores", false, false}), Error);
}

TEST(Route, ThePeerModeCanBeForced) {
  const auto refused = [](const std::string& spec) -> std::string {
    const auto world = test::world_with([&](Settings& s) { s.channel = spec; });
    try {
      Router(world->part<Device>(), 3);
    } catch (const Error& fault) {
      return fault.what();
    }
    return "";
  };
  EXPECT_NE(refused("peer:pigeon").find("there is no mode of peer 'pigeon'; write"), std::string::npos);
  EXPECT_NE(refused("mpi:pack").find("only peer has modes, not 'mpi:pack'"), std::string::npos);
  if (test::world().nodes() > 1) return;
  for (const PeerMode mode : {PeerMode::stores, PeerMode::pack, PeerMode::copy2d}) {
    const auto world = test::world_with([&](Settings& s) {
      s.channel = std::string("x=peer:") + to_string(mode);
      s.halo = 0;
      s.ranks.clear();
    });
    for (const Face& face : exchanged(*world, {24, 7, 5}))
      if (face.direction[0] != 0 && face.to != face.from) {
        EXPECT_EQ(face.mode, mode);
      }
  }
}

} // namespace
} // namespace tasuki
