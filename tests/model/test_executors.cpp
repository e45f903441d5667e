// What a run takes by the model alone, on machines that are described: never what cannot do it there, and of the others
// the one that it should be.
#include <tasuki/base/executors.hpp>
#include <tasuki/model/predict.hpp>
#include <tests/model/described.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace tasuki {
namespace {

using test::laplace;
using test::weighed;

using Names = std::vector<std::string>;

// Those that are possible, the fastest first.
Names order(Description program, const Looks& looks, int devices = 1,
            const Constants& constants = Constants::named("NVIDIA H200")) {
  program.looks = looks;
  std::vector<Prediction> predictions;
  for (const std::string& executor : executor_names())
    predictions.push_back(predict(program, devices, executor, constants));
  Names names;
  for (const Prediction& p : fastest_first(predictions)) names.push_back(p.executor);
  return names;
}

bool has(const Names& names, const char* name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr Looks kNever{}, kEveryStep{.every = 1}, kByHost{.every = 1, .in_kernels = false},
    kTold{.every = 1, .late = true, .told = true};

// With a look, passes on one device are about as fast (one H100, 1024^2, a look in every step: 6.4 us, resident 8.6).
TEST(Choice, OfASmallBlockIsTheKernelThatStays) {
  for (const Looks& looks : {kNever, kEveryStep, Looks{.every = 1, .late = true}, Looks{.every = 10}})
    for (const int devices : {1, 2, 4})
      for (const long n : {512, 1024}) {
        const std::string first = order(laplace(n, looks.every > 0), looks, devices).front();
        EXPECT_TRUE(first == "resident" || (first == "blocked" && devices == 1 && looks.every > 0))
            << first << ", " << n << "^2, a look every " << looks.every << ", " << devices << " devices";
      }
}

// himeno M on two H100 with a look in every step takes 83 us by a graph, and 197 where most data of a resident kernel
// comes from memory: a tile's threads wait for their loads.
TEST(Choice, OfABlockWhoseDataStaysInMemoryIsNotTheKernelThatStays) {
  constexpr Looks kLate{.every = 1, .late = true};
  for (const char* machine : {"NVIDIA H100 80GB HBM3", "NVIDIA H200"}) {
    const Constants& c = Constants::named(machine);
    EXPECT_EQ(order(weighed({256, 128, 128}), kLate, 2, c).front(), "graph") << machine;
    EXPECT_EQ(order(weighed({128, 64, 64}), kLate, 2, c).front(), "resident") << machine;
  }
}

// They look by themselves, but have no exact sums to tell.
TEST(Choice, PassesOfSeveralStepsAreNotTakenWhereTheHostLooksAtEachOfThem) {
  for (const long n : {512, 4096, 16384})
    for (const int devices : {1, 2}) {
      const Description program = laplace(n, true).with_halo(8);
      EXPECT_TRUE(has(order(program, kEveryStep, devices), "blocked")) << n;
      EXPECT_FALSE(has(order(program, kTold, devices), "blocked")) << n;
      EXPECT_FALSE(has(order(program, kByHost, devices), "blocked")) << n;
      EXPECT_FALSE(has(order(program, kByHost, devices), "resident")) << n;
      EXPECT_TRUE(has(order(program, {.every = 100, .in_kernels = false}, devices), "blocked")) << n;
    }
}

TEST(Choice, OfALargeBlockIsPassesWhereNobodyLooks) {
  EXPECT_EQ(order(laplace(4096), kNever).front(), "blocked");
  EXPECT_EQ(order(laplace(4096), {.every = 1000}).front(), "blocked");
  EXPECT_FALSE(has(order(laplace(16384), kNever), "resident")); // it does not fit
}

TEST(Choice, BeyondANodeIsNeitherAGraphNorAKernelThatStays) {
  const Constants c = Constants::named("NVIDIA H200");
  for (const Looks& looks : {kNever, kEveryStep, kByHost})
    for (const long n : {512, 4096}) {
      const Names names = order(laplace(n, true), looks, 2 * c.devices_a_node);
      EXPECT_FALSE(has(names, "graph"));
      EXPECT_FALSE(has(names, "resident"));
      EXPECT_TRUE(has(names, "overlapped"));
    }
}

TEST(Choice, OnTheHostIsWhatTheHostHas) {
  for (const Looks& looks : {kNever, kEveryStep, kByHost})
    for (const int devices : {1, 2})
      for (const std::string& name : order(laplace(256, true), looks, devices, Constants::named("host")))
        for (const ExecutorRow& row : kExecutors) EXPECT_FALSE(name == row.name && row.gpus_only) << name;
}

TEST(Choice, KeepsTheOrderOfEquals) {
  std::vector<Prediction> all;
  for (const char* name : {"a", "b", "c", "d"}) all.push_back({name, 1, {}, ""});
  all[0].parts[Part::host] = 2;
  all[1].parts[Part::host] = all[2].parts[Part::latency] = 1;
  all[3].not_here = "no";
  const std::vector<Prediction> sorted = fastest_first(all);
  ASSERT_EQ(sorted.size(), 3u);
  EXPECT_EQ(sorted[0].executor + sorted[1].executor + sorted[2].executor, "bca");
}

} // namespace
} // namespace tasuki
