// The PTX names of types and state spaces (PTX ISA 9.0, sections 5.1 and 5.2).
#pragma once

#include <cstdint>
#include <string_view>

namespace tasuki::remote::ptx {

enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  f32,
  f64
};

enum class Space : std::uint8_t { generic, global, constant, shared, local, param };

// "u32" -> Type::u32; Type::none for other words.
Type type_of(std::string_view word);
unsigned bytes_of(Type type); // 0 for a predicate

inline bool is_signed(Type t) { return t == Type::s8 || t == Type::s16 || t == Type::s32 || t == Type::s64; }
inline bool is_real(Type t) { return t >= Type::f16; }

} // namespace tasuki::remote::ptx
