// Instructions with what C++ says that they give, on values where arithmetic has its edges. The unit test holds the
// interpreter against the second; on a machine with a GPU, compare_gpu holds it against the first.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tasuki::remote::ptx::test {

struct Case {
  std::string op;                // add.rn.f32
  std::string to;                // pred, or a type's bits: 16, 32, 64
  std::vector<std::string> from; // types of its operands: f32
  std::function<std::uint64_t(std::uint64_t, std::uint64_t, std::uint64_t)> expected; // bits; empty: .approx
};

std::vector<Case> cases();

constexpr int kValues = 4096; // each case's operands
// Operand k of all values of a case; as bits.
std::vector<std::uint64_t> operands(const Case& c, std::size_t k, std::uint64_t seed);

// A kernel for each case, case_0 ..: (u64 a, u64 b, u64 c, u64 d, u32 n), arrays of 64 bits.
std::string text_of_cases(const std::vector<Case>& all);

// Whether bits are a NaN of the case's result, of which the bits are not told by C++.
bool is_nan(const Case& c, std::uint64_t bits);

} // namespace tasuki::remote::ptx::test
