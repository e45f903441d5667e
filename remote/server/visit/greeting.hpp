// What a client and a gate say to each other before there is a worker. Every frame has one size.
//
//   client                                gate
//   Knock, in the clear            ->     reads 32 bytes, and parses nothing else of a stranger
//   TLS by the key (or the uid of a unix socket)
//   Request                        ->     Answer, and `bytes` of text behind it (JSON, or a line of why not)
//   open: Answer queued again and again, at last granted: from there on the stream is the worker's
//
// A lane of a worker's, beside the first connection: Knock, the proof by the grant's token, a LaneNumber. Another worker's comes in
// the same way: its proof is by the secret that the client has told both, under identity_of_peer().
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace tasuki::remote {

constexpr char kMagic[8] = {'T', 'S', 'K', 'G', 'P', 'U', 'S', '1'};
constexpr std::size_t kMostText = std::size_t(1) << 24;

enum class KnockFor : std::uint32_t { visit = 1, lane = 2 };

struct Knock {
  char magic[8] = {};
  KnockFor what = KnockFor::visit;
  std::uint32_t unused = 0;
  unsigned char lane[16] = {}; // of the worker that is meant: told inside of its grant
};
static_assert(sizeof(Knock) == 32);

enum class Ask : std::uint32_t { proven = 0, list = 1, open = 2, status = 3, drain = 4, stays = 5, keep = 6 };

struct Request {
  char version[32] = {};
  Ask what = Ask::list;
  std::int32_t device = 0;
  std::uint64_t memory = 0;
  std::uint32_t queue = 1;
  std::uint32_t shared = 0; // by memory, where the socket is a unix socket
  std::uint32_t lanes = 0;  // that come beside this connection, to carry bytes
  std::uint32_t ucx = 0;    // bytes go by UCX and are not encrypted
  char session[48] = {};    // of a run, whose processes share what it has; "": of this connection alone
  char program[96] = {};
};
static_assert(sizeof(Request) == 208);

enum class Say : std::uint32_t { text = 1, queued = 2, granted = 3, refused = 4 };

struct Answer {
  char version[32] = {};
  Say what = Say::text;
  std::uint32_t place = 0; // in line, from 1
  std::uint64_t bytes = 0; // of the text that follows
  unsigned char lane[16] = {};
  unsigned char token[32] = {}; // the secret of this worker's lanes
};
static_assert(sizeof(Answer) == 96);

// 0: the heartbeat; n: the nth of those that carry bytes.
using LaneNumber = std::uint32_t;

// A text in a field, cut where it is too long, always ended by 0.
template <std::size_t N>
void put(char (&field)[N], const std::string& text) {
  std::memset(field, 0, N);
  std::memcpy(field, text.data(), text.size() < N ? text.size() : N - 1);
}
// What a field holds, whether it is ended or not.
template <std::size_t N>
std::string text_of(const char (&field)[N]) {
  return std::string(field, strnlen(field, N));
}

} // namespace tasuki::remote
