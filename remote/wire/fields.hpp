// The fields of a call, and their encoding in a frame: little-endian, packed, in the order of the table. A text is a
// length of 16 bits and the characters. Bytes take the rest of the frame, so a length can never exceed the frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tasuki::remote {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using f32 = float;
using text = std::string;

inline constexpr std::size_t text_limit =
    4096; // longest name of a kernel or variable; mangled template names are long

// Memory of another owner: the bytes that follow the fields of a frame.
struct View {
  const void* data = nullptr;
  std::size_t size = 0;
};

// Appends fields to a buffer.
class Encoder {
public:
  explicit Encoder(std::vector<unsigned char>& out) : out_(out) {}

  void operator()(const text& value) {
    const auto length = static_cast<std::uint16_t>(value.size() < text_limit ? value.size() : text_limit);
    put(&length, sizeof length);
    put(value.data(), length);
  }
  template <class T>
  void operator()(const T& value) {
    put(&value, sizeof value);
  }

private:
  void put(const void* from, std::size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(from);
    out_.insert(out_.end(), p, p + bytes);
  }
  std::vector<unsigned char>& out_;
};

// Reads fields from a frame of untrusted content. After the last field, good() tells whether all of them were present.
class Decoder {
public:
  explicit Decoder(View in) : at_(static_cast<const unsigned char*>(in.data)), left_(in.size) {}

  void operator()(text& value) {
    std::uint16_t length = 0;
    (*this)(length);
    if (!good_ || length > text_limit || length > left_) {
      good_ = false;
      return;
    }
    value.assign(reinterpret_cast<const char*>(at_), length);
    skip(length);
  }
  template <class T>
  void operator()(T& value) {
    if (!good_ || left_ < sizeof value) {
      good_ = false;
      return;
    }
    std::memcpy(&value, at_, sizeof value);
    skip(sizeof value);
  }

  bool good() const { return good_; }
  View rest() const { return {at_, left_}; }

private:
  void skip(std::size_t bytes) {
    at_ += bytes;
    left_ -= bytes;
  }
  const unsigned char* at_;
  std::size_t left_;
  bool good_ = true;
};

// The largest encoded size of a field.
template <class T>
constexpr std::size_t most_of() {
  return sizeof(T);
}
template <>
constexpr std::size_t most_of<text>() {
  return sizeof(std::uint16_t) + text_limit;
}

} // namespace tasuki::remote

// TASUKI_FIELDS(MACRO, (u64, a)(u64, b)) expands to MACRO(u64, a) MACRO(u64, b), for all code generated from fields.
#define TASUKI_JOIN_(a, b) a##b
#define TASUKI_JOIN(a, b) TASUKI_JOIN_(a, b)
#define TASUKI_MEMBERS(fields) TASUKI_JOIN(TASUKI_MEMBER_A fields, _END)
#define TASUKI_MEMBER_A(type, name) \
  type name{};                      \
  TASUKI_MEMBER_B
#define TASUKI_MEMBER_B(type, name) \
  type name{};                      \
  TASUKI_MEMBER_A
#define TASUKI_MEMBER_A_END
#define TASUKI_MEMBER_B_END
#define TASUKI_VISITS(fields) TASUKI_JOIN(TASUKI_VISIT_A fields, _END)
#define TASUKI_VISIT_A(type, name) \
  visit(self.name);                \
  TASUKI_VISIT_B
#define TASUKI_VISIT_B(type, name) \
  visit(self.name);                \
  TASUKI_VISIT_A
#define TASUKI_VISIT_A_END
#define TASUKI_VISIT_B_END
#define TASUKI_MOST(fields) TASUKI_JOIN(TASUKI_MOST_A fields, _END)
#define TASUKI_MOST_A(type, name) +most_of<type>() TASUKI_MOST_B
#define TASUKI_MOST_B(type, name) +most_of<type>() TASUKI_MOST_A
#define TASUKI_MOST_A_END
#define TASUKI_MOST_B_END
