// Fields whose cells lie in a space do what others do, bit for bit, and go to and from arrays of the space.
#include <tasuki/field/copy_field.hpp>
#include <tasuki/file/checkpoint.hpp>
#include <tasuki/run/run.hpp>
#include <tasuki/space/field.hpp>
#include <tests/checks.hpp>
#include <tests/file/folder.hpp>
#include <tests/space/spaces.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace tasuki::test {
namespace {

struct Begin {
  TS_CELL void operator()(auto c, auto u, auto k) const {
    u(c) = static_cast<double>((c[0] * 7 + c[1] * 13) % 11) / 11.0;
    k(c) = 0.5 + static_cast<double>((c[0] + 3 * c[1]) % 5) / 10.0;
  }
};
struct Mix {
  TS_CELL void operator()(auto c, auto u, auto k, auto v, auto total) const {
    v(c) = 0.25 * k(c) * (u(c, 1, 0) + u(c, -1, 0) + u(c, 0, 1) * u(c, 0, -1)) + 0.125 * u(c, 1, -1) -
           0.0625 * u(c, -1, 1);
    total(c, v(c));
  }
};

struct Outcome {
  std::vector<double> u, v;
  double sum = 0;
};

// `make(grid, name)`: a field.
template <class Make>
Outcome mixed(World& world, const Make& make, int steps) {
  const Grid<2> grid(world, {37, 29}, {.halo = 1, .periodic = true});
  Field<double> u = make(grid, "u"), v = make(grid, "v"), k = make(grid, "k");
  Sum<double> total(world, "total");
  run(sweep(Begin{}, grid.all(), writes(u), writes(k)));
  const auto mix = sweep(Mix{}, grid.all(), reads(u, box(1)), reads(k), writes(v), reduces(total));
  run(program(mix, swap(u, v)), {.times = steps});
  return {u.gather(), v.gather(), total.value()};
}

TEST(FieldsInASpace, HaveTheBitsOfOthers) {
  std::vector<std::pair<int, const char*>> ways = {
      {1, ""}, {1, "peer"}, {1, "peer:pack"}, {1, "x=mpi,y=peer"}};
  if (world().size() > 1) ways.insert(ways.end(), {{2, ""}, {world().size(), "mpi"}});
  std::map<int, Outcome> plain; // by steps
  for (const auto& [nodes, channel] : ways)
    for (const char* executor : {"eager", "overlapped", "resident"}) {
      const auto change = [channel = channel, executor](Settings& s) {
        s.channel = channel;
        s.executor = executor;
        s.sums = "exact";
        s.device = "host";
        s.halo = 0;
        s.ranks.clear();
      };
      one_space(nodes, "auto", change, [&](Space& space, const std::string& shape) {
        SCOPED_TRACE(shape + " --executor " + executor + " --channel '" + channel + "'");
        const auto other = [](const auto& grid, const char* name) { return Field<double>(grid, name); };
        const auto here = [&](const auto& grid, const char* name) {
          const auto field = space.field<double>(grid, name);
          EXPECT_TRUE(space.has(field.data()) && field.core()->reached());
          return field;
        };
        for (const int steps : {1, 6}) {
          if (!plain.contains(steps)) plain[steps] = mixed(space.world(), other, steps);
          const Outcome is = mixed(space.world(), here, steps);
          EXPECT_TRUE(same_bits(is.u, plain[steps].u)) << steps << " steps";
          EXPECT_TRUE(same_bits(is.v, plain[steps].v)) << steps << " steps";
          EXPECT_EQ(is.sum, plain[steps].sum) << steps << " steps";
        }
      });
    }
}

void host_only(Settings& s) {
  s.device = "host";
  s.halo = 0;
  s.ranks.clear();
}

struct Ahead {
  TS_CELL void operator()(auto c, auto u, auto v) const { v(c) = u(c, 0, 1, 0); }
};

// To and from fields that are cut as the array is, and as it is not. `pages`: rows of x are whole pages of one owner.
void there_and_back(Space& space, const std::vector<long>& parts, bool pages) {
  World& world = space.world();
  const int ranks = world.size();
  const std::vector<long> shape = {2, 2L * ranks + (pages ? 1 : 0), 1024};
  const space::Map map(shape, parts, sizeof(int), 0, ranks);
  const auto a = space.array<int>(shape, map, "a"), back = space.array<int>(shape, map, "back");
  const Grid<3> same = space.grid<3>(a, {.halo = {1, 1, 0}, .periodic = {true, false, false}});
  for (int r = 0; r < ranks; ++r) {
    const Box block = same.cut().block(r);
    EXPECT_EQ(map.owner((block.lo[2] * shape[1] + block.lo[1]) * shape[2] + block.lo[0]), r);
  }
  EXPECT_EQ(same.core()->halo()[1], Width(1));
  EXPECT_TRUE(same.core()->periodic(0));
  const auto value = [](std::size_t k) { return static_cast<int>(3 * k + 1); };
  const auto fill = [&](const Global<int>& array, int times) {
    for (std::size_t k = 0; k < array.size(); ++k)
      if (space.owner(&array[k]) == world.rank()) array[k] = times * value(k);
    space.sync();
  };
  const auto check = [&](const Global<int>& array) {
    space.sync();
    for (std::size_t k = 0; k < array.size(); ++k) ASSERT_EQ(array[k], value(k)) << k;
    space.sync();
  };
  fill(a, 1);
  const std::uint64_t before = space.counts().bytes_in;
  {
    const auto u = space.field<int>(same, "u");
    const Field<int> other(same, "other");
    const auto ahead = sweep(Ahead{}, same.inner({0, 1, 0}), reads(u, star({0, 1, 0})), writes(other));
    run(ahead); // its halo is valid now
    copy(a, u);
    run(ahead);
    const std::vector<int> moved = other.gather();
    for (std::size_t k = 0; k < moved.size(); ++k) {
      const long row = static_cast<long>(k) / shape[2] % shape[1];
      if (row > 0 && row < shape[1] - 1) {
        ASSERT_EQ(moved[k], value(k + static_cast<std::size_t>(shape[2])));
      }
    }
    copy(u, other);
    copy(other, back);
  }
  if (pages || world.nodes() == 1) {
    EXPECT_EQ(space.counts().bytes_in, before) << "own parts need no message";
  }
  check(back);
  GridOptions along_x{.halo = 0};
  along_x.ranks = {ranks, 1, 1};
  const Grid<3> otherwise(world, {shape[2], shape[1], shape[0]}, along_x);
  const Field<int> w(otherwise, "w");
  fill(back, -1);
  copy(a, w);
  copy(w, back);
  check(back);
}

TEST(FieldsInASpace, GoToAndFromArrays) {
  const int ranks = world().size();
  each_space(
      [&](Space& space, const std::string&) {
        there_and_back(space, {1, ranks, 1}, true);
        if (ranks == 4) there_and_back(space, {1, 2, 2}, false);
      },
      host_only);
}

// Numbers of a cell are the slowest axis of an array.
TEST(FieldsInASpace, OfSeveralNumbersACellGoToArraysToo) {
  each_space(
      [&](Space& space, const std::string&) {
        const int ranks = space.world().size();
        const Grid<2> grid(space.world(), {12, 8L * ranks}, {.halo = 1});
        const std::vector<long> few = {3, 8L * ranks, 12}, many = {18, 8L * ranks, 12};
        const auto a = space.array<float>(few, {few, {1, ranks, 1}, 4, 0, ranks}, "a");
        const auto b = space.array<float>(many, {many, {1, ranks, 1}, 4, 0, ranks}, "b");
        if (space.world().rank() == 0)
          for (std::size_t k = 0; k < b.size(); ++k) {
            if (k < a.size()) a[k] = static_cast<float>(k);
            b[k] = static_cast<float>(2 * k);
          }
        space.sync();
        const auto u = space.field<float[3]>(grid, "u");
        const auto v = space.field<float[18]>(grid, "v");
        copy(a, u);
        copy(b, v);
        const std::vector<float> us = u.gather(), vs = v.gather();
        for (std::size_t k = 0; k < us.size(); ++k) ASSERT_EQ(us[k], static_cast<float>(k));
        for (std::size_t k = 0; k < vs.size(); ++k) ASSERT_EQ(vs[k], static_cast<float>(2 * k));
        space.sync();
      },
      host_only);
}

class FilesOfFieldsInASpace : public InFolder {};

TEST_F(FilesOfFieldsInASpace, AreCheckpointsLikeOthers) {
  one_space(std::min(2, world().size()), "auto", host_only, [&](Space& space, const std::string&) {
    const Grid<2> grid(space.world(), {24, 8L * space.world().size()});
    const auto u = space.field<double>(grid, "u"), back = space.field<double>(grid, "u");
    const Field<double> plain(grid, "u");
    std::vector<double> values(u.to_host().size());
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = static_cast<double>(k) + space.world().rank() / 8.0;
    Field<double>(u).from_host(values);
    const std::string path = at("u.h5");
    const std::string fault = refusal([&] { checkpoint(path, 7, u); });
    EXPECT_EQ(fault.empty(), !hdf5_version().empty()) << fault;
    if (!fault.empty()) return;
    EXPECT_EQ(restore(path, plain).step, 7);
    EXPECT_EQ(restore(path, back).step, 7);
    EXPECT_TRUE(same_bits(plain.to_host(), values));
    EXPECT_TRUE(same_bits(back.to_host(), values));
  });
}

TEST(FieldsInASpace, RefuseWhatDoesNotFit) {
  const int ranks = world().size();
  one_space(1, "auto", host_only, [&](Space& space, const std::string&) {
    const std::vector<long> shape = {8L * ranks, 5};
    const auto a = space.array<int>(shape, space.bands(shape, sizeof(int)), "a");
    const auto one = space.array<int>(shape, {shape, {1, 1}, sizeof(int), ranks - 1, 1}, "one");
    EXPECT_EQ(refusal([&] { space.grid<3>(a, {}); }),
              "array 'a' has 2 axes, and a grid of 3 is asked of it; ask for as many");
    EXPECT_EQ(refusal([&] {
                space.grid<2>(a, {.ranks = {1, ranks}});
              }),
              "a grid that is cut as array 'a' is was given ranks or blocks too; leave them out");
    if (ranks > 1) {
      EXPECT_NE(refusal([&] { space.grid<2>(one, {}); }).find("array 'one' is cut into 1 parts"),
                std::string::npos);
      EXPECT_NE(refusal([&] { space.grid<2>(a, {.halo = 9}); }).find("wider than the smallest block"),
                std::string::npos);
    }
    const Grid<2> grid(space.world(), {4, 8L * ranks});
    const Field<int> u(grid, "u");
    EXPECT_EQ(refusal([&] { copy(a, u); }),
              "array 'a' has " + std::to_string(8 * ranks) + " x 5 elements, and field 'u' is of one of " +
                  std::to_string(8 * ranks) +
                  " x 4; copy between the same cells, the slowest axis of an array first");
  });
}

} // namespace
} // namespace tasuki::test
