// Predictions: parts add up to what their constants say, and order themselves as they must. No clock is
// asked.
#include <tasuki/base/error.hpp>
#include <tasuki/base/executors.hpp>
#include <tasuki/model/calibrate.hpp>
#include <tasuki/model/fit.hpp>
#include <tasuki/model/passes.hpp>
#include <tasuki/model/predict.hpp>
#include <tasuki/model/tiles.hpp>
#include <tests/model/described.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cstdio>

namespace tasuki {
namespace {

using test::laplace;
using test::Relax;
using test::world;

// Round numbers, so that a prediction can be done by hand.
Constants round_numbers() {
  Constants c = Constants::named("NVIDIA H200");
  c.memory = 1e12;
  c.cache = 1e12;
  c.chip = 1e12;
  c.usual_efficiency = 1;
  c.efficiency.clear();
  c.gap = 2e-6;
  c.graph_node = 1e-6;
  c.start = 0;
  c.barrier = 1e-6;
  c.flag = 3e-6;
  c.launch = 4e-6;
  c.event = 0;
  c.reduce = 5e-6;
  c.synchronize = 7e-6;
  c.collective = 11e-6;
  c.step = 0;
  c.tuning.lines.clear();
  const auto line = [&](ChannelKind channel, PairKind pair, double latency) {
    Line l;
    l.channel = channel;
    l.pair = pair;
    l.latency = latency;
    l.bandwidth = 1e9;
    c.tuning.lines.push_back(l);
  };
  line(ChannelKind::peer, PairKind::node, 10e-6);
  line(ChannelKind::mpi, PairKind::far, 50e-6);
  return c;
}

double total(const Description& d, int devices, const std::string& executor, const Constants& c) {
  const Prediction p = predict(d, devices, executor, c);
  EXPECT_TRUE(p.possible()) << p.not_here;
  return p.seconds();
}

TEST(Predict, OneDeviceStreamsItsFieldsAndWaitsForLaunches) {
  const Constants c = round_numbers();
  const Prediction p = predict(laplace(8192), 1, "eager", c);
  const double bytes = 2 * 4 * 8192.0 * 8190; // rows are whole sectors
  EXPECT_DOUBLE_EQ(p.parts[Part::compute], bytes / 1e12);
  EXPECT_DOUBLE_EQ(p.parts[Part::latency], 2e-6);
  EXPECT_EQ(p.parts[Part::bandwidth], 0);
  EXPECT_EQ(p.parts[Part::host], 0); // hidden behind the sweep

  const Prediction small = predict(laplace(32), 1, "eager", c); // nothing to hide a launch behind
  EXPECT_NEAR(small.seconds(), 4e-6, 1e-12);
  EXPECT_NEAR(small.parts[Part::host], 2e-6 - small.parts[Part::compute], 1e-12);
}

TEST(Predict, PartsAddUpByHand) {
  const Constants c = round_numbers();
  const Description d = laplace(4096);
  const auto of = [&](const char* executor) { return predict(d, 2, executor, c, {1, 2}); };
  const double whole = 2 * 4 * 4096.0 * 2047 / 1e12, rim = 2 * 4 * 4096.0 / 1e12, message = 4 * 4096 / 1e9;

  const Prediction eager = of("eager");
  EXPECT_DOUBLE_EQ(eager.parts[Part::compute], whole);
  EXPECT_DOUBLE_EQ(eager.parts[Part::latency], 2e-6 + 10e-6);
  EXPECT_DOUBLE_EQ(eager.parts[Part::bandwidth], message);
  EXPECT_DOUBLE_EQ(eager.parts[Part::host],
                   5 * 4e-6); // the exchange is launched when the neighbour has come so far
  EXPECT_DOUBLE_EQ(eager.seconds(), whole + 12e-6 + message + 20e-6);

  const Prediction overlapped = of("overlapped");
  ASSERT_GT(whole - rim, 10e-6 + message); // so all of it is hidden
  EXPECT_DOUBLE_EQ(overlapped.parts[Part::compute], whole);
  EXPECT_DOUBLE_EQ(overlapped.parts[Part::bandwidth], 0);
  EXPECT_DOUBLE_EQ(overlapped.seconds(), whole + 2e-6);

  const Prediction graph = of("graph"); // a node, and no host
  EXPECT_DOUBLE_EQ(graph.seconds(), whole + 1e-6);
  EXPECT_EQ(graph.parts[Part::host], 0);

  EXPECT_FALSE(of("resident").possible()); // 64 MiB a device
}

TEST(Predict, WhatIsNotHiddenIsSharedOutAmongLatencyAndBandwidth) {
  const Constants c = round_numbers();
  const Prediction p = predict(laplace(256), 2, "overlapped", c, {1, 2});
  const double interior = 2 * 4 * 256.0 * 126 / 1e12, rim = 2 * 4 * 256.0 / 1e12, message = 4 * 256 / 1e9;
  const double exposed = 10e-6 + message - interior;
  ASSERT_GT(exposed, 0);
  EXPECT_NEAR(p.parts[Part::compute], interior + rim, 1e-15);
  EXPECT_NEAR(p.parts[Part::latency] + p.parts[Part::bandwidth], 2e-6 + exposed, 1e-15);
  EXPECT_NEAR(p.parts[Part::bandwidth] / exposed, message / (10e-6 + message), 1e-9);
  // One sweep, one rim and five calls of the exchange are launched.
  EXPECT_NEAR(p.seconds(), 7 * 4e-6, 1e-12);
}

TEST(Predict, ReductionsAndQuestionsCost) {
  const Constants c = round_numbers();
  const double plain = total(laplace(8192), 1, "eager", c);
  EXPECT_NEAR(total(laplace(8192, true), 1, "eager", c) - plain, 5e-6, 1e-12);
  const double fetched = 15e-6, tile_sums = 32 * 0.14e-6; // of any GPU (costs.cpp, executors.cpp)
  EXPECT_NEAR(total(laplace(8192, true, true), 1, "eager", c) - plain, 5e-6 + 4e-6 + 7e-6 + fetched, 1e-12);
  EXPECT_NEAR(total(laplace(512, true), 1, "resident", c) - total(laplace(512), 1, "resident", c),
              1e-6 + tile_sums, 1e-12);
}

TEST(Predict, OrderIsAsItMustBe) {
  const Constants c = Constants::named("NVIDIA H200");
  const Description relax = laplace(512), measure = laplace(512, true);
  Constants faster = c, slower = c;
  faster.memory *= 2;
  faster.cache *= 2;
  for (Line& line : slower.tuning.lines) line.latency += 1e-3;
  for (const long n : {512, 1024, 4096, 16384})
    for (const int devices : {1, 2, 4, 8}) {
      SCOPED_TRACE(std::to_string(n) + " on " + std::to_string(devices));
      const Description d = relax.resized({n, n});
      const double eager = total(d, devices, "eager", c);
      EXPECT_LE(total(d, devices, "graph", c), eager * 1.0001); // a node costs less than a launch
      const Prediction resident = predict(d, devices, "resident", c);
      EXPECT_EQ(resident.possible(), 8.0 * static_cast<double>(n * n) / devices < 25e6);
      if (resident.possible() && n <= 1024) {
        EXPECT_LT(resident.seconds(), eager);
      }
      EXPECT_GT(total(measure.resized({n, n}), devices, "eager", c), eager);
      EXPECT_LE(total(d, devices, "eager", faster), eager);
      if (devices == 1) continue;
      EXPECT_LT(total(d, devices, "overlapped", c), eager + 30e-6);
      EXPECT_GT(total(d, devices, "overlapped", slower), 0.9e-3);
    }
  // Large blocks scale, and more than a device's share of the work is never saved.
  const Description large = relax.resized({16384, 16384});
  const double one = total(large, 1, "eager", c), four = total(large, 4, "overlapped", c);
  EXPECT_GT(four, 0.99 * one / 4);
  EXPECT_LT(four, 1.1 * one / 4);
}

TEST(Predict, BeyondANodeMpiCarriesAndTheHostIsNeeded) {
  const Constants c = Constants::named("NVIDIA H200");
  const Description d = laplace(16384);
  const Description small = laplace(2048);
  EXPECT_TRUE(predict(small, c.devices_a_node, "resident", c).possible());
  EXPECT_FALSE(predict(small, 2 * c.devices_a_node, "resident", c).possible());
  EXPECT_TRUE(predict(small, c.devices_a_node, "graph", c).possible());
  EXPECT_FALSE(predict(small, 2 * c.devices_a_node, "graph", c).possible());
  EXPECT_GT(total(small, 2 * c.devices_a_node, "eager", c), total(small, c.devices_a_node, "eager", c));
  EXPECT_TRUE(predict(d, 2 * c.devices_a_node, "overlapped", c).possible());
  EXPECT_THROW(predict(d, 2, "magic", c), Error);
  EXPECT_THROW(predict(laplace(64), 4096, "eager", c, {4096, 1}), Error); // blocks without cells
}

TEST(Predict, DeepHalosPayWhereMessagesCost) {
  Constants c = round_numbers();
  const Description d = laplace(4096);
  c.launch = 0;
  for (Line& line : c.tuning.lines) line.latency = 0;
  for (Line& line : c.tuning.lines) line.bandwidth = 1e12;
  EXPECT_EQ(best_halo(d, 4, "eager", c), 1); // nothing is saved, and cells are done twice
  for (Line& line : c.tuning.lines) line.latency = 1e-3;
  EXPECT_EQ(best_halo(d, 4, "eager", c), 16); // the deepest that is looked at
  EXPECT_EQ(best_halo(d, 4, "eager", c, 5), 5);
  EXPECT_LE(best_halo(laplace(32), 8, "eager", c), 32 / 2);
  for (Line& line : c.tuning.lines) line.latency = 5e-6;
  const int some = best_halo(d, 4, "eager", c);
  const auto at = [&](int halo) { return total(d.with_halo(halo), 4, "eager", c); };
  for (int halo = 1; halo <= 16; ++halo) EXPECT_GE(at(halo), at(some)) << halo;
}

// Two fields are swapped: one of them is brought.
TEST(Predict, APassOverSlabsIsTheLongestOfItsCopiesAndItsSweeps) {
  Constants c = round_numbers();
  const double cells = 8192.0 * 8192.0, compute = cells * 8 / c.memory;
  const auto streamed = [&](double link, bool measured) {
    c.link = link;
    return total(laplace(8192, measured), 1, "streamed", c);
  };
  double bring = cells * 4 / 1e10; // 50 times a sweep; a pass has 32 at most
  EXPECT_NEAR(streamed(1e10, false), bring * (1 + 2.0 / 16) / 32, 0.01 * bring / 32);
  bring = cells * 4 / 1e12;
  EXPECT_NEAR(streamed(1e12, false), compute + bring * 2 / 16, 0.01 * compute);
  bring = cells * 4 / 0.9e11;
  EXPECT_NEAR(streamed(0.9e11, false), compute + bring * 2 / 16 / 6, 0.01 * compute);
  EXPECT_NEAR(streamed(0.9e11, true), bring * (1 + 2.0 / 16), 0.01 * bring); // a sum ends it behind each step
}

TEST(Predict, OfARealProgramIsTheSameOnEveryRank) {
  const Grid<2> grid(world(), {96, 120}, {.halo = 2});
  const Field<float> u(grid, "u"), v(grid, "v");
  const auto relax = sweep(Relax{}, grid.inner(1), reads(u, star(1)), writes(v));
  const Program program = tasuki::program(relax, swap(u, v));
  for (const std::string& executor : executor_names()) {
    const Prediction p = predict(program, executor, 0, Tuning::built_in(grid.core()->device().kind()));
    EXPECT_EQ(p.halo, world().settings().halo > 0 ? world().settings().halo : 2);
    double least = p.possible() ? p.seconds() : -1, most = least;
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, world().comm());
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, world().comm());
    EXPECT_EQ(least, most) << executor;
    EXPECT_TRUE(!p.possible() || p.seconds() > 0);
  }
}

