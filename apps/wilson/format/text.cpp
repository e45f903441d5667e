#include <apps/wilson/format/text.hpp>

#include <tasuki/base/error.hpp>
#include <tasuki/base/number.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace tasuki::wilson {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what, const std::string& text) {
  throw Error(fmt::format("{} has '{}' for {}", path, shown(text), what),
              "copy it again from where it is whole");
}

} // namespace

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string trimmed(const std::string& text) {
  const char* blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string shown(const std::string& text) {
  constexpr std::size_t kMost = 60;
  std::string line = text.substr(0, kMost);
  for (char& c : line)
    if (c < ' ' || c > '~') c = '?';
  return text.size() > kMost ? line + ".." : line;
}

std::string extents_text(const std::array<long, 4>& n) {
  return fmt::format("{}x{}x{}x{}", n[0], n[1], n[2], n[3]);
}

double parse_number(const std::string& text, const std::string& path, const std::string& what) {
  try {
    return tasuki::parse_number<double>(text, what);
  } catch (const Error&) {
    refuse(path, what, text);
  }
}

long parse_count(const std::string& text, const std::string& path, const std::string& what, long most) {
  try {
    return tasuki::parse_number<long>(text, what, {0, most});
  } catch (const Error&) {
    refuse(path, what, text);
  }
}

long parse_extent(const std::string& text, const std::string& path) {
  long number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size() || number < 1 || number > (1L << 20))
    refuse(path, "an extent of the lattice", text);
  return number;
}

std::uint32_t parse_hex(const std::string& text, const std::string& path) {
  const std::string digits = text.rfind("0x", 0) == 0 ? text.substr(2) : text;
  std::uint32_t number = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  if (fault != std::errc() || end != digits.data() + digits.size()) refuse(path, "a checksum", text);
  return number;
}

double last_place(const std::string& text) {
  const std::size_t exponent = text.find_first_of("eE"), point = text.find('.');
  const std::size_t digits_end = std::min(exponent, text.size());
  long power = 0; // of a number that parse_number() accepts
  if (exponent != std::string::npos)
    power = tasuki::parse_number<long>(text.substr(exponent + 1), "an exponent", {-400, 400});
  if (point != std::string::npos && point < digits_end) power -= static_cast<long>(digits_end - point - 1);
  return std::pow(10.0, static_cast<double>(power));
}

} // namespace tasuki::wilson
