// NaNs as an H200 gives them (compare_gpu): what C++ leaves open.
#include <gtest/gtest.h>

#include "machine.hpp"

namespace tasuki::remote::ptx::test {
namespace {

struct Row {
  const char* op;
  int bits, from; // of the result, and of each operand
  std::uint64_t a, b, c, expected;
};

// What a kernel of one instruction makes of these bits.
std::uint64_t result_of(const Row& row) {
  const std::string op = row.op;
  const int n = op.compare(0, 3, "fma") == 0 ? 3
                : op.compare(0, 3, "cvt") == 0 || op.compare(0, 3, "abs") == 0 || op.compare(0, 3, "neg") == 0
                    ? 1
                    : 2;
  std::string text =
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 d, .param .u64 a, .param "
      ".u64 b, .param .u64 c)\n"
      "{\n  .reg .b16 %h<4>;\n  .reg .b32 %r<4>;\n  .reg .b64 %w<4>, %d;\n";
  const auto reg = [](int bits) { return bits == 16 ? " %h" : bits == 32 ? " %r" : " %w"; };
  std::string list;
  for (int k = 1; k <= n; ++k) {
    const std::string place = std::to_string(k);
    text += "  ld.param.u64 %w" + place + ", [" + std::string(1, static_cast<char>('a' + k - 1)) + "];\n";
    if (row.from < 64)
      text += "  cvt.u" + std::to_string(row.from) + ".u64" + reg(row.from) + place + ", %w" + place + ";\n";
    list += "," + (reg(row.from) + place);
  }
  text += "  " + op + reg(row.bits) + "0" + list + ";\n  ld.param.u64 %d, [d];\n";
  if (row.bits < 64) text += "  cvt.u64.u" + std::to_string(row.bits) + " %w0," + reg(row.bits) + "0;\n";
  Machine m(text + "  st.global.u64 [%d], %w0;\n  ret;\n}\n");
  auto* d = m.array<std::uint64_t>(1);
  m.run("k", {1}, {1}, 0, d, row.a, row.b, row.c);
  return *d;
}

TEST(NaN, AsAnH200GivesThem) {
  const Row rows[] = {
      {"abs.f32", 32, 32, 0x7fc00000, 0, 0, 0x7fffffff},
      {"neg.f32", 32, 32, 0x7fc00000, 0, 0, 0x7fffffff},
      {"copysign.f32", 32, 32, 0, 0x7fc00000, 0, 0x7fc00000},
      {"add.rn.f64", 64, 64, 0xfffffffffffffffe, 0x7ff8000000000000, 0, 0x7ff8000000000000},
      {"sub.rn.f64", 64, 64, 0xfff8000000012345, 0x7ff8000000000000, 0, 0x7ff8000000000000},
      {"add.rz.f64", 64, 64, 0x7ff8000000000001, 0x7ff8000000000002, 0, 0x7ff8000000000002},
      {"mul.rp.f64", 64, 64, 0x7ff8000000000001, 0x7ff8000000000000, 0, 0x7ff8000000000000},
      {"fma.rn.f64", 64, 64, 0xfff8000000012345, 0, 0x7ff8000000000000, 0x7ff8000000000000},
      {"fma.rm.f64", 64, 64, 0x7ff8000000000000, 0x0010000000000000, 0xfff8000000012345, 0xfff8000000012345},
      {"fma.rn.f64", 64, 64, 0x0010000000000000, 0x7ff8000000000000, 0xfff8000000012345, 0x7ff8000000000000},
      {"fma.rz.f64", 64, 64, 0x92327d6384713b40, 0x7fffffffffffffff, 0x7ff8000000000000, 0x7fffffffffffffff},
      {"div.rn.f64", 64, 64, 0xfff8000000012345, 0x7ff8000000000000, 0, 0xfff8000000012345},
      {"min.f64", 64, 64, 0x7fffffffffffffff, 0xfff0000000000001, 0, 0xfff8000000000001},
      {"max.f64", 64, 64, 0xfff0000000000001, 0x7ff0000000000002, 0, 0x7ff8000000000002},
      {"abs.f64", 64, 64, 0xfff8000000012345, 0, 0, 0xfff8000000012345},
      {"neg.f64", 64, 64, 0x7ff8000000000000, 0, 0, 0x7ff8000000000000},
      {"cvt.rni.s64.f32", 64, 32, 0x7fc00000, 0, 0, 0x8000000000000000},
      {"cvt.rzi.u64.f32", 64, 32, 0x7fc00000, 0, 0, 0x8000000000000000},
      {"cvt.rzi.s32.f64", 32, 64, 0x7ff8000000000000, 0, 0, 0x80000000},
      {"cvt.rmi.u32.f64", 32, 64, 0x7ff8000000000000, 0, 0, 0x80000000},
      {"cvt.rzi.s32.f32", 32, 32, 0x7fc00000, 0, 0, 0},
      {"cvt.rn.f32.f64", 32, 64, 0x7ff8000000000000, 0, 0, 0x7fc00000},
      {"cvt.rn.f16.f64", 16, 64, 0x7ff8000000000000, 0, 0, 0x7e00},
      {"cvt.f64.f16", 64, 16, 0x7c01, 0, 0, 0x7ff8040000000000},
  };
  for (const Row& row : rows)
    EXPECT_EQ(result_of(row), row.expected)
        << row.op << " " << std::hex << row.a << " " << row.b << " " << row.c;
}

} // namespace
} // namespace tasuki::remote::ptx::test
