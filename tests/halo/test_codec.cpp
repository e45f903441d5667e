// Halos that hold sums of components: every halo cell against its owner's, by every channel, and what no term names
// left alone.
#include <tasuki/halo/exchange.hpp>
#include <tasuki/program/program.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace tasuki {
namespace {

using test::pick;
using test::Random;

constexpr long kUntouched = -77;

std::shared_ptr<const Codec> random_codec(Random& random, int dims, int components) {
  auto codec = std::make_shared<Codec>();
  for (int a = 0; a < dims; ++a)
    for (auto& terms : codec->terms[a])
      for (int to = 0; to < components; ++to) {
        if (pick(random, 0, 3) == 0) continue; // nobody's
        WireTerm term{to, static_cast<int>(pick(random, 0, components - 1))};
        term.sign = static_cast<int>(pick(random, -1, 1));
        if (term.sign) term.with = static_cast<int>(pick(random, 0, components - 1));
        terms.push_back(term);
      }
  return codec;
}

template <class T, int kComponents>
void exchange_once(World& world, Random& random, int number) {
  constexpr int D = 3;
  std::array<long, D> extents{};
  for (long& n : extents) n = pick(random, world.size(), 9 + world.size());
  Grid<D> grid(world, extents, {.halo = 1, .periodic = {true, number % 2 == 0, true}});
  const auto codec = random_codec(random, D, kComponents);
  Field<T[kComponents]> field(grid, "coded", codec);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()) + ", layout " + std::to_string(number));
  const GridCore& core = *grid.core();
  const Layout& layout = core.layout();
  const Box owned = box_of(D, layout.extents);
  const auto value = [&](const Index& g, int k) { // small whole numbers: sums are exact in every type
    return static_cast<T>((g[0] * 7 + g[1] * 31 + g[2] * 101 + k * 13) % 97);
  };
  const auto global = [&](Index local) {
    for (int a = 0; a < D; ++a) local[a] += core.owned().lo[a];
    return local;
  };
  const Box whole =
      grow(owned, layout.halo); // in memory from its first cell's first component to its last one's last
  Index last{};
  for (int a = 0; a < D; ++a) last[a] = whole.hi[a] - 1;
  const long start = field.core()->place(layout, whole.lo, 0);
  const long end = field.core()->place(layout, last, kComponents - 1) + 1;
  std::vector<T> memory(static_cast<std::size_t>(end - start), static_cast<T>(kUntouched));
  const auto visit = [&](const Box& box, const auto& each) {
    for (long z = box.lo[2]; z < box.hi[2]; ++z)
      for (long y = box.lo[1]; y < box.hi[1]; ++y)
        for (long x = box.lo[0]; x < box.hi[0]; ++x) each(Index{x, y, z});
  };
  const auto at = [&](const Index& local, int k) {
    return static_cast<std::size_t>(field.core()->place(layout, local, k) - start);
  };
  for (int k = 0; k < kComponents; ++k)
    visit(owned, [&](const Index& local) { memory[at(local, k)] = value(global(local), k); });
  std::vector<T> expected = memory, got(memory.size());
  visit(whole, [&](const Index& local) {
    int axes = 0, axis = 0;
    Index owner = global(local);
    bool there = true;
    for (int a = 0; a < D; ++a) {
      const bool outside = local[a] < 0 || local[a] >= owned.hi[a];
      axes += outside;
      if (outside) axis = a;
      if (core.periodic(a)) owner[a] = (owner[a] + extents[a]) % extents[a];
      there = there && owner[a] >= 0 && owner[a] < extents[a];
    }
    if (axes != 1 || !there) return;
    for (const WireTerm& term : codec->terms[axis][local[axis] < 0 ? 0 : 1]) {
      const T from = value(owner, term.from), with = term.sign ? value(owner, term.with) : T(0);
      expected[at(local, term.to)] = static_cast<T>(from + static_cast<T>(term.sign) * with);
    }
  });
  copy_to_device(core.device(), field.data() + start, memory.data(), memory.size() * sizeof(T));
  Exchange exchange({{field.core(), {core.halo(), 1}}});
  Stream& stream = core.device().stream();
  exchange.start(stream);
  exchange.wrap(stream);
  exchange.finish(stream);
  stream.synchronize();
  copy_to_host(core.device(), got.data(), field.data() + start, got.size() * sizeof(T));
  EXPECT_TRUE(got == expected) << to_string(core.owned());
}

class Codecs : public testing::TestWithParam<std::string> {};

TEST_P(Codecs, HalosHoldTheSums) {
  if (test::world().nodes() > 1 && GetParam().find("peer") != std::string::npos)
    GTEST_SKIP() << "peer cannot join nodes";
  const auto world = test::world_with([&](Settings& s) {
    s.channel = GetParam();
    s.halo = 0;
    s.ranks.clear();
  });
  Random random = test::random(7);
  for (int number = 0; number < 6 && !test::any_rank(HasFailure()); ++number) {
    exchange_once<float, 5>(*world, random, number);
    exchange_once<double, kMostPlanes + 4>(*world, random, number); // row by row
    exchange_once<std::int16_t, kMostPlanes + 1>(*world, random, number);
    exchange_once<double, kMostPlanes>(*world, random, number);
  }
}

INSTANTIATE_TEST_SUITE_P(Exchange, Codecs,
                         testing::Values("", "peer", "mpi", "peer:pack", "peer:copy2d",
                                         "x=mpi,y=peer,z=peer:pack"),
                         [](const auto& info) { return "way" + std::to_string(info.index); });

struct Spread {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    for (int k = 0; k < 2; ++k) v[k](c) = u[k](c, -1, 0) + u[k](c, 1, 0);
  }
};

std::string refusal(const std::function<void()>& what) {
  try {
    what();
  } catch (const Error& fault) {
    return fault.what();
  }
  return "";
}

TEST(Codec, IsRefusedWhereItCannotBe) {
  if (test::world().settings().halo) GTEST_SKIP() << "the grid is changed by the settings";
  Grid<2> grid(test::world(), {32, 32}, {.halo = 2, .periodic = true});
  auto codec = std::make_shared<Codec>();
  codec->terms[0][0] = {{0, 0, 1, 1}};
  Field<float[2]> u(grid, "u", codec), v(grid, "v"), w(grid, "w", codec);
  EXPECT_NE(
      refusal([&] { program(sweep(Spread{}, grid.all(), reads(u, box(1)), writes(v))); }).find("has a codec"),
      std::string::npos);
  EXPECT_NE(refusal([&] {
              program(sweep(Spread{}, grid.all(), reads(u, star(2)), writes(v)));
            }).find("has a codec"),
            std::string::npos);
  EXPECT_NE(refusal([&] { u.core()->swap(*v.core()); }).find("codec"), std::string::npos);
  EXPECT_EQ(refusal([&] { u.core()->swap(*w.core()); }), "");
  auto wrong = std::make_shared<Codec>();
  wrong->terms[1][1] = {{0, 2}};
  EXPECT_NE(refusal([&] { Field<float[2]>(grid, "x", wrong); }).find("names a component"), std::string::npos);
  EXPECT_NE(refusal([&] { Field<std::complex<float>[2]>(grid, "x", codec); }).find("cannot be added"),
            std::string::npos);
}

} // namespace
} // namespace tasuki
