// Each instruction and type against what C++ says, at edges and at random.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>

#include "cases.hpp"
#include "machine.hpp"

namespace tasuki::remote::ptx::test {
namespace {

TEST(Opcodes, AgainstATableOfCpp) {
  const char* given = std::getenv("TASUKI_TEST_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::printf("TASUKI_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const std::vector<Case> all = cases();
  ASSERT_GT(all.size(), 250u);
  Machine m(text_of_cases(all));
  for (std::size_t n = 0; n < all.size(); ++n) {
    const Case& c = all[n];
    if (!c.expected) continue;
    std::vector<std::uint64_t> in[3];
    std::uint64_t* places[3] = {};
    for (std::size_t k = 0; k < c.from.size(); ++k) places[k] = m.array(in[k] = operands(c, k, seed));
    auto* out = m.array<std::uint64_t>(kValues);
    m.run("case_" + std::to_string(n), {kValues / 128}, {128}, 0, places[0], places[1], places[2], out,
          kValues);
    int wrong = 0;
    for (std::size_t i = 0; i < kValues; ++i) {
      const auto at = [&](std::size_t k) { return k < c.from.size() ? in[k][i] : 0; };
      const std::uint64_t expected = c.expected(at(0), at(1), at(2));
      if (out[i] == expected || (is_nan(c, expected) && is_nan(c, out[i])) || ++wrong > 3) continue;
      char line[200];
      std::snprintf(line, sizeof line, "%s of %llx %llx %llx is %llx and not %llx", c.op.c_str(),
                    (unsigned long long)at(0), (unsigned long long)at(1), (unsigned long long)at(2),
                    (unsigned long long)out[i], (unsigned long long)expected);
      ADD_FAILURE() << line;
    }
    for (std::uint64_t* p : places)
      if (p) m.release(reinterpret_cast<std::uint64_t>(p));
  }
}

} // namespace
} // namespace tasuki::remote::ptx::test
