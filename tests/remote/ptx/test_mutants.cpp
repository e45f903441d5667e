// Texts that are broken at random: an Error or a program, never a crash; and texts that are broken in known ways.
#include <tasuki/base/error.hpp>

#include <gtest/gtest.h>

#include <random>

#include "../dice.hpp"
#include "machine.hpp"

namespace tasuki::remote::ptx::test {
namespace {

void load(const std::string& text) {
  std::vector<std::uint64_t> variables;
  Program program(text, [&](std::uint64_t bytes) -> std::uint64_t {
    if (bytes > 1u << 20) throw Error("a mutant has large variables", "none");
    variables.resize(bytes / 8 + 65);
    return (reinterpret_cast<std::uint64_t>(variables.data()) + 255) / 256 * 256;
  });
}

std::string message_of(const std::string& body) {
  try {
    load(".version 9.0\n.target sm_90\n.address_size 64\n" + body);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Text, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_EQ(
      message_of(".visible .entry k() { bra AWAY; ret; }"),
      "PTX, line 4: label AWAY of k stands nowhere; compile the program again with nvcc of CUDA 12 or 13");
  EXPECT_EQ(message_of(".visible .entry k() {\n.reg .b32 %r<2>;\nwgmma.fence.sync.aligned;\nret; }"),
            "kernel k: wgmma.fence.sync.aligned (line 6 of its PTX) is not interpreted; run it on a server "
            "with a GPU");
  EXPECT_EQ(message_of(".visible .entry k() {\n.reg .b32 %r<2>;\nadd.u32 %r0, %r1;\n}"),
            "kernel k: add.u32 (line 6 of its PTX) is not interpreted: it has too few operands; run it on a "
            "server with a GPU");
  EXPECT_EQ(message_of(".visible .entry k() {\n.reg .pred %p;\n.reg .b32 %r<2>;\nadd.u32 %r0, %r1, %p;\n}"),
            "kernel k: add.u32 (line 7 of its PTX) is not interpreted: a predicate stands where a value "
            "belongs; run it on a server with a GPU");
  EXPECT_EQ(message_of(".extern .func f();\n.visible .entry k() {\ncall f;\n}"),
            "kernel k: call (line 6 of its PTX) is not interpreted: function f is of another module; run it "
            "on a server with a GPU");
  EXPECT_EQ(message_of(
                ".visible .entry k(.param .u64 t) {\n.reg .b32 %r<5>;\n.reg .b64 %w;\nld.param.u64 %w, [t];\n"
                "tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%w, {%r4}];\nret; }"),
            "kernel k: tex.1d.v4.u32.s32 (line 8 of its PTX) is of textures and surfaces, which are not "
            "served; use "
            "linear memory (cudaMalloc, cudaMallocPitch, cudaMalloc3D)");
  EXPECT_EQ(message_of(".global .texref t;"),
            "PTX, line 4: textures and surfaces are not interpreted; compile the program again with nvcc of "
            "CUDA 12 or 13");
  EXPECT_EQ(message_of(".visible .entry k() { .reg .b32 %r<99999999>; }"),
            "PTX, line 4: too many registers; compile the program again with nvcc of CUDA 12 or 13");
  for (const char* number :
       {"99999999999999999999", "0x10000000000000000", "08", "0b2", "12q", "0f0000000g", "0d00", "1.5e999"})
    EXPECT_NE(message_of(std::string(".global .b64 x = ") + number + ";").find("is no number of 64 bits"),
              std::string::npos)
        << number << ": " << message_of(std::string(".global .b64 x = ") + number + ";");
  for (const char* number : {"18446744073709551615", "0xffffFFFFffffFFFFU", "017", "0b101", "0", "0f3F800000",
                             "0d3FF0000000000000"})
    EXPECT_EQ(message_of(std::string(".global .b64 x = ") + number + ";"), "") << number;
}

TEST(Text, Mutants) {
  std::mt19937_64 random(seed_of_test());
  const std::string origins[] = {text_of("many.ptx"), text_of("threads.ptx")};
  const char* words[] = {".reg", "%r1", "%p1", "ld",          ".global", "{",    "}",   ";", ",", "[",
                         "]",    "-1",  "0",   "99999999999", ".param",  "call", "bra", "@", "!", "."};
  int programs = 0, errors = 0;
  for (int k = 0; k < longer(3000); ++k) {
    std::string text = origins[k % 16 == 0];
    for (std::uint64_t n = 1 + random() % 3; n > 0; --n) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0: text[at] = static_cast<char>(random()); break;
        case 1: text.erase(at, 1 + random() % 30); break;
        case 2: text.insert(at, words[random() % 20]); break;
        default: text.insert(at, text.substr(random() % text.size(), random() % 60)); break;
      }
    }
    try {
      load(text);
      ++programs;
    } catch (const Error&) {
      ++errors;
    }
  }
  EXPECT_GT(programs, 100);
  EXPECT_GT(errors, 100);
}

} // namespace
} // namespace tasuki::remote::ptx::test
