// A list of persistent MPI requests that are started and completed together.
#pragma once

#include <mpi.h>

#include <vector>

namespace tasuki {

class Requests {
public:
  Requests() = default;
  ~Requests(); // the requests must not be active
  Requests(Requests&&) noexcept = default;
  Requests& operator=(Requests&& other) noexcept {
    list_.swap(other.list_);
    return *this;
  }

  void add_send(const char* from, int words, int rank, int tag, MPI_Comm comm); // `words`: of 8 bytes
  void add_receive(char* to, int words, int rank, int tag, MPI_Comm comm);
  void start();
  bool done(); // true if all started requests are complete, or none was started

private:
  std::vector<MPI_Request> list_;
};

} // namespace tasuki
