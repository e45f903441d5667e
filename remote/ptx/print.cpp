#include <remote/ptx/print.hpp>

#include <cstdio>

namespace tasuki::remote::ptx {
namespace {

constexpr std::uint64_t kLongest = 65536;

template <class T>
std::string one(const std::string& conversion, T value) {
  char text[512]; // larger widths are limited
  const int length = std::snprintf(text, sizeof text, conversion.c_str(), value);
  return std::string(text, static_cast<std::size_t>(length < 0 ? 0 : length < 511 ? length : 511));
}

} // namespace

std::string text_at(Warp& w, std::uint64_t address, int lane) {
  std::string text;
  if (address == 0) return "(null)";
  for (; text.size() < kLongest; ++address) {
    w.check(address, 1, 1, lane);
    const char c = *reinterpret_cast<const char*>(address);
    if (c == '\0') break;
    text += c;
  }
  return text;
}

std::string formatted(Warp& w, std::uint64_t format_at, std::uint64_t arguments, int lane, int& count) {
  count = -1;
  if (format_at == 0) return "";
  const std::string format = text_at(w, format_at, lane);
  count = 0;
  std::string result;
  // Integers of up to 32 bits take 4 bytes, all other arguments 8, each aligned to its size.
  const auto next = [&](unsigned bytes) {
    arguments = (arguments + bytes - 1) / bytes * bytes;
    w.check(arguments, bytes, bytes, lane);
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(arguments), bytes);
    arguments += bytes;
    ++count;
    return value;
  };
  for (std::size_t k = 0; k < format.size(); ++k) {
    if (format[k] != '%') {
      result += format[k];
      continue;
    }
    if (k + 1 < format.size() && format[k + 1] == '%') {
      result += format[++k];
      continue;
    }
    std::string conversion = "%";
    bool wide = false;
    for (++k;
         k < format.size() && std::string("-+ #0123456789.*hlLqjzt").find(format[k]) != std::string::npos;
         ++k) {
      if (format[k] == '*')
        conversion += std::to_string(static_cast<int>(next(4)));
      else if (format[k] == 'l' || format[k] == 'q' || format[k] == 'j' || format[k] == 'z' ||
               format[k] == 't')
        wide = true;
      else if (format[k] != 'h' && format[k] != 'L')
        conversion += format[k];
    }
    const char kind = k < format.size() ? format[k] : '\0';
    switch (kind) {
      case 'd':
      case 'i':
        result += wide ? one(conversion + "lld", static_cast<long long>(next(8)))
                       : one(conversion + "d", static_cast<int>(next(4)));
        break;
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        result += wide ? one(conversion + "ll" + kind, static_cast<unsigned long long>(next(8)))
                       : one(conversion + kind, static_cast<unsigned>(next(4)));
        break;
      case 'c': result += one(conversion + "c", static_cast<int>(next(4))); break;
      case 'p': result += one(conversion + "p", reinterpret_cast<void*>(next(8))); break;
      case 's': result += one(conversion + "s", text_at(w, next(8), lane).c_str()); break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A': {
        double value;
        const std::uint64_t bits = next(8);
        std::memcpy(&value, &bits, 8);
        result += one(conversion + kind, value);
        break;
      }
      default: result += conversion + kind;
    }
  }
  return result;
}

} // namespace tasuki::remote::ptx
