// Bytes that a server keeps for a client on its disk, until the client ends.
//
//   Keeper there(host, key);                            // throws Error: nobody is there, or it keeps none
//   const std::uint64_t at = there.add({data, size});   // behind all others; does not wait
//   there.settle();                                     // throws Error: the disk is full, or the server is gone
//   there.read(at, to, size);
#pragma once

#include <remote/server/visit.hpp>

namespace tasuki::remote {

class Keeper {
public:
  Keeper(const Host& host, const Key& key, const Wish& wish = {});

  std::uint64_t add(Piece bytes); // throws LinkLost
  void settle();
  void read(std::uint64_t at, void* to, std::size_t bytes);
  std::uint64_t bytes() const { return end_; }

private:
  void take_answer();

  Visit visit_;
  std::uint64_t end_ = 0;
};

} // namespace tasuki::remote
