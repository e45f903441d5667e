// Numbers of the environment: what is none, or does not fit, is refused by the variable's name.
#include <remote/link/setting.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

#include <tasuki/base/error.hpp>

namespace tasuki::remote {
namespace {

std::string refused(const char* text, std::uint64_t least = 0, std::uint64_t most = kMostNumber) {
  setenv("TASUKI_GPUS_TEST", text, 1);
  try {
    setting_number("TASUKI_GPUS_TEST", 7, "lanes", least, most);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Setting, NumbersAreWholeAndOfTheirRange) {
  unsetenv("TASUKI_GPUS_TEST");
  EXPECT_EQ(setting_number("TASUKI_GPUS_TEST", 7, "lanes", 1, 16), 7u);
  setenv("TASUKI_GPUS_TEST", "", 1);
  EXPECT_EQ(setting_number("TASUKI_GPUS_TEST", 7, "lanes", 1, 16), 7u);
  for (const char* text : {"1", "16", "08"}) EXPECT_EQ(refused(text, 1, 16), "") << text;
  setenv("TASUKI_GPUS_TEST", "16", 1);
  EXPECT_EQ(setting_number("TASUKI_GPUS_TEST", 7, "lanes", 1, 16), 16u);
  for (const char* text : {"4x", "x", "-1", "+1", " 1", "1 ", "1.0", "1e1", "0x4", "1GiB"})
    EXPECT_EQ(refused(text, 1, 16),
              std::string("TASUKI_GPUS_TEST=") + text + " is no whole number; give lanes from 1 to 16");
  for (const char* text : {"0", "17", "18446744073709551615"})
    EXPECT_EQ(refused(text, 1, 16),
              std::string("TASUKI_GPUS_TEST=") + text + " is out of range; give lanes from 1 to 16");
  EXPECT_NE(refused("99999999999999999999"), ""); // of no type: never a part of it
  EXPECT_NE(refused("1152921504606846977"), "");  // 2^60 + 1
}

TEST(Setting, RealNumbersAreFinite) {
  double value = 0;
  EXPECT_TRUE(read_real("1e-5", value));
  EXPECT_EQ(value, 1e-5);
  for (const char* text : {"", "inf", "nan", "1e999", "1x", "x", "1 "})
    EXPECT_FALSE(read_real(text, value)) << text;
}

} // namespace
} // namespace tasuki::remote
