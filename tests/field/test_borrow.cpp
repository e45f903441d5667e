// Fields on a user's own memory do what fields of their own do, bit for bit: on every executor, every channel that needs no
// reach, however they are swapped. The user finds the results where he gave the memory.
#include <tasuki/file/checkpoint.hpp>
#include <tasuki/run/run.hpp>
#include <tests/checks.hpp>
#include <tests/file/folder.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

using test::refusal;
using test::same_bits;
using test::world;

// A user's memory for a field of this grid, full of what no sweep may read: bits of NaN.
template <class T, int D>
struct Lent {
  using E = typename Field<T>::Element;
  explicit Lent(const Grid<D>& grid)
      : layout(Field<T>::layout(grid)), memory(grid.core()->device(), layout.bytes) {
    const std::vector<char> junk(layout.bytes, static_cast<char>(0xff));
    copy_to_device(grid.core()->device(), memory.data(), junk.data(), junk.size());
  }
  E* start() const { return reinterpret_cast<E*>(memory.data()); }
  // The owned cells, found by the layout alone, in the order of to_host().
  std::vector<E> cells(Device& device) const {
    std::vector<E> all(layout.bytes / sizeof(E)), values;
    copy_to_host(device, all.data(), memory.data(), layout.bytes);
    long cells = 1;
    for (int a = 0; a < D; ++a) cells *= layout.extents[a];
    for (int k = 0; k < Field<T>::components; ++k)
      for (long cell = 0; cell < cells; ++cell) {
        long at = layout.origin + k * layout.component_stride, left = cell;
        for (int a = 0; a < D; ++a) {
          at += left % layout.extents[a] * layout.stride[a];
          left /= layout.extents[a];
        }
        values.push_back(all[static_cast<std::size_t>(at)]);
      }
    return values;
  }

  FieldLayout layout;
  Buffer memory;
};

// ---- A program with corners, a swap, a coefficient that is read here, and a sum ----

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

enum class Which { none, first, both };

Outcome mixed(World& world, Which borrowed, int steps) {
  Grid<2> grid(world, {37, 29}, {.halo = 1, .periodic = true});
  Lent<double, 2> at_u(grid), at_v(grid), at_k(grid);
  const auto field = [&](const char* name, const Lent<double, 2>& at, bool lent) {
    return lent ? Field<double>::borrow(grid, name, at.start()) : Field<double>(grid, name);
  };
  auto u = field("u", at_u, borrowed != Which::none), v = field("v", at_v, borrowed == Which::both);
  auto k = field("k", at_k, borrowed == Which::both);
  EXPECT_EQ(u.core()->reached(), borrowed == Which::none);
  Sum<double> total(world, "total");
  run(sweep(Begin{}, grid.all(), writes(u), writes(k)));
  const auto mix = sweep(Mix{}, grid.all(), reads(u, box(1)), reads(k), writes(v), reduces(total));
  run(program(mix, swap(u, v)), {.times = steps});

  // Which memory a field holds after its swaps is where the user finds it.
  Device& device = grid.core()->device();
  if (borrowed != Which::none) {
    const auto& now = u.data() == at_u.start() + at_u.layout.origin ? u : v;
    EXPECT_EQ(now.data(), at_u.start() + at_u.layout.origin);
    EXPECT_TRUE(same_bits(at_u.cells(device), now.to_host()));
  }
  if (borrowed == Which::both) {
    const auto& now = u.data() == at_v.start() + at_v.layout.origin ? u : v;
    EXPECT_TRUE(same_bits(at_v.cells(device), now.to_host()));
    EXPECT_TRUE(same_bits(at_k.cells(device), k.to_host()));
  }
  return {u.gather(), v.gather(), total.value()};
}

TEST(Borrow, HasTheBitsOfAFieldOfItsOwn) {
  for (const char* executor : {"eager", "overlapped", "graph", "blocked", "resident"})
    for (const char* channel : {"", "mpi", "peer", "peer:pack", "x=peer:pack,y=mpi", "x-=mpi,y+=peer"}) {
      const std::string name = executor, ways = channel;
      const bool mpi = ways.find("mpi") != std::string::npos || world().nodes() > 1;
      if (world().nodes() > 1 && ways.find("peer") != std::string::npos) continue;
      if ((name == "graph" && mpi) || ((name == "graph" || name == "blocked") && !test::device().cuda()))
        continue;
      const auto made = test::world_with([&](Settings& s) {
        s.executor = executor;
        s.channel = channel;
        s.sums = "exact";
        s.halo = 0;
        s.ranks.clear();
      });
      SCOPED_TRACE("--executor " + name + " --channel '" + ways + "'");
      try {
        for (const int steps : {1, 6, 7}) {
          const Outcome own = mixed(*made, Which::none, steps);
          for (const Which borrowed : {Which::first, Which::both}) {
            const Outcome lent = mixed(*made, borrowed, steps);
            EXPECT_TRUE(same_bits(lent.u, own.u)) << steps << " steps";
            EXPECT_TRUE(same_bits(lent.v, own.v)) << steps << " steps";
            EXPECT_EQ(lent.sum, own.sum) << steps << " steps";
          }
        }
      } catch (const Error& fault) { // that they say what they cannot do is tested elsewhere
        const bool picky = test::device().cuda() && (name == "resident" || name == "blocked");
        if (!picky || std::string(fault.what()).find("cannot do this program") == std::string::npos) throw;
      }
    }
}

