// Numbers in files: 4 or 8 bytes, in the byte order of this machine or the opposite one.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace tasuki::wilson {

inline constexpr bool kLittleHere = std::endian::native == std::endian::little;

inline std::uint32_t other_order(std::uint32_t word) { return __builtin_bswap32(word); }
inline std::uint64_t other_order(std::uint64_t word) { return __builtin_bswap64(word); }

// The unsigned integer at `from`.
template <class Word>
Word word_at(const char* from, bool swapped) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return swapped ? other_order(word) : word;
}

template <class Word>
void put_word(char* to, Word word, bool swapped) {
  if (swapped) word = other_order(word);
  std::memcpy(to, &word, sizeof word);
}

inline void decode(const char* from, double* to, long count, int number_bytes, bool swapped) {
  if (number_bytes == 4)
    for (long i = 0; i < count; ++i)
      to[i] = std::bit_cast<float>(word_at<std::uint32_t>(from + 4 * i, swapped));
  else
    for (long i = 0; i < count; ++i)
      to[i] = std::bit_cast<double>(word_at<std::uint64_t>(from + 8 * i, swapped));
}

inline void encode(const double* from, char* to, long count, int number_bytes, bool swapped) {
  if (number_bytes == 4)
    for (long i = 0; i < count; ++i)
      put_word(to + 4 * i, std::bit_cast<std::uint32_t>(static_cast<float>(from[i])), swapped);
  else
    for (long i = 0; i < count; ++i) put_word(to + 8 * i, std::bit_cast<std::uint64_t>(from[i]), swapped);
}

} // namespace tasuki::wilson
