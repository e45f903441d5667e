// Parses numbers in external texts: options, environment variables, files.
//
//   const int lanes = parse_number<int>("1e2", "--lanes", {1, 64});
//     throws Error: --lanes 1e2 is out of range; give a whole number from 1 to 64
//
// A whole number may be written as 1e6 or 2.5e3. A number out of the type's range is an error; it is never truncated.
#pragma once

#include <tasuki/base/error.hpp>

#include <concepts>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tasuki {

// The range of a number. A double must be finite.
template <class T>
struct Range {
  T least = std::numeric_limits<T>::lowest(), most = std::numeric_limits<T>::max();
  bool above = false; // `least` itself is excluded
  bool holds(T value) const { return (above ? value > least : value >= least) && value <= most; }
};
inline Range<double> above(double bound) { return {bound, std::numeric_limits<double>::max(), true}; }

// The range in words, to follow "give": "a whole number from 1 to 64", "a number above 0".
template <class T>
std::string range_text(const Range<T>& range);

// T: int, long, unsigned, unsigned long or double. `what`: the option or variable with its separator, as printed before
// the value: "--nx", or "TASUKI_HALO=". Throws Error with `what` in its text.
template <class T>
T parse_number(std::string_view text, const std::string& what, const Range<T>& range = {});

// The same for unsigned digits of a given base: 16 for checksums, 8 for flags.
unsigned long parse_digits(std::string_view text, int base, const std::string& what);

// Bytes: "4096", "64KiB", "1.5GiB"; units are powers of 1024. Throws Error likewise.
unsigned long parse_bytes(std::string_view text, const std::string& what,
                          const Range<unsigned long>& range = {});

// The same for a list: "2,3" separated by ',' are {2, 3}.
template <class T>
std::vector<T> parse_list(std::string_view text, char separator, const std::string& what,
                          const Range<T>& range = {}) {
  std::vector<T> list;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(separator, at);
    list.push_back(parse_number<T>(text.substr(at, end - at), what, range));
    if (end == std::string_view::npos) return list;
    at = end + 1;
  }
}

// Converts a whole number to another type. Throws Error if that type cannot hold it.
template <std::integral To, std::integral From>
To narrow(From value, const std::string& what) {
  if (!std::in_range<To>(value))
    throw Error(what + " is " + std::to_string(value) + ", more than is possible here", "use a smaller one");
  return static_cast<To>(value);
}

// "--nx 3", "TASUKI_HALO=3": a value as quoted in an error message, shortened to a line.
std::string quoted(const std::string& what, std::string_view text);

} // namespace tasuki
