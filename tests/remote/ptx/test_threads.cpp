// Kernels that nvcc compiled, each against a plain computation: divergence, barriers, votes, atomics, calls, printf.
#include "machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace tasuki::remote::ptx::test {
namespace {

std::vector<int> numbers(int n, int most) {
  std::mt19937 random(12345); // the same in each run: what is tested is not the numbers
  std::vector<int> values(static_cast<std::size_t>(n));
  for (int& v : values) v = 1 + static_cast<int>(random() % static_cast<unsigned>(most));
  return values;
}

TEST(Threads, TheFirstPage) {
  Machine m(text_of("many.ptx"));
  const int n = 1000;
  auto* x = m.array<float>(n);
  for (int t = 0; t < 30; ++t) m.run("step", {4}, {256}, 0, x, n);
  float expected = 0;
  for (int t = 0; t < 30; ++t) expected = 0.5f * expected + 1.0f;
  for (int i = 0; i < n; ++i) ASSERT_EQ(x[i], expected) << i;
}

class Kernels : public testing::Test {
protected:
  Machine m{text_of("threads.ptx")};
};

TEST_F(Kernels, LoopsOfDifferentLength) {
  const int n = 300;
  const std::vector<int> from = numbers(n, 100000);
  auto *in = m.array(from), *out = m.array<int>(n);
  m.run("collatz", {3}, {128}, 0, in, out, n);
  for (int i = 0; i < n; ++i) {
    int count = 0;
    for (long long v = from[static_cast<std::size_t>(i)]; v != 1; v = v % 2 ? 3 * v + 1 : v / 2) ++count;
    ASSERT_EQ(out[i], count) << i;
  }
}

TEST_F(Kernels, SumInSharedMemory) {
  for (const unsigned threads : {32u, 64u, 256u, 1024u}) {
    const std::vector<int> from = numbers(static_cast<int>(3 * threads), 1000);
    auto* in = m.array(std::vector<float>(from.begin(), from.end()));
    auto* out = m.array<float>(3);
    m.run("block_sum", {3}, {threads}, threads * 4, in, out);
    for (unsigned b = 0; b < 3; ++b)
      EXPECT_EQ(out[b], std::accumulate(in + b * threads, in + (b + 1) * threads, 0.0f)) << threads;
  }
}

TEST_F(Kernels, Transpose) {
  const int n = 37;
  std::vector<double> from(n * n);
  std::iota(from.begin(), from.end(), 0.5);
  auto *in = m.array(from), *out = m.array<double>(n * n);
  m.run("transpose", {3, 3}, {16, 16}, 0, in, out, n);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) ASSERT_EQ(out[y * n + x], in[x * n + y]);
}

TEST_F(Kernels, VotesAndShufflesAfterLanesParted) {
  const int n = 256;
  const std::vector<int> from = numbers(n, 100);
  auto *in = m.array(from), *sums = m.array<int>(n / 32);
  auto* odd = m.array<unsigned>(n);
  m.run("warp_sum", {2}, {128}, 0, in, sums, odd);
  for (int w = 0; w < n / 32; ++w) {
    int sum = 0;
    unsigned bits = 0;
    for (int k = 0; k < 32; ++k) {
      const int v = from[static_cast<std::size_t>(32 * w + k)];
      sum += v & 1 ? 3 * v : v;
      bits |= static_cast<unsigned>(v & 1) << k;
    }
    EXPECT_EQ(sums[w], sum);
    for (int k = 0; k < 32; ++k) EXPECT_EQ(odd[32 * w + k], bits);
  }
}

TEST_F(Kernels, HalvesOfAWarp) {
  auto* out = m.array<int>(64);
  m.run("halves", {1}, {64}, 0, out);
  for (int w = 0; w < 2; ++w) {
    EXPECT_EQ(out[32 * w], 120); // 0 + 1 + .. + 15
    for (int k = 16; k < 32; ++k) EXPECT_EQ(out[32 * w + k], 31);
  }
}

TEST_F(Kernels, Histogram) {
  const std::vector<int> from = numbers(5000, 256);
  std::vector<unsigned char> bytes;
  std::vector<unsigned> expected(256, 0);
  for (const int v : from) {
    bytes.push_back(static_cast<unsigned char>(v - 1));
    ++expected[bytes.back()];
  }
  auto* in = m.array(bytes);
  auto* counts = m.array<unsigned>(256);
  m.run("histogram", {5}, {96}, 0, in, counts, 5000);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), counts));
}

