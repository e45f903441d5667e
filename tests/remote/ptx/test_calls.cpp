// Lanes of a warp that stand in different functions at the same time: each keeps its own registers.
#include "machine.hpp"

#include <gtest/gtest.h>

namespace tasuki::remote::ptx::test {
namespace {

// WAIT stands where lanes let others go on.
constexpr const char* kText = R"(
.version 7.0
.target sm_75
.address_size 64

.func (.param .b64 r) wide(.param .b64 x) // 7 x, in 64 bits
{
  .reg .b64 %rd<5>;
  ld.param.b64 %rd1, [x];
  mul.lo.u64 %rd2, %rd1, 3;
  mul.lo.u64 %rd3, %rd1, 4;
  WAIT
  add.u64 %rd4, %rd2, %rd3;
  st.param.b64 [r], %rd4;
  ret;
}

.func (.param .b64 r) narrow(.param .b64 x) // 11 x, in 32 bits
{
  .reg .b32 %r<7>;
  .reg .b64 %rd<2>;
  ld.param.b32 %r1, [x];
  shl.b32 %r2, %r1, 1;
  shl.b32 %r3, %r1, 3;
  add.u32 %r4, %r1, %r2;
  WAIT
  add.u32 %r5, %r3, %r4;
  cvt.u64.u32 %rd1, %r5;
  st.param.b64 [r], %rd1;
  ret;
}

.func (.param .b64 r) others(.param .b64 x) // lanes but 0 whose x is a multiple of 3
{
  .reg .b32 %r<5>;
  .reg .b64 %rd<2>;
  .reg .pred %p1;
  ld.param.b32 %r1, [x];
  rem.u32 %r2, %r1, 3;
  setp.eq.u32 %p1, %r2, 0;
  vote.sync.ballot.b32 %r3, %p1, 0xfffffffe;
  WAIT
  cvt.u64.u32 %rd1, %r3;
  st.param.b64 [r], %rd1;
  ret;
}

.func (.param .b64 r) always(.param .b64 x) // x and 5, by predicates that are constants
{
  .reg .b64 %rd<4>;
  .reg .pred %p<3>;
  ld.param.b64 %rd1, [x];
  mov.pred %p1, -1;
  mov.pred %p2, 0;
  selp.b64 %rd2, %rd1, 1000, %p1;
  selp.b64 %rd3, 1000, 5, %p2;
  add.u64 %rd1, %rd2, %rd3;
  st.param.b64 [r], %rd1;
  ret;
}
)";

// Lane k calls one of two functions with k, and `out[k]` is what it gives.
std::string kernel(const std::string& name, const std::string& first, const std::string& second,
                   const std::string& whether_first) {
  const auto call = [](const std::string& function) {
    return "  { .param .b64 x; .param .b64 r; st.param.b64 [x], %rd1; call (r), " + function +
           ", (x); ld.param.b64 %rd2, [r]; }\n";
  };
  return ".visible .entry " + name + R"((.param .u64 out)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<6>;
  .reg .pred %p1;
  mov.u32 %r1, %tid.x;
  cvt.u64.u32 %rd1, %r1;
  )" + whether_first +
         "\n  @%p1 bra FIRST;\n" + call(second) + "  bra.uni BOTH;\nFIRST:\n" + call(first) + R"(BOTH:
  ld.param.u64 %rd3, [out];
  shl.b64 %rd4, %rd1, 3;
  add.u64 %rd5, %rd3, %rd4;
  st.global.u64 [%rd5], %rd2;
  ret;
}
)";
}

class Calls : public testing::TestWithParam<const char*> {
protected:
  std::vector<std::uint64_t> run(const std::string& kernel_text) {
    std::string text = kText + kernel_text;
    for (std::size_t at; (at = text.find("WAIT")) != std::string::npos;) text.replace(at, 4, GetParam());
    Machine m(text);
    const auto* out = m.array<std::uint64_t>(kLanes);
    m.run("chosen", {1}, {kLanes}, 0, out);
    return {out, out + kLanes};
  }
};

TEST_P(Calls, LanesInDifferentFunctionsKeepTheirRegisters) {
  const auto out = run(kernel("chosen", "wide", "narrow", "setp.lt.u32 %p1, %r1, 16;"));
  for (std::uint64_t k = 0; k < kLanes; ++k) EXPECT_EQ(out[k], k * (k < 16 ? 7 : 11)) << "lane " << k;
}

// Lane 0 waits in another function, where the registers of the one that the others call would lie.
TEST_P(Calls, LanesThatCallFromTwoPlacesVote) {
  const auto out = run(R"(
.func (.param .b64 r) either(.param .b64 x)
{
  .reg .b64 %rd<3>;
  .reg .pred %p1;
  ld.param.b64 %rd1, [x];
  setp.eq.u64 %p1, %rd1, 0;
  @!%p1 bra OTHERS;
  { .param .b64 a; .param .b64 b; st.param.b64 [a], %rd1; call (b), wide, (a); ld.param.b64 %rd2, [b]; }
  bra.uni ALL;
OTHERS:
  and.b64 %rd2, %rd1, 1;
  setp.eq.u64 %p1, %rd2, 0;
  @%p1 bra EVEN;
  { .param .b64 a; .param .b64 b; st.param.b64 [a], %rd1; call (b), others, (a); ld.param.b64 %rd2, [b]; }
  bra.uni ALL;
EVEN:
  { .param .b64 a; .param .b64 b; st.param.b64 [a], %rd1; call (b), others, (a); ld.param.b64 %rd2, [b]; }
ALL:
  st.param.b64 [r], %rd2;
  ret;
}
)" + kernel("chosen", "either", "wide", "setp.lt.u32 %p1, %r1, 32;"));
  std::uint64_t multiples = 0;
  for (std::uint64_t k = 3; k < kLanes; k += 3) multiples |= 1ull << k;
  for (std::uint64_t k = 0; k < kLanes; ++k) EXPECT_EQ(out[k], k ? multiples : 0) << "lane " << k;
}

TEST_P(Calls, ConstantPredicatesHoldWhereLane0IsElsewhere) {
  const auto out = run(kernel("chosen", "wide", "always", "setp.lt.u32 %p1, %r1, 16;"));
  for (std::uint64_t k = 0; k < kLanes; ++k) EXPECT_EQ(out[k], k < 16 ? 7 * k : k + 5) << "lane " << k;
}

// By a barrier of the warp, or as lanes that have run for long let others go on.
INSTANTIATE_TEST_SUITE_P(Waits, Calls, testing::Values("bar.warp.sync 0xffffffff;", "nanosleep.u32 1;"),
                         [](const auto& wait) { return wait.index ? "Turns" : "Barrier"; });

} // namespace
} // namespace tasuki::remote::ptx::test
