// A reliable stream of bytes between a client and a worker. What it is made of (TCP with TLS, a unix socket, shared
// memory) is chosen by who dials; nobody above asks.
//
//   std::unique_ptr<Link> link = ...;                 // dial() or a worker's own end
//   const Piece pieces[] = {bytes_of(header), payload};
//   link->write(pieces, 2);                           // one message, nothing copied together first
//   link->read(&answer, sizeof answer, sizeof answer);
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

#include <tasuki/base/error.hpp>

namespace tasuki::remote {

// Bytes that are the caller's.
struct Piece {
  const void* data = nullptr;
  std::size_t size = 0;
};

// The bytes of a plain struct, to be written as they lie in memory.
template <class T>
Piece bytes_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {&value, sizeof value};
}

// The other end is gone, or this one was shut: no byte comes or goes any more.
class LinkLost : public Error {
public:
  using Error::Error;
};

// One thread may read while another writes. Two that read, or two that write, have to keep each other out.
class Link {
public:
  virtual ~Link() = default;
  Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // Sends the pieces one behind the other. Returns when the bytes are taken, so the memory is the caller's again.
  // Throws LinkLost.
  virtual void write(const Piece* pieces, std::size_t count) = 0;
  void write(Piece piece) { write(&piece, 1); }

  // Waits for `at_least` bytes and takes up to `at_most` that are there; returns how many. at_least 0 takes what is
  // there, and waits for nothing. Throws LinkLost where the stream ends before that.
  virtual std::size_t read(void* to, std::size_t at_least, std::size_t at_most) = 0;

  // Ends both directions. Whoever waits in read or write, in any thread, here or at the other end, gets LinkLost.
  virtual void shut() noexcept = 0;

  // As shut, and errors give `why` for it: "b: GPU 0 has been silent for 10 s".
  virtual void shut_for(const std::string& why) noexcept = 0;

  // A read that waits longer than that for its next byte is LinkLost; 0: it waits for ever, as at first.
  virtual void set_patience(std::chrono::milliseconds patience) = 0;

  // The other end's name in errors: "b@7411".
  virtual std::string peer() const = 0;

  // Files go to a process of the same host (descriptors of memory, of a GPU's too); a link to another host has none.
  virtual bool passes_files() const { return false; }
  virtual void pass_file(int /*descriptor*/) { refuse_files(); }
  virtual int take_file() { return refuse_files(); } // waits; the caller closes it

private:
  int refuse_files() const {
    throw Error(peer() + " takes no files", "they go to processes of the same host only");
  }
};

} // namespace tasuki::remote