// ---- Components in planes and in rows, halos of several cells, no boundary that wraps ----

template <int K>
struct Number {
  TS_CELL void operator()(auto c, auto u) const {
    for (int k = 0; k < K; ++k) u[k](c) = static_cast<float>(c[0] + 31 * c[1] + 17 * c[2] + 5 * k);
  }
};
template <int K>
struct Spread {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    for (int k = 0; k < K; ++k)
      v[k](c) = 0.5f * u[k](c, 2, 0, 0) - 0.25f * u[k](c, 0, -1, 0) + 0.125f * u[(k + 1) % K](c, 0, 0, 1);
  }
};

template <int K>
void spread(World& world) {
  Grid<3> grid(world, {13, 12, 11}, {.halo = {2, 1, 1}, .periodic = {false, true, false}});
  Lent<float[K], 3> at_u(grid), at_v(grid);
  EXPECT_EQ(at_u.layout.bytes % sizeof(float), 0u);
  Field<float[K]> own_u(grid, "u"), own_v(grid, "v");
  auto u = Field<float[K]>::borrow(grid, "u", at_u.start()),
       v = Field<float[K]>::borrow(grid, "v", at_v.start());
  const auto go = [&](auto& from, auto& to) {
    run(sweep(Number<K>{}, grid.all(), writes(from)));
    run(sweep(Number<K>{}, grid.all(), writes(to)));
    const auto there = sweep(Spread<K>{}, grid.inner({2, 1, 1}), reads(from, star({2, 1, 1})), writes(to));
    const auto back = sweep(Spread<K>{}, grid.inner({2, 1, 1}), reads(to, star({2, 1, 1})), writes(from));
    run(program(there, back), {.times = 4});
  };
  go(own_u, own_v);
  go(u, v);
  EXPECT_TRUE(same_bits(u.gather(), own_u.gather()));
  EXPECT_TRUE(same_bits(v.gather(), own_v.gather()));
  EXPECT_TRUE(same_bits(at_u.cells(grid.core()->device()), own_u.to_host()));
}

TEST(Borrow, HasComponentsInPlanesAndInRows) {
  for (const char* channel : {"", "peer:pack", "mpi"}) {
    if (world().nodes() > 1 && channel[0] == 'p') continue;
    const auto made = test::world_with([&](Settings& s) {
      s.channel = channel;
      s.halo = 0;
      s.ranks.clear();
    });
    SCOPED_TRACE(channel);
    spread<2>(*made);
    spread<kMostPlanes + 2>(*made);
  }
}

TEST(Borrow, TakesWhatTheMemoryHolds) {
  Grid<2> grid(world(), {24, 8L * world().size()});
  Lent<int, 2> at(grid);
  auto field = Field<int>::borrow(grid, "field", at.start());
  EXPECT_EQ(field.to_host(), std::vector<int>(static_cast<std::size_t>(grid.core()->owned().cells()), -1));
  EXPECT_EQ(field.data(), at.start() + at.layout.origin);
  for (int a = 0; a < 2; ++a) EXPECT_EQ(field.stride(a), at.layout.stride[a]);
  std::vector<int> values(field.to_host().size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i);
  field.from_host(values);
  EXPECT_EQ(at.cells(grid.core()->device()), values);
}

