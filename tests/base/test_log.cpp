// Who says what was decided, and how often.
#include <tasuki/base/log.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

// What this rank writes to standard error where each of two lines is said twice.
std::string said(const std::string& level) {
  const auto world = test::world_with([&](Settings& s) { s.log = level; });
  testing::internal::CaptureStderr();
  for (int turn = 0; turn < 2; ++turn) {
    log_info(*world, [] { return "cut 2x1"; });
    log_debug(*world, [] { return "plan 1"; });
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Log, IsOfRank0AndSaysALineOnce) {
  const bool speaks = test::world().rank() == 0;
  EXPECT_EQ(said("quiet"), "");
  EXPECT_EQ(said("info"), speaks ? "tasuki info: cut 2x1\n" : "");
  EXPECT_EQ(said("debug"), speaks ? "tasuki info: cut 2x1\ntasuki debug: plan 1\n" : "");
}

TEST(Log, MakesNoTextThatNobodyAskedFor) {
  const auto world = test::world_with([](Settings& s) { s.log = "info"; });
  testing::internal::CaptureStderr();
  int made = 0;
  log_debug(*world, [&] { return std::to_string(++made); });
  EXPECT_EQ(made, 0);
  log_info(*world, [&] { return std::to_string(++made); });
  EXPECT_EQ(made, world->rank() == 0);
  testing::internal::GetCapturedStderr();
}

} // namespace
} // namespace tasuki