TEST(Predict, TilesOfAResidentKernelExchangeSeldomWhereThatCosts) {
  const Description d = laplace(512);
  Constants c = Constants::named("NVIDIA H200");
  const Workload load = workload(d, cut_for(d, 4, exchange_cost_cuda()));
  EXPECT_DOUBLE_EQ(load.slot_bytes, 8);
  EXPECT_DOUBLE_EQ(load.fixed_bytes, 0);
  EXPECT_DOUBLE_EQ(load.words, 5 + 1);
  EXPECT_EQ(load.reach[0], 1);
  const auto depth = [&] { return tiled_step(load, c, true).depth; };
  c.barrier = c.flag = 0;
  EXPECT_EQ(depth(), 1);
  c.flag = 1e-5;
  EXPECT_GT(depth(), 4);
  const TiledStep step = tiled_step(load, c, true);
  EXPECT_LT(step.latency, 1e-5 / 4);
  EXPECT_LT(tiled_step(load, c, false).compute + tiled_step(load, c, false).latency,
            step.compute + step.latency);
  c.chip_bytes = 1e4;
  EXPECT_NE(tiled_step(load, c, true).not_here, "");
}

// 27 and 105 tiles are a round of an H200, which has room for 264; 396 are two, as 512 would be.
TEST(Predict, PassesTakeWholeRoundsOfTiles) {
  const Constants c = Constants::named("NVIDIA H200");
  const auto seconds = [&](long n) {
    const Description d = laplace(n);
    const TiledStep step = pass_step(workload(d, cut_for(d, 1, exchange_cost_cuda())), c);
    EXPECT_EQ(step.not_here, "");
    EXPECT_EQ(step.depth, 7);
    return step.compute;
  };
  const double few = seconds(512), most = seconds(1024), two = seconds(2048);
  EXPECT_LT(most, 1.1 * few) << "four times as many cells";
  EXPECT_NEAR(two / most, 2, 0.15);
  EXPECT_GT(seconds(16384), 20 * two);
}

