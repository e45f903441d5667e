// Kernels of a checked build that touch what their device does not reach: the element is named, and the run ends in words.
// Compiled with TASUKI_CHECKED.
#include <tasuki/run/run.hpp>
#include <tasuki/space/reached.hpp>
#include <tests/checks.hpp>
#include <tests/space/spaces.hpp>

#include <string>

#if !defined(TASUKI_CHECKED)
#error this test is of checked builds
#endif

namespace tasuki::test {
namespace {

constexpr long kPart = 2 * static_cast<long>(Space::kDeviceStep / sizeof(long)); // elements of a rank

struct Take {
  Reached<long> a;
  long at;
  TS_CELL void operator()(auto c, auto got) const { got(c) = a[static_cast<std::size_t>(at + c[0])]; }
};
TEST(Reached, NamesWhatAKernelTouchesAndIsNotThere) {
  const int nodes = world().size() > 1 ? 2 : 1;
  const auto plain = [](Settings& s) {
    s.halo = 0;
    s.ranks.clear();
    s.executor = "eager";
  };
  one_space(nodes, "auto", plain, [&](Space& space, const std::string&) {
    World& on = space.world();
    const long ranks = on.size(), n = kPart * ranks;
    const auto a = space.array<long>({n}, space.bands({n}, sizeof(long)), "a", Memory::device);
    const Grid<1> grid(on, {8 * ranks}, {.halo = 0});
    const Field<long> got(grid, "got");
    const auto take = [&](long at) {
      run(sweep(Take{reached(a), at - 8 * on.rank()}, grid.all(),
                writes(got))); // a rank's cells begin at 8 rank
      return refusal([&] { space.sync(); });
    };
    const auto touched = [&](long at) {
      return "a kernel of rank " + std::to_string(on.rank()) + " touched a[" + std::to_string(at) +
             "], which is another node's and not there; preload it, or hold it";
    };
    EXPECT_EQ(take(kPart * on.rank()), "") << "its own";
    int other = 0; // a rank of another node
    while (nodes > 1 && on.same_node(other, on.rank())) ++other;
    const long there = kPart * other + 100;
    if (nodes > 1) {
      const std::string fault = take(there); // one of the eight that its threads have touched
      bool named = false;
      for (long k = there; k < there + 8; ++k) named = named || fault == touched(k);
      EXPECT_TRUE(named) << fault;
      space.preload(a.data() + there, 8 * sizeof(long));
      EXPECT_EQ(take(there), "") << "it was preloaded";
      EXPECT_NE(take(there), "") << "a synchronisation gives copies back";
      space.hold(a.data() + there, 8 * sizeof(long));
      EXPECT_EQ(take(there), "");
      EXPECT_EQ(take(there), "") << "it is held";
      space.sync(true);
      EXPECT_NE(take(there), "");
    }
    const std::string fault = take(n);
    EXPECT_NE(fault.find("touched element "), std::string::npos) << fault;
    EXPECT_NE(fault.find(" of a, which has " + std::to_string(n) + "; stay within the array"),
              std::string::npos)
        << fault;
    EXPECT_EQ(refusal([&] { space.sync(); }), "") << "it is said once";
  });
}

TEST(Reached, IsOfArraysOverDevicesAlone) {
  one_space(
      1, "auto", [](Settings&) {},
      [](Space& space, const std::string&) {
        const auto a = space.array<long>({64}, space.bands({64}, sizeof(long)), "a");
        EXPECT_EQ(refusal([&] { reached(a); }),
                  "kernels are to reach an address that is in no array over devices; make the array with "
                  "Memory::device");
      });
}

} // namespace
} // namespace tasuki::test
