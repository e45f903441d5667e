#include <tasuki/base/gather.hpp>

#include <algorithm>
#include <cstddef>

namespace tasuki {
namespace {

void await(World& world, std::vector<MPI_Request> requests, const char* what) {
  world.wait_until(
      [&] {
        int done = 0;
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
        return done != 0;
      },
      what);
}

constexpr int kSizeTag = 7301, kBytesTag = 7302;
constexpr std::size_t kPiece = std::size_t(1) << 30; // MPI counts in int

void send(World& world, const std::vector<char>& bytes, int to, std::vector<MPI_Request>& requests) {
  for (std::size_t at = 0; at < bytes.size(); at += kPiece)
    MPI_Isend(bytes.data() + at, static_cast<int>(std::min(kPiece, bytes.size() - at)), MPI_CHAR, to,
              kBytesTag, world.comm(), &requests.emplace_back());
}

void receive(World& world, std::vector<char>& bytes, int from, std::vector<MPI_Request>& requests) {
  for (std::size_t at = 0; at < bytes.size(); at += kPiece)
    MPI_Irecv(bytes.data() + at, static_cast<int>(std::min(kPiece, bytes.size() - at)), MPI_CHAR, from,
              kBytesTag, world.comm(), &requests.emplace_back());
}

} // namespace

Gather::Gather(World& world, int mine) : world_(world), counts_(world.size()), starts_(world.size()) {
  MPI_Allgather(&mine, 1, MPI_INT, counts_.data(), 1, MPI_INT, world.comm());
  int total = 0;
  for (int r = 0; r < world.size(); ++r) {
    starts_[r] = total;
    total += counts_[r];
  }
  all_.resize(static_cast<std::size_t>(total));
}

const std::vector<double>& Gather::operator()(const std::vector<double>& mine) {
  if (static_cast<int>(mine.size()) != counts_[world_.rank()])
    throw Error("a rank brought " + std::to_string(mine.size()) + " values to gather, not " +
                    std::to_string(counts_[world_.rank()]),
                "bring as many as were announced");
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgatherv(mine.data(), counts_[world_.rank()], MPI_DOUBLE, all_.data(), counts_.data(),
                  starts_.data(), MPI_DOUBLE, world_.comm(), &request);
  await(world_, {request}, "the numbers of the other ranks");
  return all_;
}

std::vector<std::vector<char>> gather_on_root(World& world, const std::vector<char>& mine) {
  const auto size = static_cast<long>(mine.size());
  std::vector<long> sizes(static_cast<std::size_t>(world.size()));
  MPI_Gather(&size, 1, MPI_LONG, sizes.data(), 1, MPI_LONG, 0, world.comm());
  std::vector<std::vector<char>> pieces;
  std::vector<MPI_Request> requests;
  if (world.rank() != 0) {
    send(world, mine, 0, requests);
  } else {
    pieces.resize(sizes.size());
    pieces[0] = mine;
    for (std::size_t r = 1; r < sizes.size(); ++r) {
      pieces[r].resize(static_cast<std::size_t>(sizes[r]));
      receive(world, pieces[r], static_cast<int>(r), requests);
    }
  }
  await(world, requests, "what rank 0 gathers");
  return pieces;
}

std::vector<char> pass_on(World& world, const std::vector<char>& mine, int by) {
  const int n = world.size(), to = ((world.rank() + by) % n + n) % n,
            from = ((world.rank() - by) % n + n) % n;
  if (to == world.rank()) return mine;
  const auto size = static_cast<long>(mine.size());
  long coming = 0;
  MPI_Sendrecv(&size, 1, MPI_LONG, to, kSizeTag, &coming, 1, MPI_LONG, from, kSizeTag, world.comm(),
               MPI_STATUS_IGNORE);
  std::vector<char> bytes(static_cast<std::size_t>(coming));
  std::vector<MPI_Request> requests;
  receive(world, bytes, from, requests);
  send(world, mine, to, requests);
  await(world, requests, "what the ranks pass on");
  return bytes;
}

long of_root(World& world, long number) {
  MPI_Bcast(&number, 1, MPI_LONG, 0, world.comm());
  return number;
}

} // namespace tasuki
