#include <remote/ptx/types.hpp>

#include <array>
#include <cstddef>

namespace tasuki::remote::ptx {
namespace {

struct Row {
  std::string_view word;
  unsigned bytes;
};
constexpr std::array<Row, 21> kRows = {
    {{"", 0},    {"pred", 0}, {"b8", 1},    {"b16", 2},  {"b32", 4},    {"b64", 8}, {"b128", 16},
     {"u8", 1},  {"u16", 2},  {"u32", 4},   {"u64", 8},  {"s8", 1},     {"s16", 2}, {"s32", 4},
     {"s64", 8}, {"f16", 2},  {"f16x2", 4}, {"bf16", 2}, {"bf16x2", 4}, {"f32", 4}, {"f64", 8}}};

} // namespace

Type type_of(std::string_view word) {
  for (std::size_t k = 1; k < kRows.size(); ++k)
    if (kRows[k].word == word) return static_cast<Type>(k);
  return Type::none;
}

unsigned bytes_of(Type type) { return kRows[static_cast<std::size_t>(type)].bytes; }

} // namespace tasuki::remote::ptx