TEST_F(Kernels, BarriersThatCount) {
  auto* out = m.array<int>(100);
  m.run("counted", {1}, {100}, 0, out, 5);
  int expected = 0;
  for (int k = 0; k < 5; ++k) {
    for (int t = 0; t < 100; ++t) expected += t % (k + 2) == 0;
    expected += 100000;
  }
  for (int t = 0; t < 100; ++t) EXPECT_EQ(out[t], expected) << t;
}

TEST_F(Kernels, FunctionsThatCallThemselves) {
  auto* out = m.array<int>(64);
  m.run("recursive", {1}, {64}, 0, out);
  const int expected[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  for (int t = 0; t < 64; ++t) EXPECT_EQ(out[t], expected[t % 12]) << t;
}

TEST_F(Kernels, PointersInStructs) {
  auto* nodes = m.array<std::uint64_t>(2 * 50);
  auto* sum = m.array<int>(1);
  m.run("link", {1}, {64}, 0, nodes, 50);
  m.run("walk", {1}, {1}, 0, nodes, sum);
  int expected = 0;
  for (int k = 0; k < 50; ++k) expected += k * k;
  EXPECT_EQ(*sum, expected);
}

TEST_F(Kernels, FunctionsInATableAndConstants) {
  auto* out = m.array<int>(64);
  auto* weighted = m.array<float>(64);
  m.run("through_table", {1}, {64}, 0, out, weighted);
  const float weights[] = {0.5f, 0.25f, 0.125f, 2.0f};
  for (int t = 0; t < 64; ++t) {
    EXPECT_EQ(out[t], 7 * (t & 1 ? t - 3 : t + 3));
    EXPECT_EQ(weighted[t], weights[t & 3] * static_cast<float>(t));
  }
  *reinterpret_cast<int*>(m.program.variable("scale").address) = 2;
  m.run("through_table", {1}, {64}, 0, out, weighted);
  EXPECT_EQ(out[4], 14);
}

TEST_F(Kernels, ArraysOfAThread) {
  auto* out = m.array<int>(64);
  m.run("local_array", {1}, {64}, 0, out, 100);
  for (int t = 0; t < 64; ++t) {
    int own[32], sum = 0;
    for (int k = 0; k < 32; ++k) own[k] = t * k;
    for (int k = 0; k < 100; ++k) own[(k * 7 + t) & 31] += own[(k * 3) & 31];
    for (const int v : own) sum += v;
    EXPECT_EQ(out[t], sum) << t;
  }
}

TEST_F(Kernels, Printf) {
  m.run("says", {1}, {32}, 0, 2);
  EXPECT_EQ(m.printed, "thread 0 of says: 0.000 1099511627776\nthread 1 of says: 0.125 1099511627776\n");
}

TEST_F(Kernels, AWildPointerIsAFaultAndNoCrash) {
  try {
    m.run("wild", {1}, {32}, 0, reinterpret_cast<int*>(16));
    FAIL();
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind, Fault::Kind::address);
    EXPECT_NE(std::string(fault.what())
                  .find("address 0x10 is of no memory in kernel _Z4wildPi, block (0,0,0), thread (0,0,0)"),
              std::string::npos)
        << fault.what();
  }
  auto* x = m.array<int>(32);
  try {
    m.run("wild", {1}, {32}, 0, reinterpret_cast<int*>(reinterpret_cast<std::uint64_t>(x) + 2));
    FAIL();
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind, Fault::Kind::misaligned);
  }
}

TEST_F(Kernels, BlocksThatWaitForEachOther) {
  auto *next = m.array<int>(1), *out = m.array<int>(40);
  m.run("ticket", {40}, {32}, 0, next, out);
  for (int b = 0; b < 40; ++b) EXPECT_EQ(out[b], 1 + b * (b + 1) / 2);
}

TEST_F(Kernels, LanesThatWaitForEachOther) {
  auto *lock = m.array<int>(1), *count = m.array<int>(1);
  m.run("spin", {2}, {64}, 0, lock, count);
  EXPECT_EQ(*count, 128);
}

} // namespace
} // namespace tasuki::remote::ptx::test
