// A list of persistent MPI requests that are started and completed together.
#pragma once

#include <mpi.h>

#include <vector>

namespace tasuki {

class Requests {
public:
  Requests() = default;
  ~Requests(); // they are not active by then
  Requests(Requests&&) noexcept = default;
  Requests& operator=(Requests&& other) noexcept {
    list_.swap(other.list_);
    return *this;
  }

  void add_send(const char* from, int words, int rank, int tag, MPI_Comm comm); // of 8 bytes
  void add_receive(char* to, int words, int rank, int tag, MPI_Comm comm);
  void start();
  bool done(); // all of those that were started are complete, or none was

private:
  std::vector<MPI_Request> list_;
};

} // namespace tasuki
