// Copies between a device and memory of the program that the device's worker shares, on one host. Only the call goes over the
// link.
//
//   Lending lending(connection);
//   if (lending.lends(place)) lending.copy_in(to, place, bytes, stream, [] { ..it is there.. });
//
// A copy reads or writes the memory when its stream reaches it. A link to another host, and one that keeps a log, share no
// memory.
#pragma once

#include <remote/client/connection.hpp>
#include <remote/client/shared_pages.hpp>

#include <set>

namespace tasuki::remote {

class Lending {
public:
  explicit Lending(Connection& connection) : connection_(connection) {}

  // Whether the worker has this segment; it is asked to take one that it has not, unless `may_ask` is false.
  bool lends(const SharedPlace& place, bool may_ask);
  void gone(u64 segment); // the program has given it up

  // Returns at once; `done` is called once the stream has come past it, or cannot any more.
  void copy_in(u64 to, const SharedPlace& from, u64 bytes, u64 stream, std::function<void()> done);
  void copy_out(const SharedPlace& to, u64 from, u64 bytes, u64 stream, std::function<void()> done);
  // The same, which return when it is done.
  void copy_in_now(u64 to, const SharedPlace& from, u64 bytes, u64 stream);
  void copy_out_now(const SharedPlace& to, u64 from, u64 bytes, u64 stream);

private:
  Connection& connection_;
  std::mutex mutex_;
  std::set<u64> lent_, refused_;
};

} // namespace tasuki::remote
