// Frames as they come in: many small ones by one read, and the bytes of a large one where the reader wants them.
//
//   Incoming in(link);
//   while (in.next(head)) { View body = in.body(head.bytes); .. }
#pragma once

#include <remote/link/link.hpp>
#include <remote/wire/frames.hpp>

#include <vector>

namespace tasuki::remote {

class Incoming {
public:
  explicit Incoming(Link& link) : link_(link), buffer_(most) {}

  // Whether a call has begun to come in.
  bool more();
  // The next head. False: the client has gone.
  bool next(CallHead& head);
  // So many bytes behind it, at most `most`; valid until the next call of anything here.
  View take(std::size_t bytes);
  // So many bytes, to a place of the caller's.
  void take(std::size_t bytes, void* to);

private:
  static constexpr std::size_t most = 256u << 10;
  Link& link_;
  std::vector<unsigned char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

} // namespace tasuki::remote
