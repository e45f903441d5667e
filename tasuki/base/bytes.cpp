#include <tasuki/base/bytes.hpp>

#include <tasuki/base/wait.hpp>

#include <algorithm>

namespace tasuki {

void gather_bytes(const Ranks& ranks, const void* mine, long bytes, void* all, const char* why) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(mine, static_cast<int>(bytes), MPI_BYTE, all, static_cast<int>(bytes), MPI_BYTE,
                 ranks.comm(), &request);
  detail::await(ranks.world(), {request}, why);
}

void gather_bytes(const Ranks& ranks, const void* mine, const std::vector<int>& counts, void* all,
                  const char* why) {
  std::vector<int> offsets;
  int sum = 0;
  for (const int count : counts) {
    offsets.push_back(sum);
    sum += count;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgatherv(mine, counts[static_cast<std::size_t>(ranks.place())], MPI_BYTE, all, counts.data(),
                  offsets.data(), MPI_BYTE, ranks.comm(), &request);
  detail::await(ranks.world(), {request}, why);
}

void broadcast_bytes(const Ranks& ranks, void* value, long bytes, int from, const char* why) {
  constexpr long kPiece = 1L << 30;
  for (long at = 0; at < bytes; at += kPiece) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(static_cast<char*>(value) + at, static_cast<int>(std::min(bytes - at, kPiece)), MPI_BYTE, from,
               ranks.comm(), &request);
    detail::await(ranks.world(), {request}, why);
  }
}

} // namespace tasuki
