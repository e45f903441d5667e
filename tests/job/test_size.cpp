// --size and --extents: numbers, one for all axes, names, and what each program refuses.
#include <tasuki/job/size.hpp>

#include <gtest/gtest.h>

namespace tasuki::job {
namespace {

using Extents = std::vector<long>;
const Sizes kPlate = {2, 3, {{"S", {1024, 512}}, {"M", {4096, 4096}}}, "--plate"};

std::string refused(const std::string& text, const Sizes& sizes) {
  try {
    parse_size(text, "--size", sizes);
  } catch (const Error& fault) {
    return fault.what();
  }
  return "";
}

TEST(Size, IsNumbersOneNumberOrAName) {
  EXPECT_EQ(parse_size("512x1e3", "--size", kPlate), (Extents{512, 1000}));
  EXPECT_EQ(parse_size("512", "--size", kPlate), (Extents{512, 512}));
  EXPECT_EQ(parse_size("S", "--size", kPlate), (Extents{1024, 512}));
  EXPECT_EQ(parse_size("5x6x7x8", "--size", {}), (Extents{5, 6, 7, 8}));
  EXPECT_EQ(parse_size("5", "--size", {}), Extents{5});
  EXPECT_EQ(size_text({1024, 512}, kPlate), "S");
  EXPECT_EQ(size_text({1024, 513}, kPlate), "1024x513");
}

TEST(Size, IsRefusedByName) {
  EXPECT_EQ(refused("12x", kPlate),
            "--size 12x is no size: whole numbers of 3 or more; write it as S, M, 512x512: cells along each "
            "axis, x first");
  EXPECT_EQ(refused("5x6x7", kPlate),
            "--size 5x6x7 has 3 axes; write it as S, M, 512x512: cells along each axis, x first");
  EXPECT_EQ(refused("4294967298x5", kPlate), // 2x5 to an int
            "--size 4294967298x5 has more than 1073741824 along an axis; use fewer");
  for (const char* text : {"", "XL", "2x5", "-5", "1.5", "5x4294967296000000", "s"})
    EXPECT_NE(refused(text, kPlate), "") << text;
  EXPECT_NE(refused("1x2x3x4x5", {}), "");
  EXPECT_NE(refused("1e9x1e9x1e9", {}).find("more cells than can be counted"), std::string::npos);
}

TEST(Size, CountsWhatAProgramSays) {
  const Sizes replicas = {2, 1, {}, "", "atoms x replicas", "256x16"};
  EXPECT_EQ(refused("12x", replicas),
            "--size 12x is no size: whole numbers of 1 or more; write it as 256x16: atoms x replicas");
}

TEST(Size, HasItsNamesInEveryProgram) {
  for (const char* name : {"--size", "--extents", "--plate"}) {
    Extents extents;
    OptionParser line("test", "a test");
    add_size(
        line, kPlate, [&](const Extents& given) { extents = given; }, "S");
    line.read({name, "M"});
    EXPECT_EQ(extents, (Extents{4096, 4096})) << name;
    EXPECT_TRUE(line.given("--size"));
  }
}

} // namespace
} // namespace tasuki::job
