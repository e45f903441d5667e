#include <remote/link/setting.hpp>

#include <charconv>
#include <cmath>
#include <cstdlib>

#include <tasuki/base/error.hpp>

namespace tasuki::remote {

namespace {

template <class T>
bool read_all(std::string_view text, T& value) noexcept {
  const char* const last = text.data() + text.size();
  const auto [end, fault] = std::from_chars(text.data(), last, value);
  return !text.empty() && fault == std::errc() && end == last;
}

} // namespace

bool read_whole(std::string_view text, std::uint64_t& value) noexcept { return read_all(text, value); }

bool read_real(std::string_view text, double& value) noexcept {
  return read_all(text, value) && std::isfinite(value);
}

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::uint64_t whole_number(std::string_view text, const std::string& what, const std::string& unit,
                           std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const bool whole = read_whole(text, value);
  if (whole && value >= least && value <= most) return value;
  throw Error(what + "=" + std::string(text) + (whole ? " is out of range" : " is no whole number"),
              "give " + unit + " from " + std::to_string(least) + " to " + std::to_string(most));
}

std::uint64_t setting_number(const char* name, std::uint64_t usual, const std::string& unit,
                             std::uint64_t least, std::uint64_t most) {
  const std::string text = setting(name);
  return text.empty() ? usual : whole_number(text, name, unit, least, most);
}

} // namespace tasuki::remote