// Measured on an H200 (512^3): tiles that move along z.
TEST(Predict, WavesTakeWhatTheyWereMeasuredToTake) {
  const Constants c = Constants::named("NVIDIA H200");
  const auto seconds = [&](int bytes, int order) {
    Description d = laplace(512);
    d.dims = 3;
    d.extents[2] = 512;
    d.halo[2] = Width(1);
    d.periodic[0] = d.periodic[1] = d.periodic[2] = true;
    for (DescribedField& field : d.fields) field.storage.element_bytes = bytes;
    for (DescribedItem& item : d.items)
      if (auto* const sweep = std::get_if<DescribedSweep>(&item.what))
        for (Use& use : sweep->uses) {
          if (!use.reads()) continue;
          use.reach = Depth{.width = {}, .order = order};
          for (int a = 0; a < 3; ++a) use.reach.width[a] = Width(1);
        }
    const TiledStep step = pass_step(workload(d, cut_for(d, 1, exchange_cost_cuda())), c);
    EXPECT_EQ(step.not_here, "");
    EXPECT_EQ(step.depth, 3);
    EXPECT_FALSE(step.looks);
    return step.compute;
  };
  const auto near = [](double got, double measured) { EXPECT_NEAR(got / measured, 1, 0.1); };
  near(seconds(8, 1), 367e-6);
  near(seconds(8, 3), 577e-6);
  near(seconds(4, 1), 218e-6);
  near(seconds(4, 3), 331e-6);
}

