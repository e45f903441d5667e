// Fields over the devices of a node: kernels read them anywhere, with the bits of the host.
#include <tasuki/run/run.hpp>
#include <tasuki/space/field.hpp>
#include <tests/checks.hpp>
#include <tests/space/spaces.hpp>

#include <array>
#include <vector>

namespace tasuki::test {
namespace {

auto by(const char* device, const char* executor) {
  return [=](Settings& s) {
    if (*device) s.device = device; // else the one that the tests are run with
    s.executor = executor;
    s.halo = 0;
    s.ranks.clear();
  };
}

struct Begin {
  TS_CELL void operator()(auto c, auto u, auto v, auto w) const {
    long at = 1;
    for (int a = 0; a < c.dims; ++a) at = (31 * at + c[a]) % 1009;
    u(c) = static_cast<float>(at) / 64;
    v(c) = static_cast<float>(at % 17);
    for (int k = 0; k < 3; ++k) w[k](c) = static_cast<float>(at - 100 * k);
  }
};

// Which cell a cell looks at: far along axes that go round, the mirrored one of others.
struct Far {
  std::array<long, 3> extents;
  std::array<bool, 3> round;
  long by;
  TS_CELL long along(int a, const auto& c) const {
    const auto axis = static_cast<std::size_t>(a);
    return round[axis] ? c[a] + by * (a + 1) - 3 * c[(a + 1) % c.dims] : extents[axis] - 1 - c[a];
  }
  TS_CELL auto at(const auto& c, const auto& field) const {
    if constexpr (std::decay_t<decltype(c)>::dims == 2)
      return field.at(along(0, c), along(1, c));
    else
      return field.at(along(0, c), along(1, c), along(2, c));
  }
};
struct Gather {
  Far far;
  TS_CELL void operator()(auto c, auto here, auto from, auto to) const {
    to(c) = 0.5f * far.at(c, from) + 0.25f * here(c);
  }
};
struct Spread {
  Far far;
  TS_CELL void operator()(auto c, auto from, auto w) const {
    for (int k = 0; k < 3; ++k) w[k](c) = 0.5f * w[k](c) - 0.125f * static_cast<float>(k) * far.at(c, from);
  }
};
struct Fold {
  Far far;
  TS_CELL void operator()(auto c, auto w, auto to) const {
    to(c) = to(c) + 0.25f * (far.at(c, w[2]) - far.at(c, w[0]));
  }
};
struct Smooth {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    if constexpr (decltype(c)::dims == 2)
      v(c) = 0.25f * (u(c, 1, 0) + u(c, -1, 0)) + 0.125f * (u(c, 0, 1) - u(c, 0, -1));
    else
      v(c) = 0.25f * (u(c, 1, 0, 0) + u(c, 0, -1, 0)) + 0.125f * (u(c, 0, 0, 1) - u(c, 0, 0, -1));
  }
};

// What a random program leaves in its fields. The same program for the same numbers from `random`.
template <int D>
std::vector<float> outcome(Space& space, const MemorySource& memory, Random random) {
  World& on = space.world();
  std::array<long, D> extents{};
  Far far{{}, {}, pick(random, -40, 40)};
  std::array<bool, kMaxDims> periodic{};
  for (int a = 0; a < D; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    extents[axis] = pick(random, 7, 24) + (a == D - 1 ? 8 * on.size() : 0);
    periodic[axis] = pick(random, 0, 1) == 1;
    far.extents[axis] = extents[axis];
    far.round[axis] = periodic[axis];
  }
  const Grid<D> grid(on, extents, {.halo = 1, .periodic = PerAxis<bool>(periodic)});
  Field<float> u(grid, "u", memory), v(grid, "v", memory);
  const Field<float[3]> w(grid, "w", memory);
  run(sweep(Begin{}, grid.all(), writes(u), writes(v), writes(w)));
  Items chosen;
  const auto add = [&](const auto& what) {
    const Items one = every(pick(random, 1, 3), what);
    chosen.insert(chosen.end(), one.begin(), one.end());
  };
  const long count = pick(random, 2, 6);
  for (long k = 0; k < count; ++k) {
    const bool turned = pick(random, 0, 1) == 1;
    const auto &from = turned ? v : u, &to = turned ? u : v;
    switch (pick(random, 0, 5)) {
      case 0: add(sweep(Gather{far}, grid.all(), reads(from), anywhere(from), writes(to))); break;
      case 1: add(sweep(Spread{far}, grid.all(), anywhere(from), updates(w))); break;
      case 2: add(sweep(Fold{far}, grid.all(), anywhere(w), updates(to))); break;
      case 3: add(sweep(Smooth{}, grid.inner(1), reads(from, star(1)), writes(to))); break;
      case 4: add(swap(u, v)); break;
      default:
        add(call([u = Field<float>(to)](long step) mutable {
          std::vector<float> values = u.to_host();
          for (float& value : values) value = 0.5f * value + static_cast<float>(step);
          u.from_host(values);
        }));
    }
  }
  add(sweep(Spread{far}, grid.all(), anywhere(u), updates(w)));
  run(Program(chosen), {.times = 12});
  const auto same = program(sweep(Spread{far}, grid.all(), anywhere(v), updates(w)));
  run(same, {.times = 40}); // of what does not change: graphs
  std::vector<float> all;
  for (const auto& part : {u.gather(), v.gather(), w.gather()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

// As one node, and as several, which have copies of each other's parts.
TEST(DeviceFields, AreReadAnywhereWithTheBitsOfTheHost) {
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(seed()));
  std::vector<const char*> executors = {"eager", "overlapped", "auto"};
  executors.push_back(device().cuda() ? "graph" : "resident");
  std::vector<int> shapes = {1};
  if (world().size() > 1) shapes.push_back(2);
  if (world().size() > 2) shapes.push_back(world().size());
  one_space(1, "auto", by("host", "eager"), [&](Space& there, const std::string&) {
    for (const char* executor : executors)
      for (const int nodes : shapes) {
        if (nodes > 1 && executor == std::string("graph")) continue; // its exchanges go without the host
        const auto beside = [&](Settings& s) {
          by("", executor)(s);
          s.space_at += std::size_t{1} << 40; // of the other space
        };
        one_space(nodes, "auto", beside, [&](Space& here, const std::string& shape) {
          for (std::uint64_t round = 0; round < (nodes == 1 ? 6 : 2); ++round) {
            SCOPED_TRACE(shape + ", " + executor + ", round " + std::to_string(round));
            const auto of = [&](Space& space, const MemorySource& memory) {
              return round % 2 ? outcome<3>(space, memory, random(round))
                               : outcome<2>(space, memory, random(round));
            };
            const std::vector<float> expected = of(there, there), is = of(here, here.memory(Memory::device));
            ASSERT_FALSE(any_rank(!same_bits(is, expected)));
          }
        });
      }
  });
}

TEST(DeviceFields, LieOverTheDevices) {
  one_space(1, "auto", by("", "eager"), [](Space& space, const std::string&) {
    World& on = space.world();
    const bool cuda = on.part<Device>().cuda();
    const Grid<2> grid(on, {37, 8L * on.size()}, {.halo = 1});
    const Field<double> u(grid, "u", space), v(grid, "v", space.memory(Memory::device));
    for (const auto& field : {u, v}) {
      EXPECT_TRUE(space.has(field.data()) && field.core()->reached());
      EXPECT_EQ(space.on_gpus(field.data()), cuda);
      EXPECT_EQ(space.find(field.core()->origin()).name, field.name());
      const std::string fault = refusal([&] { Anywhere<double, 2>(space, field); });
      const std::string expected =
          "field '" + field.name() +
          "' lies over GPUs, and processors reach none of its cells; read it in a sweep "
          "with anywhere(" +
          field.name() + "), or gather() it";
      EXPECT_EQ(fault, cuda ? expected : "");
    }
    EXPECT_EQ(space.owner(v.core()->origin()), on.rank());
    // The same address on every rank.
    const auto address = reinterpret_cast<std::uint64_t>(v.core()->anywhere(0));
    EXPECT_EQ(of_root(on, address), address);
    if (on.part<Device>().cuda()) {
      const Grid<2> beside(on, {37, 8L * on.size()}, {.device = &Device::host(on)});
      EXPECT_EQ(refusal([&] { Field<double>(beside, "w", space.memory(Memory::device)); }),
                "field 'w' is to lie over GPUs, and its grid on the host; leave Memory::device out, or give "
                "the grid "
                "the world's device");
    }
  });
}

TEST(DeviceFields, GoToAndFromArraysOverDevices) {
  one_space(1, "auto", by("", "eager"), [](Space& space, const std::string&) {
    World& on = space.world();
    const std::vector<long> shape = {4L * on.size() + 1, 700};
    const auto map = space.bands(shape, sizeof(int));
    const auto a = space.array<int>(shape, map, "a", Memory::device),
               b = space.array<int>(shape, map, "b", Memory::device);
    std::vector<int> values(a.size());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<int>(3 * k + 1);
    if (on.rank() == 0) space.copy(a.data(), values.data(), values.size() * sizeof(int));
    space.sync();
    const Grid<2> bands = space.grid<2>(a, {.halo = 1});
    const Grid<2> otherwise(on, {shape[1], shape[0]}, {.halo = 0, .ranks = {on.size(), 1}});
    const Field<int> u(bands, "u"), v(otherwise, "v", space);
    copy(a, u);
    const std::vector<int> us = u.gather();
    copy(a, v);
    const std::vector<int> vs = v.gather();
    if (on.rank() == 0) {
      EXPECT_TRUE(same_bits(us, values));
      EXPECT_TRUE(same_bits(vs, values));
    }
    copy(v, b);
    space.sync();
    std::vector<int> back(b.size());
    space.copy(back.data(), b.data(), back.size() * sizeof(int));
    EXPECT_TRUE(same_bits(back, values));
    if (on.part<Device>().cuda()) {
      const Grid<2> beside(on, {shape[1], shape[0]}, {.device = &Device::host(on)});
      const Field<int> w(beside, "w");
      EXPECT_NE(refusal([&] { copy(a, w); }).find("array 'a' lies over GPUs, and field 'w' on the host"),
                std::string::npos);
    }
    space.sync();
  });
}

TEST(DeviceFields, OfSeveralNodesAreReadBySweepsAlone) {
  if (world().size() == 1) GTEST_SKIP() << "one rank is one node";
  one_space(2, "auto", by("", "eager"), [](Space& space, const std::string&) {
    const Grid<2> grid(space.world(), {37, 8L * space.world().size()}, {.halo = 1});
    const Field<double> u(grid, "u", space.memory(Memory::device));
    EXPECT_EQ(
        refusal([&] { Anywhere<double, 2>(space, u); }),
        "field 'u' lies over devices of several nodes, where copies are read alone; read it in a sweep with "
        "anywhere(u), or gather() it");
  });
}

} // namespace
} // namespace tasuki::test
