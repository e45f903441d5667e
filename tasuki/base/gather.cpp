#include <tasuki/base/gather.hpp>

#include <tasuki/base/wait.hpp>

#include <algorithm>
#include <cstddef>

namespace tasuki {
namespace {

using detail::await;

constexpr int kSizeTag = 7301, kBytesTag = 7302, kGatherTag = 7303;
constexpr std::size_t kPiece = std::size_t(1) << 30; // MPI counts in int

void send(World& world, const char* bytes, std::size_t size, int to, std::vector<MPI_Request>& requests) {
  for (std::size_t at = 0; at < size; at += kPiece)
    MPI_Isend(bytes + at, static_cast<int>(std::min(kPiece, size - at)), MPI_CHAR, to, kBytesTag,
              world.comm(), &requests.emplace_back());
}

void receive(World& world, std::vector<char>& bytes, int from, std::vector<MPI_Request>& requests) {
  for (std::size_t at = 0; at < bytes.size(); at += kPiece)
    MPI_Irecv(bytes.data() + at, static_cast<int>(std::min(kPiece, bytes.size() - at)), MPI_CHAR, from,
              kBytesTag, world.comm(), &requests.emplace_back());
}

} // namespace

Gather::Gather(World& world, int mine) : world_(world), counts_(world.size()), starts_(world.size()) {
  const Waiting now(world, "how many numbers the other ranks have");
  MPI_Allgather(&mine, 1, MPI_INT, counts_.data(), 1, MPI_INT, world.comm());
  int total = 0;
  for (int r = 0; r < world.size(); ++r) {
    starts_[r] = total;
    total += counts_[r];
  }
  all_.resize(static_cast<std::size_t>(total));
  ring_.resize(all_.size());
}

// How many values the first `blocks` blocks hold, counted round the ring from `rank`.
int Gather::ring_place(int rank, int blocks) const {
  const int last = rank + blocks, n = world_.size(), total = static_cast<int>(all_.size());
  if (last < n) return starts_[last] - starts_[rank];
  return total - starts_[rank] + starts_[last - n];
}

const std::vector<double>& Gather::operator()(const std::vector<double>& mine) {
  if (static_cast<int>(mine.size()) != counts_[world_.rank()])
    throw Error("a rank brought " + std::to_string(mine.size()) + " values to gather, not " +
                    std::to_string(counts_[world_.rank()]),
                "bring as many as were announced");
  // Bruck's way (Bruck et al., IEEE Trans. Parallel Distrib. Syst. 8, 1143 (1997)): what is there doubles in every round,
  // so log2 of the ranks are enough, for any number of them; MPI's own non-blocking gathers take as many rounds as ranks.
  const int n = world_.size(), me = world_.rank();
  std::copy(mine.begin(), mine.end(), ring_.begin());
  for (int have = 1; have < n; have *= 2) { // blocks of me, me + 1, .. me + have - 1, round the ring
    const int more = std::min(have, n - have), to = (me - have + n) % n, from = (me + have) % n;
    const int out = ring_place(me, more), at = ring_place(me, have);
    const int in = ring_place(me, have + more) - at;
    std::vector<MPI_Request> requests(2, MPI_REQUEST_NULL);
    MPI_Irecv(ring_.data() + at, in, MPI_DOUBLE, from, kGatherTag, world_.comm(), &requests[0]);
    MPI_Isend(ring_.data(), out, MPI_DOUBLE, to, kGatherTag, world_.comm(), &requests[1]);
    await(world_, std::move(requests), "the numbers of the other ranks");
  }
  const auto wrapped = static_cast<std::ptrdiff_t>(all_.size()) - starts_[me];
  std::copy(ring_.begin(), ring_.begin() + wrapped, all_.begin() + starts_[me]);
  std::copy(ring_.begin() + wrapped, ring_.end(), all_.begin());
  return all_;
}

std::vector<std::vector<char>> gather_on_root(World& world, const std::vector<char>& mine) {
  const auto size = static_cast<long>(mine.size());
  std::vector<long> sizes(static_cast<std::size_t>(world.size()));
  {
    const Waiting now(world, "what rank 0 gathers");
    MPI_Gather(&size, 1, MPI_LONG, sizes.data(), 1, MPI_LONG, 0, world.comm());
  }
  std::vector<std::vector<char>> pieces;
  std::vector<MPI_Request> requests;
  if (world.rank() != 0) {
    send(world, mine.data(), mine.size(), 0, requests);
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
  {
    const Waiting now(world, "what the ranks pass on");
    MPI_Sendrecv(&size, 1, MPI_LONG, to, kSizeTag, &coming, 1, MPI_LONG, from, kSizeTag, world.comm(),
                 MPI_STATUS_IGNORE);
  }
  std::vector<char> bytes(static_cast<std::size_t>(coming));
  std::vector<MPI_Request> requests;
  receive(world, bytes, from, requests);
  send(world, mine.data(), mine.size(), to, requests);
  await(world, requests, "what the ranks pass on");
  return bytes;
}

std::vector<char> detail::gather_bytes(World& world, const char* mine, std::size_t bytes) {
  std::vector<char> all(bytes * static_cast<std::size_t>(world.size()));
  const int size = static_cast<int>(bytes);
  MPI_Allgather(mine, size, MPI_BYTE, all.data(), size, MPI_BYTE, world.comm());
  return all;
}

void gather_in_turn(World& world, const void* mine, std::size_t bytes,
                    const std::function<void(int rank, const std::vector<char>& bytes)>& take) {
  const auto* own = static_cast<const char*>(mine);
  std::vector<MPI_Request> requests;
  if (world.rank() != 0) {
    MPI_Isend(&bytes, 1, MPI_UINT64_T, 0, kSizeTag, world.comm(), &requests.emplace_back());
    send(world, own, bytes, 0, requests);
    await(world, requests, "rank 0 to take what it gathers");
    return;
  }
  take(0, {own, own + bytes});
  for (int r = 1; r < world.size(); ++r) {
    std::uint64_t size = 0;
    MPI_Irecv(&size, 1, MPI_UINT64_T, r, kSizeTag, world.comm(), &requests.emplace_back());
    await(world, requests, "what rank 0 gathers");
    requests.clear();
    std::vector<char> piece(size);
    receive(world, piece, r, requests);
    await(world, requests, "what rank 0 gathers");
    requests.clear();
    take(r, piece);
  }
}

void share(World& world, std::string& text, int from) {
  auto size = static_cast<std::uint64_t>(text.size());
  MPI_Bcast(&size, 1, MPI_UINT64_T, from, world.comm());
  text.resize(size);
  for (std::size_t at = 0; at < size; at += kPiece)
    MPI_Bcast(text.data() + at, static_cast<int>(std::min(kPiece, size - at)), MPI_CHAR, from, world.comm());
}

long of_root(World& world, long number) {
  const Waiting now(world, "a number of rank 0");
  MPI_Bcast(&number, 1, MPI_LONG, 0, world.comm());
  return number;
}

std::uint64_t of_root(World& world, std::uint64_t number) {
  MPI_Bcast(&number, 1, MPI_UINT64_T, 0, world.comm());
  return number;
}

double of_root(World& world, double number) {
  const Waiting now(world, "a number of rank 0");
  MPI_Bcast(&number, 1, MPI_DOUBLE, 0, world.comm());
  return number;
}

bool any_rank(World& world, bool here) {
  const int mine = here;
  int any = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &any, 1, MPI_INT, MPI_MAX, world.comm(), &request);
  await(world, {request}, "what the other ranks say");
  return any != 0;
}

} // namespace tasuki
