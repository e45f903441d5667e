#include <tasuki/channel/requests.hpp>

#include <tasuki/base/world.hpp>

namespace tasuki {

Requests::~Requests() {
  if (unwinding()) return;
  for (MPI_Request& request : list_) MPI_Request_free(&request);
}

void Requests::add_send(const char* from, int words, int rank, int tag, MPI_Comm comm) {
  MPI_Send_init(from, words, MPI_INT64_T, rank, tag, comm, &list_.emplace_back(MPI_REQUEST_NULL));
}

void Requests::add_receive(char* to, int words, int rank, int tag, MPI_Comm comm) {
  MPI_Recv_init(to, words, MPI_INT64_T, rank, tag, comm, &list_.emplace_back(MPI_REQUEST_NULL));
}

// Some MPIs reject a null pointer even for an empty list. A rank with a halo on one side only may have no receives.
void Requests::start() {
  if (!list_.empty()) MPI_Startall(static_cast<int>(list_.size()), list_.data());
}

bool Requests::done() {
  int all = 1;
  if (!list_.empty()) MPI_Testall(static_cast<int>(list_.size()), list_.data(), &all, MPI_STATUSES_IGNORE);
  return all != 0;
}

} // namespace tasuki
