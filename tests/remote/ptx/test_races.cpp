// Launches that are checked report races on shared memory, and nothing else.
#include <gtest/gtest.h>

#include "machine.hpp"

namespace tasuki::remote::ptx::test {
namespace {

class Races : public testing::Test {
protected:
  Races() { m.checked = true; }
  template <class... A>
  std::string race_of(const std::string& kernel, A... arguments) {
    try {
      m.run(kernel, {1}, {128}, 0, x, arguments...);
    } catch (const Fault& fault) {
      EXPECT_EQ(fault.kind, Fault::Kind::race);
      return fault.what();
    }
    return "";
  }
  Machine m{text_of("races.ptx")};
  int* x = m.array(std::vector<int>(128, 1));
};

TEST_F(Races, AreReportedWithBothInstructions) {
  const std::string reversed =
      race_of("reversed", 0); // warp 1 wrote what warp 2 reads, or the other way round
  EXPECT_EQ(reversed.find("a race: byte "), 0u) << reversed;
  EXPECT_NE(reversed.find("since the last barrier, in kernel _Z8reversedPii, block (0,0,0)"),
            std::string::npos)
      << reversed;
  EXPECT_EQ(race_of("overwritten", 0).find("a race: byte "), 0u);
  const std::string twice = race_of("last");
  EXPECT_NE(twice.find("byte 0 of shared memory is written, and was written by warp 0 (line "),
            std::string::npos)
      << twice;
}

TEST_F(Races, AreNotWhereBarriersOrAtomicsStand) {
  for (int k = 0; k < 128; ++k) x[k] = k;
  EXPECT_EQ(race_of("reversed", 1), "");
  EXPECT_EQ(x[0], 127);
  EXPECT_EQ(race_of("overwritten", 1), "");
  EXPECT_EQ(x[0], 1);
  EXPECT_EQ(race_of("counted"), "");
  EXPECT_EQ(x[5], 128);
}

TEST_F(Races, AreNotInWhatIsRight) { // the kernels of test_threads
  Machine right(text_of("threads.ptx"));
  right.checked = true;
  auto* in = right.array(std::vector<float>(1024, 1.0f));
  auto* sums = right.array<float>(4);
  EXPECT_NO_THROW(right.run("block_sum", {4}, {256}, 1024, in, sums));
  EXPECT_EQ(sums[3], 256);
  auto *from = right.array(std::vector<double>(37 * 37, 2.0)), *to = right.array<double>(37 * 37);
  EXPECT_NO_THROW(right.run("transpose", {3, 3}, {16, 16}, 0, from, to, 37));
  auto* bytes = right.array(std::vector<unsigned char>(5000, 3));
  auto* counts = right.array<unsigned>(256);
  EXPECT_NO_THROW(right.run("histogram", {5}, {96}, 0, bytes, counts, 5000));
}

} // namespace
} // namespace tasuki::remote::ptx::test
