// Which numbers are near enough to each other.
#include <gtest/gtest.h>

#include <remote/client/tolerance.hpp>

#include <cmath>
#include <cstring>
#include <limits>

#include <tasuki/base/error.hpp>

using namespace tasuki;
using namespace tasuki::remote;

namespace {

template <class T>
std::vector<unsigned char> bytes_of(const std::vector<T>& numbers, std::size_t more = 0) {
  std::vector<unsigned char> bytes(numbers.size() * sizeof(T) + more);
  std::memcpy(bytes.data(), numbers.data(), numbers.size() * sizeof(T));
  return bytes;
}

TEST(Tolerance, IsRelativeAndAbsolute) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const auto beyond = [](const std::string& text, double a, double b) {
    return parse_tolerance(text).beyond(bytes_of<double>({1, a}), bytes_of<double>({1, b}));
  };
  EXPECT_EQ(beyond("f64:1e-12", 1e100, 1e100 * (1 + 1e-13)), 0u);
  EXPECT_EQ(beyond("f64:1e-12", 1e100, 1e100 * (1 + 1e-11)), 1u);
  EXPECT_EQ(beyond("f64:1e-12", -1, 1), 1u);
  EXPECT_EQ(beyond("f64:1e-12", 0, 1e-30), 1u);
  EXPECT_EQ(beyond("f64:1e-12:1e-20", 0, 1e-30), 0u);
  EXPECT_EQ(beyond("f64:1e-12", 0, -0.0), 0u);
  EXPECT_EQ(beyond("f64:1e-12", nan, -nan), 0u);
  EXPECT_EQ(beyond("f64:1e-12", nan, 1), 1u);
  EXPECT_EQ(beyond("f64:1e-12", inf, inf), 0u);
  EXPECT_EQ(beyond("f64:0.5:1e300", inf, 1), 1u);
  EXPECT_EQ(beyond("f64:0.5", inf, -inf), 1u);
}

TEST(Tolerance, CountsNumbersAndComparesTheRestAsBytes) {
  const Tolerance t = parse_tolerance("f32:1e-5");
  auto one = bytes_of<float>({1, 2, 3}, 3), other = bytes_of<float>({1.1f, 2.000001f, 4}, 3);
  EXPECT_EQ(t.beyond(one, other), 2u);
  other.back() = 1;
  EXPECT_EQ(t.beyond(one, other), 3u);
  other.pop_back();
  EXPECT_EQ(t.beyond(one, other), 15u); // of another size
  EXPECT_EQ(t.beyond({}, {}), 0u);
}

TEST(Tolerance, IsReadFromWords) {
  EXPECT_EQ(parse_tolerance("f64:1e-12:3").absolute, 3);
  for (const char* wrong : {"", "f32", "f32:", "f16:1e-3", "f32:1", "f32:-1e-5", "f32:nan",
                            "f32:1e-5:", "f32:1e-5:inf", "f32:1e-5 ", "1e-5"})
    EXPECT_THROW(parse_tolerance(wrong), Error) << wrong;
}

} // namespace
