// A reliable stream of bytes between a client and a worker. The dialling side chooses the transport (TCP with TLS, a
// unix socket, or shared memory); the code above is independent of it.
//
//   std::unique_ptr<Link> link = ...;                 // dial() or a worker's own end
//   const Piece pieces[] = {bytes_of(header), payload};
//   link->write(pieces, 2);                           // one message, without copying the pieces together
//   link->read(&answer, sizeof answer, sizeof answer);
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

#include <tasuki/base/error.hpp>

namespace tasuki::remote {

// Memory of the caller.
struct Piece {
  const void* data = nullptr;
  std::size_t size = 0;
};

// The bytes of a plain struct, in the order of memory.
template <class T>
Piece bytes_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {&value, sizeof value};
}

// The other end is gone, or this end was shut: no more bytes are transferred.
class LinkLost : public Error {
public:
  using Error::Error;
};

// One thread may read while another writes. Several readers, or several writers, must exclude each other.
class Link {
public:
  virtual ~Link() = default;
  Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // Sends the pieces one after another. On return the bytes are stored, and the memory may be reused.
  // Throws LinkLost.
  virtual void write(const Piece* pieces, std::size_t count) = 0;
  void write(Piece piece) { write(&piece, 1); }

  // Waits for `at_least` bytes, takes at most `at_most` that have arrived, and returns their number. at_least 0: does
  // not wait. Throws LinkLost if the stream ends before `at_least` bytes.
  virtual std::size_t read(void* to, std::size_t at_least, std::size_t at_most) = 0;

  // Ends both directions. Pending and later calls of read and write, in any thread and at both ends, throw LinkLost.
  virtual void shut() noexcept = 0;

  // Like shut(), with the reason `why` in later errors: "b: GPU 0 has been silent for 10 s".
  virtual void shut_for(const std::string& why) noexcept = 0;

  // The longest wait of a read for its next byte, after which it throws LinkLost; 0, the initial value: no limit.
  virtual void set_patience(std::chrono::milliseconds patience) = 0;

  // The name of the other end for errors: "b@7411".
  virtual std::string peer() const = 0;

  // True if file descriptors (of memory, also of a GPU) can be sent: only to a process of the same host.
  virtual bool passes_files() const { return false; }
  virtual void pass_file(int /*descriptor*/) { refuse_files(); }
  virtual int take_file() { return refuse_files(); } // waits; the caller closes it

private:
  int refuse_files() const {
    throw Error(peer() + " takes no files", "they go to processes of the same host only");
  }
};

} // namespace tasuki::remote
