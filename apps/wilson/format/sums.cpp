#include <apps/wilson/format/sums.hpp>

#include <apps/wilson/format/numbers.hpp>

#include <fmt/format.h>

#include <bit>

namespace tasuki::wilson {
namespace {

using Table = std::array<std::array<std::uint32_t, 256>, 8>;

// table[k][b]: the effect of byte b followed by k zero bytes on a CRC ("slicing by 8").
constexpr Table make_table() {
  Table table{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0u);
    table[0][b] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t b = 0; b < 256; ++b)
      table[k][b] = (table[k - 1][b] >> 8) ^ table[0][table[k - 1][b] & 255];
  return table;
}

constexpr Table kTable = make_table();

std::uint32_t words_of(const char* bytes, std::size_t count, bool swapped) {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < count; at += 4) sum += word_at<std::uint32_t>(bytes + at, swapped);
  return sum;
}

Sum turned(std::uint32_t word, std::uint64_t number) {
  return {std::rotl(word, static_cast<int>(number % 29)), std::rotl(word, static_cast<int>(number % 31))};
}

Sum sum_of_site(SumKind kind, const char* bytes, std::size_t count, std::uint64_t place, bool swapped) {
  switch (kind) {
    case SumKind::none: return {};
    case SumKind::words: return {words_of(bytes, count, swapped), 0};
    case SumKind::scidac: return turned(crc32(bytes, count), place);
    case SumKind::milc: break;
  }
  Sum sum{};
  const std::uint64_t words = count / 4;
  for (std::uint64_t k = 0; k < words; ++k)
    sum = combine(kind, sum, turned(word_at<std::uint32_t>(bytes + 4 * k, swapped), place * words + k));
  return sum;
}

} // namespace

std::uint32_t crc32(const char* bytes, std::size_t count) {
  std::uint32_t crc = 0xffffffffu;
  for (; count >= 8; bytes += 8, count -= 8) {
    const std::uint32_t low = crc ^ word_at<std::uint32_t>(bytes, !kLittleHere),
                        high = word_at<std::uint32_t>(bytes + 4, !kLittleHere);
    crc = 0;
    for (std::size_t k = 0; k < 4; ++k)
      crc ^= kTable[7 - k][(low >> (8 * k)) & 255] ^ kTable[3 - k][(high >> (8 * k)) & 255];
  }
  for (; count > 0; ++bytes, --count)
    crc = (crc >> 8) ^ kTable[0][(crc ^ static_cast<unsigned char>(*bytes)) & 255];
  return ~crc;
}

Sum combine(SumKind kind, const Sum& a, const Sum& b) {
  if (kind == SumKind::words) return {a[0] + b[0], 0};
  return {a[0] ^ b[0], a[1] ^ b[1]};
}

std::string sum_text(SumKind kind, const Sum& sum) {
  return kind == SumKind::words ? fmt::format("{:08x}", sum[0])
                                : fmt::format("{:08x}/{:08x}", sum[0], sum[1]);
}

Sum sum_of_piece(SumKind kind, const CellPiece& piece, std::size_t site_bytes, bool swapped) {
  Sum sum{};
#pragma omp parallel
  {
    Sum mine{};
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < piece.places.size(); ++i)
      mine = combine(kind, mine,
                     sum_of_site(kind, &piece.bytes[i * site_bytes], site_bytes, piece.places[i], swapped));
#pragma omp critical(tasuki_wilson_sum)
    sum = combine(kind, sum, mine);
  }
  return sum;
}

} // namespace tasuki::wilson
