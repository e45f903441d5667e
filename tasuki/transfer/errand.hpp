// What a rank asks of another's memory, as bytes that travel: requests and replies, read with no trust in them.
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
}; // look: are these rows, however many, to be had?

// What an atomic act works on. A word wraps when it is added to, so it serves numbers with a sign and without.
enum class Number : std::uint32_t { none, word32, word64, float32, float64 };
constexpr std::uint64_t size_of(Number number) {
  return number == Number::none ? 0 : number == Number::word32 || number == Number::float32 ? 4 : 8;
}

struct Errand {
  Act act = Act::get;
  Number number = Number::none; // of an atomic act: `rows` is the place of one
  std::uint64_t loan = 0;
  Rows rows;
  std::uint64_t operand = 0,
                expected = 0; // the bits of what is added, or stored where the place holds `expected`

  bool operator==(const Errand&) const = default;
};

constexpr std::size_t kMost = std::size_t{1} << 20; // bytes that a request asks for or brings
constexpr std::size_t kRequestHead = 80, kReplyHead = 24;

// A request; the bytes of a put are to be filled in behind its head, row after row.
std::vector<char> request_of(const Errand& errand);

// What a request says, or null and why it says nothing. Allocates nothing; the bytes of a put stay where they are.
std::optional<Errand> read_request(const char* bytes, std::size_t size, const char*& fault);

// Does what a request asks for and returns the reply: of at most kReplyHead + kMost bytes, whatever the request is.
std::vector<char> answer(Loans& loans, const char* request, std::size_t size);

// The size of the reply to an errand that is not refused; of any reply, with kMostWords.
constexpr std::size_t kMostWords = 512;
std::size_t reply_size(const Errand& errand);

// What came back: bytes of a get, the 8 of what an atomic act found, or a refusal.
struct Reply {
  const char* bytes = nullptr; // in the reply
  std::optional<Refusal> refused;
};
Reply read_reply(const char* reply, std::size_t size, const Errand& asked);

// An atomic act in memory of this host, for all ranks that see it: hardware atomics, whoever does it. Returns the bits found.
std::uint64_t act_on(const Errand& errand, char* place);

// Rows from one place to another, each with its stride.
void copy_rows(char* to, std::uint64_t to_stride, const char* from, std::uint64_t from_stride,
               std::uint64_t bytes, std::uint64_t count);

} // namespace tasuki