// The last field that holds it gives it back, and leaves what is in it.
TEST(Borrow, OutlivesItsFields) {
  Grid<2> grid(world(), {24, 8L * world().size()});
  Lent<double, 2> at(grid);
  std::vector<double> values(static_cast<std::size_t>(grid.core()->owned().cells()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.5 * static_cast<double>(i);
  {
    Field<double> own(grid, "own");
    auto lent = Field<double>::borrow(grid, "lent", at.start());
    lent.from_host(values);
    lent.core()->swap(*own.core());
    EXPECT_TRUE(own.core()->memory_id() != lent.core()->memory_id());
    EXPECT_FALSE(own.core()->reached());
    EXPECT_TRUE(lent.core()->reached());
    EXPECT_EQ(own.to_host(), values);
  }
  EXPECT_EQ(at.cells(grid.core()->device()), values);
  auto again = Field<double>::borrow(grid, "again", at.start());
  EXPECT_EQ(again.to_host(), values);
}

class BorrowedFiles : public test::InFolder {};

TEST_F(BorrowedFiles, AreCheckpointsLikeOthers) {
  Grid<2> grid(world(), {24, 8L * world().size()});
  Lent<double, 2> at_u(grid), other(grid);
  auto field = Field<double>::borrow(grid, "u", at_u.start());
  std::vector<double> values(field.to_host().size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) + world().rank() / 8.0;
  field.from_host(values);
  const std::string path = at("u.h5");
  const std::string fault = fault_of([&] { checkpoint(path, 7, field); });
  EXPECT_EQ(fault.empty(), !hdf5_version().empty()) << fault;
  if (!fault.empty()) return;
  Field<double> own(grid, "u");
  const auto back = Field<double>::borrow(grid, "u", other.start());
  EXPECT_EQ(restore(path, own).step, 7);
  EXPECT_EQ(own.to_host(), values);
  EXPECT_EQ(restore(path, back).step, 7);
  EXPECT_EQ(other.cells(grid.core()->device()), values);
}

// ---- What is refused, in one line, on every rank ----

TEST(Borrow, RefusesWhatIsNoMemoryForIt) {
  Grid<2> grid(world(), {24, 8L * world().size()});
  Lent<float, 2> at(grid);
  for (int bad = 0; bad < world().size(); ++bad) {
    const bool mine = world().rank() == bad;
    const std::string who = "the memory given to field 'u' on rank " + std::to_string(bad);
    const FieldLayout there = Field<float>::layout(grid); // the same on each rank here
    EXPECT_EQ(refusal([&] { Field<float>::borrow(grid, "u", mine ? nullptr : at.start()); }),
              who + " is null; allocate " + std::to_string(there.bytes) + " bytes");
    EXPECT_EQ(refusal([&] { Field<float>::borrow(grid, "u", at.start() + (mine ? 1 : 0)); }),
              who + " does not begin at a multiple of 64 bytes; allocate it aligned");
  }
  const auto field = Field<float>::borrow(grid, "u", at.start()); // nothing is left behind
  EXPECT_EQ(field.data(), at.start() + at.layout.origin);
}

TEST(Borrow, RefusesMemoryOfTheHostOnAGpu) {
  Grid<2> grid(world(), {24, 8L * world().size()});
  const FieldLayout layout = Field<float>::layout(grid);
  auto* const plain = static_cast<float*>(std::aligned_alloc(256, (layout.bytes + 255) / 256 * 256));
  ASSERT_NE(plain, nullptr);
  const std::string said = refusal([&] { Field<float>::borrow(grid, "u", plain); });
  std::free(plain);
  if (grid.core()->device().cuda())
    EXPECT_EQ(said, "the memory given to field 'u' on rank 0 is the host's, and its grid is on GPU " +
                        std::to_string(of_root(world(), static_cast<long>(test::device().ordinal()))) +
                        "; give memory of that GPU");
  else
    EXPECT_EQ(said, "");
}

TEST(Borrow, RefusesMemoryOfAGpuOnTheHost) {
  if (!test::device().cuda()) {
    EXPECT_EQ(test::device().holder(&world()), Holder::host); // as any pointer is where there is no GPU
    return;
  }
  const auto made = test::world_with([](Settings& s) { s.device = "host"; });
  Grid<2> grid(*made, {24, 8L * world().size()});
  const Buffer gpus(test::device(), Field<float>::layout(grid).bytes);
  const std::string said =
      refusal([&] { Field<float>::borrow(grid, "u", reinterpret_cast<float*>(gpus.data())); });
  EXPECT_EQ(said,
            "the memory given to field 'u' on rank 0 is a GPU's, and its grid is on the host; give "
            "memory of the host, or take --device cuda");
}

TEST(Borrow, RefusesChannelsThatStoreIntoIt) {
  for (const char* channel : {"peer:stores", "peer:copy2d"}) {
    if (world().nodes() > 1) continue;
    const auto made = test::world_with([&](Settings& s) {
      s.channel = channel;
      s.halo = 0;
      s.ranks.clear();
    });
    const std::string said = refusal([&] { mixed(*made, Which::first, 4); });
    if (world().size() == 1) {
      EXPECT_EQ(said, ""); // a rank reaches its own
      continue;
    }
    EXPECT_EQ(said.rfind("channel " + std::string(channel) + " cannot join ranks ", 0), 0u) << said;
    EXPECT_NE(said.find(": a field's memory is lent by a user, and a neighbour cannot reach it; use "
                        "peer:pack or mpi for these faces, or leave the choice to Tasuki"),
              std::string::npos)
        << said;
  }
}

TEST(Borrow, IsDoneByAllRanksOrNone) {
  if (world().size() == 1) return;
  Grid<2> grid(world(), {24, 8L * world().size()});
  Lent<float, 2> at(grid);
  const std::string said = refusal([&] {
    if (world().rank() == 1)
      Field<float>::borrow(grid, "u", at.start());
    else
      Field<float>(grid, "u");
  });
  EXPECT_NE(said.find("memory"), std::string::npos) << said;
}

} // namespace
} // namespace tasuki
