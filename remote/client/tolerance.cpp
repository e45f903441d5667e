#include <remote/client/tolerance.hpp>
#include <remote/link/setting.hpp>

#include <tasuki/base/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tasuki::remote {

namespace {

template <class T>
std::size_t numbers_beyond(const Tolerance& t, const unsigned char* one, const unsigned char* other,
                           std::size_t bytes) {
  std::size_t count = 0;
  for (std::size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    if (std::memcmp(one + at, other + at, sizeof(T)) == 0) continue;
    T a, b;
    std::memcpy(&a, one + at, sizeof a);
    std::memcpy(&b, other + at, sizeof b);
    const double x = a, y = b;
    if (std::isnan(x) && std::isnan(y)) continue;
    const double most = t.relative * std::max(std::fabs(x), std::fabs(y)) + t.absolute;
    const bool finite = std::isfinite(x) && std::isfinite(y);
    count += !(finite && std::fabs(x - y) <= most);
  }
  const std::size_t rest = bytes % sizeof(T);
  return count + (std::memcmp(one + bytes - rest, other + bytes - rest, rest) != 0);
}

} // namespace

std::size_t Tolerance::beyond(const std::vector<unsigned char>& one,
                              const std::vector<unsigned char>& other) const {
  if (one.size() != other.size()) return std::max(one.size(), other.size());
  if (one.empty()) return 0;
  return type == Type::f32 ? numbers_beyond<float>(*this, one.data(), other.data(), one.size())
                           : numbers_beyond<double>(*this, one.data(), other.data(), one.size());
}

Tolerance parse_tolerance(const std::string& text) {
  Tolerance tolerance;
  const std::string type = text.substr(0, 4), numbers = text.size() > 4 ? text.substr(4) : "";
  const std::size_t colon = numbers.find(':');
  tolerance.type = type == "f64:" ? Tolerance::Type::f64 : Tolerance::Type::f32;
  bool good = (type == "f32:" || type == "f64:") && read_real(numbers.substr(0, colon), tolerance.relative);
  if (good && colon != std::string::npos) good = read_real(numbers.substr(colon + 1), tolerance.absolute);
  if (!good || !(tolerance.relative >= 0 && tolerance.relative < 1) || !(tolerance.absolute >= 0))
    throw Error(
        "'" + text + "' is no tolerance",
        "give f32:1e-5 or f64:1e-12, and an absolute one behind it where numbers are near 0: f32:1e-5:1e-6");
  return tolerance;
}

} // namespace tasuki::remote