TEST(Calibration, MakesASweepAgreeWithItsMeasurementOrSaysThatItCannot) {
  const Description d = laplace(8192);
  Constants c = Constants::named("NVIDIA H200");
  const auto one = [&](const Constants& x) { return predict(d, 1, "eager", x).seconds(); };
  const double before = c.efficiency_of("Relax"), measured = 1.3 * one(c);
  const auto factor = calibrate(c, measured, one);
  ASSERT_TRUE(factor.has_value());
  EXPECT_NEAR(one(c), measured, 0.01 * measured);
  EXPECT_NEAR(c.efficiency_of("Relax"), before * *factor, 1e-9);
  EXPECT_LT(*factor, 1);
  const Constants kept = c;
  EXPECT_FALSE(calibrate(c, 1e-9, one).has_value()); // less than a launch
  EXPECT_EQ(c.efficiency_of("Relax"), kept.efficiency_of("Relax"));
}

// Measurements made up from other constants are explained by the fit, though it starts elsewhere.
TEST(Calibration, FitsConstantsToMeasurementsThatOthersMade) {
  Constants truth = Constants::named("NVIDIA H200");
  truth.launch *= 1.6;
  truth.gap *= 0.7;
  truth.graph_node *= 1.4;
  truth.flag *= 2;
  truth.efficiency["Relax"] *= 0.8;
  Constants c = Constants::named("NVIDIA H200");
  std::vector<Sample> samples;
  const Joining joining = nodes_of(truth.devices_a_node);
  const Description program = laplace(4096);
  if (world().rank() != 0) return; // it takes a second, and asks nobody
  for (const long n : {256, 1024, 4096, 16384})
    for (const int devices : {1, 2, 4}) {
      const Description d = program.resized({n, n});
      const Workload load = workload(d, cut_for(d, devices, exchange_cost_cuda()));
      for (const std::string executor : {"eager", "overlapped", "graph"}) {
        const auto predicted = [=](const Constants& x) {
          return predict(load, executor, x, joining).seconds();
        };
        samples.push_back({predicted, predicted(truth)});
      }
    }
  const Fitted fitted = fit(c, samples, usual_knobs({"Relax"}));
  EXPECT_GT(fitted.before, 0.1);
  EXPECT_LT(fitted.after, 0.02);
  EXPECT_NEAR(c.efficiency_of("Relax"), truth.efficiency_of("Relax"), 0.03);
  EXPECT_EQ(c.word, Constants::named("NVIDIA H200").word); // nothing was said of it
  EXPECT_THROW(fit(c, {}, usual_knobs({})), Error);
}

} // namespace
} // namespace tasuki
