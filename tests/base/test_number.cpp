// What is a number, and what is refused by which words.
#include <tasuki/base/json_number.hpp>
#include <tasuki/base/number.hpp>
#include <tests/support.hpp>

#include <tests/checks.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace tasuki {
namespace {

template <class T>
std::string refused(const std::string& text, const Range<T>& range = {}) {
  try {
    parse_number<T>(text, "--x", range);
  } catch (const Error& fault) {
    return fault.what();
  }
  return "";
}

TEST(Number, IsWholeWhateverItIsWrittenAs) {
  for (const auto& [text, value] : {std::pair{"1e6", 1000000L},
                                    {"2.5e3", 2500L},
                                    {"-1e3", -1000L},
                                    {"+4", 4L},
                                    {"1000e-3", 1L},
                                    {"0e99", 0L},
                                    {"00012", 12L},
                                    {"1.", 1L},
                                    {"9223372036854775807", 9223372036854775807L}})
    EXPECT_EQ(parse_number<long>(text, "--x"), value) << text;
  EXPECT_EQ(parse_number<unsigned long>("18446744073709551615", "--x"), UINT64_MAX);
  EXPECT_EQ(parse_number<double>("1e-9", "--x", above(0)), 1e-9);
}

TEST(Number, IsRefusedWhereItsTypeCannotHoldIt) {
  EXPECT_EQ(refused<int>("4294967298", {1, 64}),
            "--x 4294967298 is out of range; give a whole number from 1 to 64");
  EXPECT_EQ(refused<long>("9223372036854775808", {1, 1L << 40}),
            "--x 9223372036854775808 is out of range; give a whole number of 1 or more");
  EXPECT_NE(refused<int>("2147483648"), "");
  EXPECT_NE(refused<unsigned>("-1"), "");
  EXPECT_NE(refused<long>("1e99999999999999999999"), "");
  EXPECT_NE(refused<double>("1e400"), "");
}

TEST(Number, SaysWhatItIsNot) {
  EXPECT_EQ(refused<long>("64.5", {3, 100}),
            "--x 64.5 is no whole number; give a whole number from 3 to 100");
  EXPECT_EQ(refused<double>("-1", above(0)), "--x -1 is out of range; give a number above 0");
  EXPECT_EQ(refused<double>("nan", above(0)), "--x nan is no number; give a number above 0");
  for (const char* text : {"", "-", ".", "1e", "e5", "abc", "5 ", "0x10", "1,5", "--3"}) {
    EXPECT_NE(refused<long>(text).find("is no number"), std::string::npos) << text;
    EXPECT_NE(refused<double>(text).find("is no number"), std::string::npos) << text;
  }
  EXPECT_LT(refused<long>(std::string(1000, 'a')).size(), 200u);
}

TEST(Number, ComesBackAsItWasWritten) {
  std::mt19937_64 random(test::seed());
  for (int k = 0; k < 1000; ++k) {
    const auto value = static_cast<long>(random()) >> (random() % 64);
    EXPECT_EQ(parse_number<long>(std::to_string(value), "--x"), value);
    const int zeros = static_cast<int>(random() % 4);
    const long small = value % 100000;
    long large = small;
    for (int z = 0; z < zeros; ++z) large *= 10;
    EXPECT_EQ(parse_number<long>(std::to_string(small) + "e" + std::to_string(zeros), "--x"), large);
  }
}

TEST(Number, OfBytesHasAUnit) {
  EXPECT_EQ(parse_bytes("4096", "--page"), 4096u);
  EXPECT_EQ(parse_bytes("64KiB", "--page"), 65536u);
  EXPECT_EQ(parse_bytes("1.5GiB", "--page"), 3ul << 29);
  EXPECT_EQ(test::refusal([] { parse_bytes("4 pages", "--page"); }),
            "--page '4 pages' is no number of bytes; write it as 4096, 64KiB or 1.5GiB");
  EXPECT_EQ(test::refusal([] { parse_bytes("KiB", "--page"); }),
            "--page KiB is no number of bytes; write it as 4096, 64KiB or 1.5GiB");
  EXPECT_EQ(test::refusal([] {
              parse_bytes("1KiB", "--page", {4096, 1ul << 21});
            }),
            "--page 1KiB is out of range; give a whole number from 4096 to 2097152, in bytes or as 64MiB");
}

TEST(Number, ListsAndTypes) {
  EXPECT_EQ(parse_list<int>("2,3e1", ',', "--x"), (std::vector<int>{2, 30}));
  EXPECT_THROW(parse_list<int>("2,", ',', "--x"), Error);
  EXPECT_EQ(narrow<int>(7L, "seven"), 7);
  EXPECT_THROW(narrow<int>(4294967298L, "it"), Error);
  EXPECT_EQ(parse_digits("ff", 16, "--x"), 255u);
  EXPECT_THROW(parse_digits("fg", 16, "--x"), Error);
}

TEST(Number, OfJsonIsNeitherCutNorRounded) {
  const auto json =
      nlohmann::json::parse(R"({"a": 4294967298, "b": 1.5, "c": "3", "d": null, "e": 12, "f": 1e3})");
  EXPECT_EQ(json_number<int>(json["e"], "e"), 12);
  EXPECT_EQ(json_number<long>(json["a"], "a"), 4294967298L);
  EXPECT_EQ(json_number<int>(json["f"], "f"), 1000);
  EXPECT_EQ(json_number<double>(json["b"], "b"), 1.5);
  for (const char* name : {"a", "b", "c", "d"})
    EXPECT_THROW(json_number<int>(json[name], name), Error) << name;
}

} // namespace
} // namespace tasuki
