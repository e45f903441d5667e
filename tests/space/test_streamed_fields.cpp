// Fields of a space that do not fit into a device: they lie in the range, go through the device slab by slab with the bits of
// fields that fit, and every rank still addresses every cell.
#include <tasuki/base/digest.hpp>
#include <tasuki/run/run.hpp>
#include <tasuki/space/field.hpp>
#include <tests/checks.hpp>
#include <tests/space/spaces.hpp>

#include <vector>

namespace tasuki::test {
namespace {

constexpr std::size_t kSmall = std::size_t{24} << 10; // of a device: less than a rank's part of one field
constexpr long kX = 32, kEach = 80;                   // doubles: rows of a rank

auto by(const char* executor, std::size_t memory, int steps = 1) {
  return [=](Settings& s) {
    s.executor = executor;
    s.device_memory = memory;
    s.steps_a_pass = steps;
    s.halo = 4;
    s.ranks.clear();
    s.channel = "";
  };
}

struct Begin {
  TS_CELL void operator()(auto c, auto u, auto v, auto k) const {
    const long at = 31 * c[0] + 17 * c[1];
    u(c) = static_cast<double>(at % 101) / 8;
    v(c) = static_cast<double>(at % 13);
    k(c) = 0.25 + static_cast<double>(at % 7) / 16;
  }
};
struct Mix {
  TS_CELL void operator()(auto c, auto k, auto from, auto to) const {
    to(c) = k(c) * (from(c, 1, 0) - from(c, -1, 0)) + 0.25 * (from(c, 0, 1) + from(c, 0, -1)) +
            0.5 * from(c, 1, -1);
  }
};
struct Into {
  TS_CELL void operator()(auto c, auto from, auto to) const { to(c) = 0.75 * from(c) + 0.125 * to(c); }
};

struct Mirror {
  TS_CELL void operator()(auto c, auto from, auto to) const { to(c) = from.at(kX - 1 - c[0], c[1]); }
};

struct Fields {
  Grid<2> grid;
  Field<double> u, v, k;
  Fields(World& on, bool periodic, const MemorySource& memory)
      : grid(on, {kX, kEach * on.size()}, {.halo = 1, .periodic = {true, periodic}}),
        u(grid, "u", memory),
        v(grid, "v", memory),
        k(grid, "k", memory) {
    run(sweep(Begin{}, grid.all(), writes(u), writes(v), writes(k)));
  }
  RunReport step(Random random, long times) {
    const auto inner = grid.core()->periodic(1) ? grid.all() : grid.inner({0, 1});
    Items items;
    const auto add = [&](long period, const auto& what) {
      const Items one = every(period, what);
      items.insert(items.end(), one.begin(), one.end());
    };
    const auto mix = sweep(Mix{}, inner, reads(k), reads(u, box(1)), writes(v));
    for (long count = pick(random, 1, 3); count > 0; --count) {
      if (pick(random, 0, 1)) add(pick(random, 1, 2), sweep(Into{}, grid.all(), reads(v), updates(u)));
      add(pick(random, 1, 2), mix);
      if (pick(random, 0, 1)) add(pick(random, 1, 2), swap(u, v));
    }
    add(1, mix);
    return run(Program(items), {.times = times});
  }
};

// All cells of u and v, by their addresses, on every rank.
std::vector<double> addressed(Space& space, const Fields& fields) {
  std::vector<double> all;
  for (const auto& field : {fields.u, fields.v}) {
    const Anywhere<double, 2> cells(space, field);
    cells.settle();
    for (long y = 0; y < kEach * space.world().size(); ++y)
      for (long x = 0; x < kX; ++x) all.push_back(cells.at(x, y));
  }
  space.sync(); // nobody writes what others still read
  return all;
}

std::vector<double> gathered(const Fields& fields) { // on rank 0
  std::vector<double> all = fields.u.gather();
  const std::vector<double> v = fields.v.gather();
  all.insert(all.end(), v.begin(), v.end());
  return all;
}

void expect_same(const std::vector<double>& everywhere, const std::vector<double>& on_root) {
  EXPECT_FALSE(any_rank(world().rank() == 0 && !same_bits(everywhere, on_root)));
  Digest digest;
  digest.bytes(everywhere.data(), everywhere.size() * sizeof(double));
  EXPECT_EQ(of_root(world(), digest.value()), digest.value()) << "another rank sees other cells";
}

// A cell of each rank is written by another one, by its address; then the field's halo is what it was no longer.
void write_from_afar(Space& space, Fields& fields) {
  const World& on = space.world();
  const Anywhere<double, 2> cells(space, fields.u);
  cells.settle();
  const Box there = fields.grid.core()->cut().block((on.rank() + 1) % on.size());
  cells.at(there.lo[0] + 1, there.lo[1] + 1) = 1000.0 + on.rank();
  cells.settle();
  fields.u.touched();
}
void write_at_home(Fields& fields) {
  const World& on = fields.grid.core()->world();
  std::vector<double> own = fields.u.to_host();
  const Box box = fields.grid.core()->owned();
  own[static_cast<std::size_t>(box.extent(0) + 1)] = 1000.0 + (on.rank() + on.size() - 1) % on.size();
  fields.u.from_host(own);
}

TEST(StreamedFields, HaveTheBitsOfOthersAndAddressesOnAllRanks) {
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(seed()));
  struct Way {
    const char* executor;
    std::size_t memory;
    int steps;
  };
  std::vector<int> shapes = {1};
  if (world().size() > 1) shapes.push_back(2);
  if (world().size() > 2) shapes.push_back(world().size());
  const auto plain = world_with(by("eager", 0));
  for (const Way& way : {Way{"streamed", kSmall, 3}, {"auto", kSmall, 4}})
    for (const int nodes : shapes)
      one_space(nodes, "auto", by(way.executor, way.memory, way.steps),
                [&](Space& space, const std::string& shape) {
                  for (std::uint64_t round = 0; round < 2; ++round) {
                    SCOPED_TRACE(shape + ", " + way.executor + ", steps a pass " + std::to_string(way.steps) +
                                 ", round " + std::to_string(round));
                    Fields due(*plain, round % 2 == 0, own_memory()),
                        is(space.world(), round % 2 == 0, space);
                    EXPECT_TRUE(is.u.core()->outside() && space.has(is.u.data()));
                    due.step(random(round), 7);
                    const RunReport report = is.step(random(round), 7);
                    EXPECT_EQ(report.executor, "streamed");
                    EXPECT_GT(report.streamed.brought, 0);
                    expect_same(addressed(space, is), gathered(due));
                    write_from_afar(space, is);
                    write_at_home(due);
                    is.step(random(round + 10), 4);
                    due.step(random(round + 10), 4);
                    expect_same(addressed(space, is), gathered(due));
                  }
                });
}

TEST(StreamedFields, GoToAndFromArrays) {
  one_space(world().size(), "auto", by("streamed", kSmall), [](Space& space, const std::string&) {
    World& on = space.world();
    const long rows = kEach * on.size();
    const auto map = space.bands({rows, kX}, sizeof(double));
    const auto a = space.array<double>({rows, kX}, map, "a"), b = space.array<double>({rows, kX}, map, "b");
    for (std::size_t k = 0; k < a.size(); ++k)
      if (space.owner(&a[k]) == on.rank()) a[k] = static_cast<double>(3 * k + 1);
    space.sync();
    const Grid<2> grid(on, {kX, rows}, {.halo = 1});
    const Field<double> u(grid, "u", space);
    EXPECT_TRUE(u.core()->outside());
    copy(a, u);
    copy(u, b);
    space.sync();
    for (std::size_t k = 0; k < b.size(); ++k) ASSERT_EQ(b[k], static_cast<double>(3 * k + 1)) << k;
    space.sync();
  });
}

// What fits stays where it is, and counts as what fields of their own memory do.
TEST(StreamedFields, AreThoseThatFindNoRoom) {
  const std::size_t room =
      device().cuda() ? std::size_t{12} << 20 : std::size_t{1} << 20; // in steps of 2 MiB there
  one_space(1, "auto", by("auto", room), [](Space& space, const std::string&) {
    const Grid<2> grid(space.world(), {64, 256L * space.world().size()}, {.halo = 1});
    std::vector<Field<double>> fields; // of some 150 KB a rank
    while (fields.size() < 20 && (fields.empty() || !fields.back().core()->outside()))
      fields.emplace_back(grid, "f" + std::to_string(fields.size()), space);
    EXPECT_GT(fields.size(), 3u);
    EXPECT_LT(fields.size(), 9u);
    EXPECT_TRUE(fields.front().core()->reached());
    EXPECT_FALSE(fields.back().core()->reached());
  });
  one_space(1, "auto", by("eager", kSmall), [](Space& space, const std::string&) {
    const Grid<2> grid(space.world(), {kX, kEach * space.world().size()}, {.halo = 1});
    const std::string fault = refusal([&] { Field<double>(grid, "much", space); });
    EXPECT_NE(fault.find("field 'much' of "), std::string::npos) << fault;
    EXPECT_NE(fault.find("take --executor auto or streamed"), std::string::npos) << fault;
  });
}

// Processors read such a field anywhere; a GPU reaches its own rank's part of it alone.
TEST(StreamedFields, AreReadAnywhereOnTheHostAlone) {
  one_space(1, "auto", by("auto", kSmall), [](Space& space, const std::string&) {
    const Fields fields(space.world(), true, space);
    const std::string fault =
        refusal([&] { sweep(Mirror{}, fields.grid.all(), anywhere(fields.u), writes(fields.v)); });
    const char* const expected =
        "sweep 'Mirror' reads field 'u' anywhere, and it lies in memory of the host, as a GPU has no room "
        "for it; take a smaller grid, more ranks, or a grid on Device::host(world)";
    EXPECT_EQ(fault, device().cuda() ? expected : "");
  });
}

} // namespace
} // namespace tasuki::test
