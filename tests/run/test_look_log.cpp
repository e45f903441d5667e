// The log of looks, by the host in the place of a kernel's tiles: the host gets the parts that they leave, in order.
#include <tasuki/device/exact_sum.hpp>
#include <tasuki/run/look_log.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace tasuki {
namespace {

using test::pick;
using test::Random;

class Logs : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    made_ = test::world_with([](Settings& s) {
      s.device = "host";
      s.sums = GetParam();
    });
  }
  Device& device() { return made_->part<Device>(); }
  std::unique_ptr<World> made_;
};

constexpr int kTiles = 7;

TEST_P(Logs, GiveTheSumsOfTheTilesDigits) {
  const Sum<double> sum(*made_, "sum");
  if (!sum.core()->exact()) {
    EXPECT_FALSE(LookLog::possible(*sum.core())) << "numbers that are added in any order";
    return;
  }
  ASSERT_TRUE(LookLog::possible(*sum.core()));
  LookLog log(device(), sum.core(), kTiles);
  Random random = test::random(71);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int launch = 0; launch < 3; ++launch) { // the second begins with an empty log
    TiledLaunch l;
    log.tell(l);
    const long looks = pick(random, 1, log.most());
    std::vector<double> due;
    for (long look = 0; look < looks; ++look) {
      due.push_back(0);
      auto* const digits = reinterpret_cast<long long*>(l.log) + look * ExactSum::kSize;
      for (int tile = 0; tile < kTiles; ++tile) {
        const auto x = std::ldexp(static_cast<double>(pick(random, -1000, 1000)), -3);
        due.back() += x; // exact
        exact_split(x, [&](int k, long long amount) { digits[k] += amount; });
      }
    }
    log.take();
    const auto parts = log.parts(looks);
    ASSERT_EQ(parts.size(), due.size());
    for (std::size_t k = 0; k < due.size(); ++k) EXPECT_EQ(sum.value_of(parts[k]), due[k]) << "look " << k;
  }
}

TEST_P(Logs, MergeThePartsOfTiles) {
  const Max<float> most(*made_, "most");
  ASSERT_TRUE(LookLog::possible(*most.core()));
  const LookLog log(device(), most.core(), kTiles);
  TiledLaunch l;
  log.tell(l);
  Random random = test::random(72);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  std::vector<float> due;
  for (long look = 0; look < log.most(); ++look) {
    due.push_back(-1);
    for (int tile = 0; tile < kTiles; ++tile) {
      const auto x = static_cast<float>(pick(random, 0, 1000));
      due.back() = std::max(due.back(), x);
      std::memcpy(l.log + l.log_bytes * (look * kTiles + tile), &x, sizeof x);
    }
  }
  log.take();
  const auto parts = log.parts(log.most());
  for (std::size_t k = 0; k < due.size(); ++k) EXPECT_EQ(most.value_of(parts[k]), due[k]) << "look " << k;
}

INSTANTIATE_TEST_SUITE_P(Sums, Logs, testing::Values("exact", "fast"));

} // namespace
} // namespace tasuki
