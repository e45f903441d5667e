// Calls and answers as structs, and the frames that transfer them.
//
//   Frames out;                                                   // at the client
//   out.add(number, call::Fill{address, bytes, 0, stream});
//   link.write(out.data(), ..)
//
//   CallHead head = ..;                                           // at the worker, after reading it
//   if (head.bytes > limit_of(head.call)) ..refuse..              // checked before any allocation
//   bool good = dispatch(head.call, body, [&](const auto& call, View tail) { ..; });
//
// The frame of a call is CallHead, the fields in the order of the table, and the tail; an answer has AnswerHead first.
// Both ends are little-endian 64-bit machines. The only lengths within a frame are those of texts, which are limited.
#pragma once

#include <remote/wire/fields.hpp>

namespace tasuki::remote {

inline constexpr std::size_t tail_limit = 4u << 20;   // larger copies are divided into several calls
inline constexpr std::size_t parameter_limit = 32764; // bytes of a kernel's parameters, the limit of CUDA

// Streams from this number on are used only for copies by host functions of the client.
constexpr u64 first_stream_of_functions = 1ull << 63;

struct CallHead {
  u32 bytes = 0; // after this head
  std::uint16_t call = 0;
  std::uint16_t wanted = 0; // 1: answer a call that is normally posted without an answer
  u64 number = 0;           // position in the sequence of the client's calls
};
static_assert(sizeof(CallHead) == 16, "heads are sent as they lie");

struct AnswerHead {
  u32 bytes = 0; // after this head
  std::uint16_t answer = 0;
  std::uint16_t zero = 0;
  u64 number = 0; // of the call that it answers
  i32 error = 0;  // a cudaError_t
  u32 zero_too = 0;
};
static_assert(sizeof(AnswerHead) == 24, "heads are sent as they lie");

enum class Answered { posted, answered };
enum class Logged { state, memory, waits, once, ask, player, never };
enum class Tail { none, bytes };

enum class Call : std::uint16_t {
#define TASUKI_CALL(name, answer, log, fields, tail) name,
#include <remote/wire/calls.def>
#undef TASUKI_CALL
  count
};

enum class Answer : std::uint16_t {
#define TASUKI_ANSWER(name, fields, tail) name,
#include <remote/wire/answers.def>
#undef TASUKI_ANSWER
  count
};

namespace call {
#define TASUKI_CALL(name, answer, log, fields, tail_)                        \
  struct name {                                                              \
    static constexpr Call id = Call::name;                                   \
    static constexpr bool answered = Answered::answer == Answered::answered; \
    static constexpr bool has_tail = Tail::tail_ == Tail::bytes;             \
    static constexpr std::size_t most = 0 TASUKI_MOST(fields);               \
    TASUKI_MEMBERS(fields)                                                   \
    template <class Self, class Visit>                                       \
    static void each(Self& self, Visit& visit) {                             \
      (void)self, (void)visit;                                               \
      TASUKI_VISITS(fields)                                                  \
    }                                                                        \
  };
#include <remote/wire/calls.def>
#undef TASUKI_CALL
} // namespace call

namespace answer {
#define TASUKI_ANSWER(name, fields, tail_)                       \
  struct name {                                                  \
    static constexpr Answer id = Answer::name;                   \
    static constexpr bool has_tail = Tail::tail_ == Tail::bytes; \
    static constexpr std::size_t most = 0 TASUKI_MOST(fields);   \
    TASUKI_MEMBERS(fields)                                       \
    template <class Self, class Visit>                           \
    static void each(Self& self, Visit& visit) {                 \
      (void)self, (void)visit;                                   \
      TASUKI_VISITS(fields)                                      \
    }                                                            \
  };
#include <remote/wire/answers.def>
#undef TASUKI_ANSWER
} // namespace answer

// The table row of a call. Null if there is no such call.
struct Row {
  const char* name;
  bool answered;
  Logged logged;
  std::size_t limit; // the most bytes after the head
};
const Row* row_of(std::uint16_t call);

// Appends the fields of a call or an answer.
template <class Message>
void encode(const Message& message, std::vector<unsigned char>& out) {
  Encoder put(out);
  Message::each(message, put);
}

// Reads fields from a body; the rest is the tail. False if the body is shorter or longer than the message allows.
template <class Message>
bool decode(View body, Message& message, View& tail) {
  Decoder take(body);
  Message::each(message, take);
  tail = take.rest();
  return take.good() && (Message::has_tail || tail.size == 0);
}

// A whole frame of a call except the bytes of its tail, which are sent from their own memory.
template <class Message>
void frame(u64 number, bool wanted, const Message& message, std::size_t tail,
           std::vector<unsigned char>& out) {
  const std::size_t start = out.size();
  out.resize(start + sizeof(CallHead));
  encode(message, out);
  const CallHead head{static_cast<u32>(out.size() - start - sizeof(CallHead) + tail),
                      static_cast<std::uint16_t>(Message::id), static_cast<std::uint16_t>(wanted ? 1 : 0),
                      number};
  std::memcpy(out.data() + start, &head, sizeof head);
}

template <class Message>
void frame_answer(u64 number, i32 error, const Message& message, std::size_t tail,
                  std::vector<unsigned char>& out) {
  const std::size_t start = out.size();
  out.resize(start + sizeof(AnswerHead));
  encode(message, out);
  AnswerHead head;
  head.bytes = static_cast<u32>(out.size() - start - sizeof(AnswerHead) + tail);
  head.answer = static_cast<std::uint16_t>(Message::id);
  head.number = number;
  head.error = error;
  std::memcpy(out.data() + start, &head, sizeof head);
}

// Decodes a call and passes it to `on(const call::X&, View tail)`. Returns false, without a call, for invalid bytes.
template <class On>
bool dispatch(std::uint16_t call, View body, On&& on) {
  switch (static_cast<Call>(call)) {
#define TASUKI_CALL(name, answer, log, fields, tail_) \
  case Call::name: {                                  \
    call::name message;                               \
    View tail;                                        \
    if (!decode(body, message, tail)) return false;   \
    on(message, tail);                                \
    return true;                                      \
  }
#include <remote/wire/calls.def>
#undef TASUKI_CALL
    default: return false;
  }
}

} // namespace tasuki::remote
