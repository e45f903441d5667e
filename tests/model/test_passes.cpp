// The time of passes over memory: how many steps halos allow, that times are those of a machine's words and
// bytes, that a round of tiles takes as long however few there are, and that waves move each cell once in all
// their steps.
#include <tasuki/device/kernel/wave.hpp>
#include <tasuki/field/exchange_cost.hpp>
#include <tasuki/model/passes.hpp>
#include <tests/model/described.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace tasuki {
namespace {

Workload load_of(const Description& program, int devices) {
  return workload(program, cut_for(program, devices, exchange_cost_cuda()));
}

Constants h200() { return Constants::named("NVIDIA H200"); }

// As many of everything that tiles share.
Constants h200_times(double times) {
  Constants c = h200();
  c.multiprocessors *= times;
  c.chip_bytes *= times;
  c.memory *= times;
  c.cache *= times;
  return c;
}

TEST(Passes, HaveAsManyStepsAsTheHalosOfCutAxesAllow) {
  for (int halo = 1; halo <= 12; ++halo)
    for (const bool whole : {true, false}) {
      SCOPED_TRACE("halo " + std::to_string(halo) + (whole ? ", all cells" : ""));
      Workload load = load_of(test::laplace(4096).with_halo(halo), 4);
      load.whole = whole;
      const TiledStep step = pass_step(load, h200());
      const int least = whole ? 2 : 3; // cells that no step changes are in both memories behind an odd number
      EXPECT_EQ(step.not_here, halo < least ? "no halo is as deep as two steps reach" : "");
      if (halo < least) continue;
      EXPECT_GE(step.depth, least);
      EXPECT_LE(step.depth, std::min(halo, 8));
      if (!whole) {
        EXPECT_EQ(step.depth % 2, 1);
      }
      EXPECT_TRUE(pass_step(load_of(test::laplace(4096), 1), h200()).not_here.empty()) << "no axis is cut";
    }
}

TEST(Passes, TakeAMachinesWordsAndBytes) {
  Constants slow = h200();
  slow.word *= 4;
  slow.memory /= 4;
  slow.cache /= 4;
  for (const Description& program :
       {test::laplace(512), test::laplace(8192), test::weighed({256, 128, 128})}) {
    const Workload load = load_of(program, 1);
    const TiledStep one = pass_step(load, h200()), four = pass_step(load, slow);
    ASSERT_EQ(one.not_here, "");
    EXPECT_GT(one.compute, 0);
    EXPECT_NEAR(four.compute / one.compute, 4, 1e-9);
    EXPECT_NEAR(four.look / one.look, 4, 1e-9);
    EXPECT_EQ(four.depth, one.depth) << "tiles follow from room alone";
  }
}

// Tiles that are done at once take as long on a device of more multiprocessors; of more rounds none takes
// longer there, and no device of twice as many is more than twice as fast.
TEST(Passes, AreDoneInRounds) {
  const Workload small = load_of(test::laplace(256), 1);
  for (const double times : {2, 4})
    EXPECT_DOUBLE_EQ(pass_step(small, h200_times(times)).compute, pass_step(small, h200()).compute);
  bool shorter = false;
  for (long n = 512; n <= 12000; n += 517) {
    SCOPED_TRACE(n);
    const Workload load = load_of(test::laplace(n), 1);
    const double one = pass_step(load, h200()).compute, two = pass_step(load, h200_times(2)).compute;
    EXPECT_LE(two, one * (1 + 1e-9));
    EXPECT_GE(two, one / 2 * (1 - 1e-9));
    shorter = shorter || two < 0.6 * one;
  }
  EXPECT_TRUE(shorter);
}

struct AverageOfSix {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = u(c, -1, 0, 0) + u(c, 1, 0, 0) + u(c, 0, -1, 0) + u(c, 0, 1, 0) + u(c, 0, 0, -1) + u(c, 0, 0, 1);
  }
};

template <class T>
Description averaged(long n) {
  const Grid<3> small(test::world(), {12, 12, 12}, {.halo = 1, .ranks = 0});
  const Field<T> u(small, "u"), v(small, "v");
  return describe(Program(items(sweep(AverageOfSix{}, small.inner(1), reads(u, star(1)), writes(v))) +
                          items(swap(u, v))))
      .resized({n, n, n});
}

TEST(Passes, InWavesMoveEachCellOnceInAllSteps) {
  Constants quick = h200(); // bytes alone take time
  quick.word = 0;
  for (const bool wide : {false, true}) {
    const Description program = wide ? averaged<double>(512) : averaged<float>(512);
    const Workload load = load_of(program, 1);
    ASSERT_EQ(load.number_bytes, wide ? 8 : 4);
    const TiledStep step = pass_step(load, quick);
    ASSERT_EQ(step.not_here, "");
    EXPECT_EQ(step.depth, kWaveSteps);
    EXPECT_FALSE(step.looks);
    // Read once and written once, and rims read by two tiles.
    const double once = 512.0 * 512 * 512 * 2 * load.number_bytes / quick.memory / kWaveSteps;
    EXPECT_GT(step.compute, once);
    EXPECT_LT(step.compute, 1.6 * once);
    EXPECT_GE(pass_step(load, h200()).compute, step.compute);
    for (int halo = 1; halo <= 4; ++halo) // of an axis that is cut
      EXPECT_EQ(pass_step(load_of(program.with_halo(halo), 2), quick).not_here.empty(), halo >= kWaveSteps)
          << halo;
  }
  Workload three = load_of(averaged<float>(512), 1);
  three.slot_bytes = 12; // of three memories there are no waves
  EXPECT_TRUE(pass_step(three, h200()).looks);
}

} // namespace
} // namespace tasuki
