// Large copies between pageable memory of the program and a device of this host, through chunks of memory that the worker
// shares: this thread fills or empties one chunk while the device copies the others.
//
//   Chunks chunks(connection, lending);
//   if (!chunks.copy_in(to, from, bytes, stream)) ..by the link..
//
// False: the worker shares no memory with this process, or another thread is using the chunks.
#pragma once

#include <remote/client/lending.hpp>

#include <condition_variable>

namespace tasuki::remote {

class Chunks {
public:
  static constexpr u64 least = 256u << 10; // below, the link is as fast
  static constexpr u64 chunk = 1u << 20;
  static constexpr std::size_t count = 8;

  Chunks(Connection& connection, Lending& lending) : connection_(connection), lending_(lending) {}
  ~Chunks();

  // Not while a stream may stop for the program: the worker is asked to take the memory, see Lending.
  bool copy_in(u64 to, const void* from, u64 bytes, u64 stream); // returns once the bytes are taken
  bool copy_out(void* to, u64 from, u64 bytes, u64 stream);      // returns when it is done

private:
  bool there();
  void take(std::size_t n); // waits until the device is done with it
  void free(std::size_t n);
  SharedPlace place(std::size_t n) const;

  Connection& connection_;
  Lending& lending_;
  std::mutex copying_;
  unsigned char* pages_ = nullptr;
  SharedPlace all_;
  std::size_t next_ = 0;
  std::mutex mutex_;
  std::condition_variable freed_;
  bool taken_[count] = {};
};

} // namespace tasuki::remote
