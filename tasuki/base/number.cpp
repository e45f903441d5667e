#include <tasuki/base/number.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace tasuki {
namespace {

enum class Fault { none, no_number, not_whole, too_large };

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The digits of a whole number written with a decimal point or an exponent: "-2.5e3" becomes "-2500".
Fault whole_digits(std::string_view text, std::string& digits) {
  constexpr long kMostDigits = 40; // more than any type has
  std::size_t at = 0;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) ++at;
  std::string all;
  long point = -1; // digits before the decimal point
  for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && point < 0)); ++at) {
    if (text[at] == '.')
      point = static_cast<long>(all.size());
    else
      all += text[at];
  }
  if (all.empty()) return Fault::no_number;
  if (point < 0) point = static_cast<long>(all.size());
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return Fault::no_number;
    std::string_view power = text.substr(at + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    long shift = 0;
    const auto [end, fault] = std::from_chars(power.data(), power.data() + power.size(), shift);
    if (end != power.data() + power.size() || power.empty() || fault == std::errc::invalid_argument)
      return Fault::no_number;
    const bool zero = all.find_first_not_of('0') == std::string::npos;
    if (zero) shift = 0;
    if (fault == std::errc::result_out_of_range || shift > kMostDigits)
      return power.starts_with('-') ? Fault::not_whole : Fault::too_large;
    point = shift < -static_cast<long>(all.size()) ? -1 : point + shift;
  }
  const std::size_t whole = static_cast<std::size_t>(std::max(point, 0L));
  if (point < 0 ? all.find_first_not_of('0') != std::string::npos
                : whole < all.size() && all.find_first_not_of('0', whole) != std::string::npos)
    return Fault::not_whole;
  all.resize(std::max(whole, std::size_t{1}), '0');
  if (whole == 0) all = "0";
  digits = (negative ? "-" : "") + all;
  return Fault::none;
}

template <class T>
Fault read(std::string_view text, T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || end != text.data() + text.size()) return Fault::no_number;
    if (fault == std::errc::result_out_of_range) return Fault::too_large;
    return fault == std::errc{} && std::isfinite(value) ? Fault::none : Fault::no_number;
  } else {
    std::string digits;
    if (const Fault fault = whole_digits(text, digits); fault != Fault::none) return fault;
    if (std::is_unsigned_v<T> && digits == "-0") digits = "0";
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return fault == std::errc{} && end == digits.data() + digits.size() ? Fault::none : Fault::too_large;
  }
}

} // namespace

std::string quoted(const std::string& what, std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string shown(text.substr(0, kMost));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < ' ') c = '?';
  if (text.size() > kMost) shown += "..";
  if (what.ends_with('=')) return what + shown;
  return what + (shown.empty() || shown.find(' ') != std::string::npos ? " '" + shown + "'" : " " + shown);
}

template <class T>
std::string range_text(const Range<T>& range) {
  constexpr double kMany = 1e12; // limits from here on are not shown
  const std::string kind = std::is_floating_point_v<T> ? "a number" : "a whole number";
  const bool open =
      static_cast<double>(range.most) >= kMany || range.most == std::numeric_limits<T>::max(); // no limit
  if (std::is_signed_v<T> && range.least == std::numeric_limits<T>::lowest())
    return open ? kind : fmt::format("{} of {} or less", kind, range.most);
  if (range.above)
    return fmt::format("{} above {}{}", kind, range.least,
                       open ? "" : fmt::format(", {} at most", range.most));
  return open ? fmt::format("{} of {} or more", kind, range.least)
              : fmt::format("{} from {} to {}", kind, range.least, range.most);
}

template <class T>
T parse_number(std::string_view text, const std::string& what, const Range<T>& range) {
  T value{};
  const Fault fault = read(text, value);
  if (fault == Fault::none && range.holds(value)) return value;
  const char* wrong = fault == Fault::no_number   ? " is no number"
                      : fault == Fault::not_whole ? " is no whole number"
                                                  : " is out of range";
  throw Error(quoted(what, text) + wrong, "give " + range_text(range));
}

unsigned long parse_digits(std::string_view text, int base, const std::string& what) {
  unsigned long value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || fault != std::errc{} || end != text.data() + text.size())
    throw Error(fmt::format("{} is no number of base {}", quoted(what, text), base), "give its digits alone");
  return value;
}

unsigned long parse_bytes(std::string_view text, const std::string& what, const Range<unsigned long>& range) {
  static constexpr std::string_view kUnits[] = {"", "KiB", "MiB", "GiB", "TiB"};
  for (int unit = 4; unit >= 0; --unit) {
    const std::string_view name = kUnits[unit];
    if (!text.ends_with(name) || text.size() == name.size()) continue;
    double number = 0;
    if (read(text.substr(0, text.size() - name.size()), number) != Fault::none || number < 0) break;
    const double bytes = number * static_cast<double>(1UL << 10 * unit);
    const auto whole = bytes < 0x1p63 ? static_cast<unsigned long>(bytes) : ~0UL;
    if (bytes >= 0x1p63 || !range.holds(whole))
      throw Error(quoted(what, text) + " is out of range",
                  "give " + range_text(range) + ", in bytes or as 64MiB");
    return whole;
  }
  throw Error(quoted(what, text) + " is no number of bytes", "write it as 4096, 64KiB or 1.5GiB");
}

#define TASUKI_NUMBER(T)                                                             \
  template T parse_number<T>(std::string_view, const std::string&, const Range<T>&); \
  template std::string range_text<T>(const Range<T>&);
TASUKI_NUMBER(int)
TASUKI_NUMBER(long)
TASUKI_NUMBER(unsigned)
TASUKI_NUMBER(unsigned long)
TASUKI_NUMBER(double)
#undef TASUKI_NUMBER

} // namespace tasuki
