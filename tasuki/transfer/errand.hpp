// Errands: requests for another rank's memory, and replies, as bytes of messages. Readers trust none of these bytes.
//
//   std::vector<char> request = request_of({.act = Act::put, .loan = 7, .rows = {16, 8}});
//   std::memcpy(request.data() + kRequestHead, &value, 8);
//   const std::vector<char> reply = answer(loans, request.data(), request.size()); // on the rank that lends
#pragma once

#include <tasuki/transfer/loans.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tasuki {

enum class Act : std::uint32_t {
  get,
  put,
  add,
  swap,
  look
}; // look: tests whether these rows, of any number, are in the loan

// The type of the number of an atomic operation. Addition to a word wraps around, for signed and unsigned numbers.
enum class Number : std::uint32_t { none, word32, word64, float32, float64 };
constexpr std::uint64_t size_of(Number number) {
  return number == Number::none ? 0 : number == Number::word32 || number == Number::float32 ? 4 : 8;
}

struct Errand {
  Act act = Act::get;
  Number number = Number::none; // of an atomic act: `rows` is its position
  std::uint64_t loan = 0;
  ByteRows rows;
  std::uint64_t operand = 0,
                expected = 0; // the bits of the addend, or of the value that replaces `expected`

  bool operator==(const Errand&) const = default;
};

constexpr std::size_t kMost = std::size_t{1} << 20; // bytes that a request asks for or brings
constexpr std::size_t kRequestHead = 80, kReplyHead = 24;

// The bytes of a request; the caller of a put fills in its data behind the head, row after row.
std::vector<char> request_of(const Errand& errand);

// The errand of a request, or null and a reason in `fault`. Allocates nothing; the data of a put stay where they are.
std::optional<Errand> read_request(const char* bytes, std::size_t size, const char*& fault);

// Does what a request asks for and returns the reply, which has at most kReplyHead + kMost bytes for any request.
std::vector<char> answer(Loans& loans, const char* request, std::size_t size);

// The size of the reply to an errand that is not refused; of any reply, with kMostWords.
constexpr std::size_t kMostWords = 512;
std::size_t reply_size(const Errand& errand);

// The content of a reply: the bytes of a get, the 8 bytes that an atomic operation found, or a refusal.
struct Reply {
  const char* bytes = nullptr; // in the reply
  std::optional<Refusal> refused;
};
Reply read_reply(const char* reply, std::size_t size, const Errand& asked);

// Does an atomic operation in memory of this host, by hardware atomics for all ranks with access. Returns the old bits.
std::uint64_t act_on(const Errand& errand, char* place);

// Copies rows between places with a stride each.
void copy_rows(char* to, std::uint64_t to_stride, const char* from, std::uint64_t from_stride,
               std::uint64_t bytes, std::uint64_t count);

} // namespace tasuki
