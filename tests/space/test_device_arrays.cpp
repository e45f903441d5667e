// Arrays over the devices of a node: kernels of every rank load and store every element, at one address.
#include <tasuki/device/buffer.hpp>
#include <tasuki/run/run.hpp>
#include <tasuki/space/device_arrays.hpp>
#include <tasuki/space/space.hpp>
#include <tests/checks.hpp>
#include <tests/space/spaces.hpp>

#include <cstdint>
#include <vector>

namespace tasuki::test {
namespace {

void plain(Settings& s) {
  s.halo = 0;
  s.ranks.clear();
}
// On the device that the tests are run with: a GPU where there is one.
void on_one_node(const std::function<void(Space&)>& act) {
  one_space(1, "auto", plain, [&](Space& space, const std::string&) { act(space); });
}

constexpr long kStepElements = static_cast<long>(Space::kDeviceStep / sizeof(long));

// Some steps of memory a rank, which no cut meets.
long elements(const World& world) { return 3L * kStepElements * world.size() + 1234; }

Global<long> make(Space& space, long n, const char* name) {
  return space.array<long>({n}, space.bands({n}, sizeof(long)), name, Memory::device);
}
std::vector<long> seen(Space& space, const Global<long>& array) {
  std::vector<long> all(array.size());
  space.copy(all.data(), array.data(), all.size() * sizeof(long));
  return all;
}
// Of a few thousand elements the first that is wrong; as many as there are if none is.
template <class Is>
std::size_t first_wrong(const std::vector<long>& all, const Is& is) {
  std::size_t k = 0;
  while (k < all.size() && all[k] == is(static_cast<long>(k))) ++k;
  return k;
}

struct Fill {
  long* a;
  TS_CELL void operator()(auto c, auto done) const {
    a[c[0]] = 7 * c[0] + 1;
    done(c) = 0;
  }
};
struct FromFar { // of the other end of the array
  const long* a;
  long n;
  TS_CELL void operator()(auto c, auto got) const { got(c) = a[n - 1 - c[0]]; }
};
struct IntoFar {
  long* a;
  long n;
  TS_CELL void operator()(auto c, auto got) const { a[n - 1 - c[0]] = 3 * got(c) - c[0]; }
};

TEST(DeviceArrays, EveryKernelReadsAndWritesEveryElement) {
  on_one_node([](Space& space) {
    World& on = space.world();
    const long n = elements(on);
    const auto a = make(space, n, "a");
    EXPECT_EQ(of_root(on, reinterpret_cast<std::uint64_t>(a.data())),
              reinterpret_cast<std::uint64_t>(a.data()));
    EXPECT_TRUE(space.has(a.data()) && space.has(a.end() - 1));
    EXPECT_EQ(space.on_gpus(a.data()), on.part<Device>().cuda());
    EXPECT_EQ(first_wrong(seen(space, a), [](long) { return 0L; }), a.size());
    space.sync();

    const Grid<1> grid(on, {n}, {.halo = 0});
    const Field<long> got(grid, "got");
    run(sweep(Fill{a.data()}, grid.all(), writes(got)));
    space.sync();
    EXPECT_EQ(first_wrong(seen(space, a), [](long k) { return 7 * k + 1; }), a.size());
    run(sweep(FromFar{a.data(), n}, grid.all(), writes(got)));
    space.sync(); // all have read
    run(sweep(IntoFar{a.data(), n}, grid.all(), reads(got)));
    space.sync();
    EXPECT_EQ(first_wrong(seen(space, a), [n](long k) { return 3 * (7 * k + 1) - (n - 1 - k); }), a.size());
    space.sync();
    space.free(a.data());
  });
}

struct Node {
  Node* next;
  long value;
};
struct Link {
  Node* nodes;
  long n;
  TS_CELL void operator()(auto c, auto sum) const {
    nodes[c[0]] = {nodes + (c[0] * 7919 + 13) % n, c[0] * c[0] % 1009};
    sum(c) = 0;
  }
};
struct Follow {
  const Node* nodes;
  TS_CELL void operator()(auto c, auto sum) const {
    const Node* at = nodes + c[0];
    long all = 0;
    for (int k = 0; k < 5; ++k, at = at->next) all += at->value << k;
    sum(c) = all;
  }
};

TEST(DeviceArrays, HoldPointersThatMeanTheSameOnAllRanks) {
  on_one_node([](Space& space) {
    World& on = space.world();
    const long n = elements(on) / 2;
    const auto nodes = space.array<Node>({n}, space.bands({n}, sizeof(Node)), "nodes", Memory::device);
    const Grid<1> grid(on, {n}, {.halo = 0});
    const Field<long> sum(grid, "sum");
    run(sweep(Link{nodes.data(), n}, grid.all(), writes(sum)));
    space.sync();
    run(sweep(Follow{nodes.data()}, grid.all(), writes(sum)));
    const std::vector<long> all = sum.gather();
    const std::size_t right = first_wrong(all, [n](long k) {
      long expected = 0;
      for (int step = 0; step < 5; ++step, k = (k * 7919 + 13) % n) expected += k * k % 1009 << step;
      return expected;
    });
    EXPECT_EQ(right, all.size());
  });
}

TEST(DeviceArrays, BelongToRanksAsOthersDo) {
  on_one_node([](Space& space) {
    World& on = space.world();
    const long ranks = on.size(), n = 8 * kStepElements * ranks;
    const auto a = make(space, n, "a"), b = make(space, 5, "b");
    const space::Map rows({8 * ranks, kStepElements}, {8 * ranks, 1}, sizeof(long), 0, on.size());
    const auto dealt = space.array<long>({8 * ranks, kStepElements}, rows, "dealt", Memory::device);
    for (long k = 0; k < 8 * ranks; ++k) {
      EXPECT_EQ(space.owner(&a[static_cast<std::size_t>(k * kStepElements)]), k / 8);
      EXPECT_EQ(space.owner(&dealt[static_cast<std::size_t>(k * kStepElements)]), k % ranks);
    }
    EXPECT_EQ(space.find(&b[3]).name, "b");
    EXPECT_EQ(space.find(&b[3]).start, reinterpret_cast<char*>(b.data()));
    space.preload(&b[3], 16); // is there
    EXPECT_NE(refusal([&] { space.preload(&b[3], 17); }).find("ends behind the end of b, which has 40"),
              std::string::npos);
    space.sync();
    // Addresses of what was freed are given out again, zeroed.
    const long five = 5;
    if (on.rank() == 0) space.copy(b.data(), &five, sizeof five);
    long* const before = b.data();
    space.free(b.data());
    const auto c = make(space, 6, "c");
    EXPECT_EQ(c.data(), before);
    EXPECT_EQ(first_wrong(seen(space, c), [](long) { return 0L; }), 6u);
    space.sync();
  });
}

// A number of one rank, by way of its own memory and an array of the host.
TEST(DeviceArrays, AreCopiedToAndFromOtherMemory) {
  on_one_node([](Space& space) {
    World& on = space.world();
    const long n = 1000;
    const auto far = make(space, n, "far");
    const auto near = space.array<long>({n}, space.bands({n}, sizeof(long)), "near");
    if (on.rank() == on.size() - 1)
      for (long k = 0; k < n; ++k) near[static_cast<std::size_t>(k)] = 5 * k;
    space.sync();
    if (on.rank() == 0) space.copy(far.data(), near.data(), n * sizeof(long));
    space.sync();
    EXPECT_EQ(first_wrong(seen(space, far), [](long k) { return 5 * k; }), far.size());
    space.sync();
  });
}

TEST(DeviceArrays, RefuseWhatTheyCannotDo) {
  on_one_node([](Space& space) {
    World& on = space.world();
    const auto a = make(space, 100, "a");
    EXPECT_EQ(refusal([&] { space.array<long>({9}, space.bands({9}, sizeof(long)), "pin", Memory::pinned); }),
              "array 'pin' is asked for in pinned memory; take Memory::device, or leave it out: memory of "
              "the host");
    EXPECT_EQ(
        refusal([&] { space.add(a.data(), 1L); }),
        "an atomic act is asked for on a, which lies over devices; let a kernel do it (atomicAdd_system), or "
        "take memory of the host");
    EXPECT_NE(refusal([&] { space.free(a.data() + 1); }).find("within a"), std::string::npos);
    EXPECT_NE(refusal([&] { space.copy(a.data() + 99, a.data(), 16); }).find("ends behind the end of a"),
              std::string::npos);
    EXPECT_NE(refusal([&] { make(space, 1L << 44, "huge"); }).find("'s part of array 'huge' has "),
              std::string::npos);
    if (on.size() > 1) {
      EXPECT_NE(
          refusal([&] { make(space, on.rank() == 1 ? 7 : 8, "unlike"); })
              .find("rank 0 makes an array over devices with array 'unlike' of 8 elements of 8 bytes, rank 1 "
                    "with array 'unlike' of 7"),
          std::string::npos);
      EXPECT_NE(
          refusal([&] {
            if (on.rank() == 1)
              space.sync();
            else
              make(space, 8, "alone");
          })
              .find("rank 0 makes an array over devices (array 'alone' of 8 elements of 8 bytes), rank 1 "
                    "synchronises a space"),
          std::string::npos);
    }
    space.sync();
  });
}

// GPUs that are not joined are told by their ranks, on every rank; one that takes no part is not asked.
TEST(DeviceArrays, AreRefusedWhereGpusDoNotReachEachOther) {
  World& on = world();
  const int last = on.size() - 1;
  const auto reached = [&](int rank) { return on.rank() != 0 || rank != on.node_rank_of(last); };
  const std::string line =
      "array 'far' is to lie over the GPUs of a node, and those of ranks 0 and " + std::to_string(last) +
      " do not reach each other's memory; take one GPU a node, GPUs that are joined, or memory of the host";
  EXPECT_EQ(refusal([&] { space::check_reach(on, "far", true, reached); }), on.nodes() == 1 ? line : "");
  EXPECT_EQ(refusal([&] { space::check_reach(on, "far", on.rank() != 0, reached); }), "");
}

// A rank has one cell. It adds to its own of the first elements of each part, which lie in one step of memory with others'.
constexpr long kFirst = 64;
struct AddToEach {
  long* a;
  long part, ranks;
  TS_CELL void operator()(auto c, auto sum) const {
    for (long p = 0; p < ranks; ++p)
      for (long k = c[0]; k < kFirst; k += ranks) a[p * part + k] += p + 3 * k;
    sum(c) = 0;
  }
};
struct SumOfAll {
  const long* a;
  long part, ranks;
  TS_CELL void operator()(auto c, auto sum) const {
    long all = 0;
    for (long p = 0; p < ranks; ++p)
      for (long k = 0; k < kFirst; ++k) all += (k + 1) * a[p * part + k];
    sum(c) = all;
  }
};

TEST(DeviceArrays, OfOtherNodesAreCopiedBeforeTheyAreTouched) {
  if (world().size() == 1) GTEST_SKIP() << "one rank is one node";
  for (const int nodes : {2, world().size()})
    one_space(nodes, "auto", plain, [](Space& space, const std::string&) {
      World& on = space.world();
      const long ranks = on.size(), part = 2 * kStepElements, n = ranks * part;
      const auto a = make(space, n, "a");
      {
        const Grid<1> grid(on, {n}, {.halo = 0}); // cut as the array is: each rank fills its own
        const Field<long> got(grid, "got");
        run(sweep(Fill{a.data()}, grid.all(), writes(got)));
      }
      space.sync();
      EXPECT_EQ(first_wrong(seen(space, a), [](long k) { return 7 * k + 1; }), a.size());
      space.sync();

      const Grid<1> grid(on, {ranks}, {.halo = 0});
      const Field<long> sum(grid, "sum");
      for (long p = 0; p < ranks; ++p) // from now on these are kept up to date
        space.preload(a.data() + p * part, {static_cast<std::size_t>(n)}, {kFirst}, sizeof(long), true, true);
      const auto value = [part](long p, long k, long rounds) {
        return 7 * (p * part + k) + 1 + rounds * (p + 3 * k);
      };
      for (long round = 1; round <= 3; ++round) {
        run(sweep(AddToEach{a.data(), part, ranks}, grid.all(), writes(sum)));
        space.sync();
        run(sweep(SumOfAll{a.data(), part, ranks}, grid.all(), writes(sum)));
        long expected = 0;
        for (long p = 0; p < ranks; ++p)
          for (long k = 0; k < kFirst; ++k) expected += (k + 1) * value(p, k, round);
        EXPECT_EQ(sum.gather(), std::vector<long>(sum.gather().size(), expected));
        space.sync(); // all have read
      }
      space.sync(true);
      EXPECT_EQ(first_wrong(seen(space, a),
                            [&](long i) { return value(i / part, i % part, i % part < kFirst ? 3 : 0); }),
                a.size());
      // Of what several nodes wrote the highest rank's stands.
      space.sync();
      if (on.node() != 0) {
        const long mine = on.rank();
        space.copy(a.data(), &mine, sizeof mine);
      }
      space.sync();
      EXPECT_EQ(seen(space, a)[0], ranks - 1);
      space.sync();
      EXPECT_EQ(space.owner(a.end() - 1), ranks - 1);
      space.free(a.data());
    });
}

TEST(DeviceArrays, MayLieOnOneOfTheNodes) {
  if (world().size() == 1) GTEST_SKIP() << "one rank is one node";
  one_space(2, "auto", plain, [&](Space& space, const std::string&) {
    World& on = space.world();
    const int ranks = on.size(), here = ranks / 2; // of the first node
    const space::Map second({1000}, {ranks - here}, sizeof(long), here, ranks - here);
    const auto a = space.array<long>({1000}, second, "a", Memory::device);
    const long mine = on.rank() + 5;
    if (on.rank() == 0) space.copy(&a[999], &mine, sizeof mine);
    space.sync();
    EXPECT_EQ(seen(space, a)[999], 5);
    EXPECT_EQ(space.owner(&a[999]), ranks - 1);
    space.sync();
    space.free(a.data());
  });
}

} // namespace
} // namespace tasuki::test
