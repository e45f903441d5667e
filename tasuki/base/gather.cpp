#include <tasuki/base/gather.hpp>

#include <tasuki/base/wait.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace tasuki {
namespace {

using detail::await;

constexpr int kSizeTag = 7301, kBytesTag = 7302, kGatherTag = 7303;
constexpr std::size_t kPiece = std::size_t(1) << 30; // MPI counts in int

void send(const Ranks& ranks, const char* bytes, std::size_t size, int to,
          std::vector<MPI_Request>& requests) {
  for (std::size_t at = 0; at < size; at += kPiece)
    MPI_Isend(bytes + at, static_cast<int>(std::min(kPiece, size - at)), MPI_CHAR, to, kBytesTag,
              ranks.comm(), &requests.emplace_back());
}

void receive(const Ranks& ranks, std::vector<char>& bytes, int from, std::vector<MPI_Request>& requests) {
  for (std::size_t at = 0; at < bytes.size(); at += kPiece)
    MPI_Irecv(bytes.data() + at, static_cast<int>(std::min(kPiece, bytes.size() - at)), MPI_CHAR, from,
              kBytesTag, ranks.comm(), &requests.emplace_back());
}

} // namespace

Gather::Gather(const Ranks& ranks, int mine) : ranks_(ranks), counts_(ranks.size()), starts_(ranks.size()) {
  const Waiting now(ranks.world(), "how many numbers the other ranks have");
  MPI_Allgather(&mine, 1, MPI_INT, counts_.data(), 1, MPI_INT, ranks.comm());
  long total = 0;
  for (int r = 0; r < ranks.size(); ++r) {
    starts_[r] = static_cast<int>(total);
    total += counts_[r];
  }
  if (total > std::numeric_limits<int>::max())
    throw Error("the ranks gather " + std::to_string(total) + " numbers, more than an int counts",
                "gather fewer at once");
  all_.resize(static_cast<std::size_t>(total));
  ring_.resize(all_.size());
}

// The number of values in the first `blocks` blocks, counted cyclically from `rank`.
int Gather::ring_place(int rank, int blocks) const {
  const int last = rank + blocks, n = ranks_.size(), total = static_cast<int>(all_.size());
  if (last < n) return starts_[last] - starts_[rank];
  return total - starts_[rank] + starts_[last - n];
}

const std::vector<double>& Gather::operator()(const std::vector<double>& mine) {
  if (static_cast<int>(mine.size()) != counts_[ranks_.place()])
    throw Error("a rank brought " + std::to_string(mine.size()) + " values to gather, not " +
                    std::to_string(counts_[ranks_.place()]),
                "bring as many as were announced");
  // The algorithm of Bruck et al. (IEEE Trans. Parallel Distrib. Syst. 8, 1143 (1997)): data doubles in each round, so
  // log2(ranks) rounds suffice for any number of ranks; MPI's own non-blocking gathers take as many rounds as ranks.
  const int n = ranks_.size(), me = ranks_.place();
  std::copy(mine.begin(), mine.end(), ring_.begin());
  for (int have = 1; have < n; have *= 2) { // blocks of me, me + 1, .. me + have - 1, cyclically
    const int more = std::min(have, n - have), to = (me - have + n) % n, from = (me + have) % n;
    const int out = ring_place(me, more), at = ring_place(me, have);
    const int in = ring_place(me, have + more) - at;
    std::vector<MPI_Request> requests(2, MPI_REQUEST_NULL);
    MPI_Irecv(ring_.data() + at, in, MPI_DOUBLE, from, kGatherTag, ranks_.comm(), &requests[0]);
    MPI_Isend(ring_.data(), out, MPI_DOUBLE, to, kGatherTag, ranks_.comm(), &requests[1]);
    await(ranks_.world(), std::move(requests), "the numbers of the other ranks");
  }
  const auto wrapped = static_cast<std::ptrdiff_t>(all_.size()) - starts_[me];
  std::copy(ring_.begin(), ring_.begin() + wrapped, all_.begin() + starts_[me]);
  std::copy(ring_.begin() + wrapped, ring_.end(), all_.begin());
  return all_;
}

std::vector<std::vector<char>> gather_on_root(const Ranks& ranks, const std::vector<char>& mine) {
  const auto size = static_cast<long>(mine.size());
  std::vector<long> sizes(static_cast<std::size_t>(ranks.size()));
  {
    const Waiting now(ranks.world(), "what rank 0 gathers");
    MPI_Gather(&size, 1, MPI_LONG, sizes.data(), 1, MPI_LONG, 0, ranks.comm());
  }
  std::vector<std::vector<char>> pieces;
  std::vector<MPI_Request> requests;
  if (ranks.place() != 0) {
    send(ranks, mine.data(), mine.size(), 0, requests);
  } else {
    pieces.resize(sizes.size());
    pieces[0] = mine;
    for (std::size_t r = 1; r < sizes.size(); ++r) {
      pieces[r].resize(static_cast<std::size_t>(sizes[r]));
      receive(ranks, pieces[r], static_cast<int>(r), requests);
    }
  }
  await(ranks.world(), requests, "what rank 0 gathers");
  return pieces;
}

std::vector<char> pass_on(const Ranks& ranks, const std::vector<char>& mine, int by) {
  const int n = ranks.size(), to = ((ranks.place() + by) % n + n) % n,
            from = ((ranks.place() - by) % n + n) % n;
  if (to == ranks.place()) return mine;
  const auto size = static_cast<long>(mine.size());
  long coming = 0;
  {
    const Waiting now(ranks.world(), "what the ranks pass on");
    MPI_Sendrecv(&size, 1, MPI_LONG, to, kSizeTag, &coming, 1, MPI_LONG, from, kSizeTag, ranks.comm(),
                 MPI_STATUS_IGNORE);
  }
  std::vector<char> bytes(static_cast<std::size_t>(coming));
  std::vector<MPI_Request> requests;
  receive(ranks, bytes, from, requests);
  send(ranks, mine.data(), mine.size(), to, requests);
  await(ranks.world(), requests, "what the ranks pass on");
  return bytes;
}

std::vector<char> detail::gather_bytes(const Ranks& ranks, const char* mine, std::size_t bytes) {
  std::vector<char> all(bytes * static_cast<std::size_t>(ranks.size()));
  const int size = static_cast<int>(bytes);
  MPI_Allgather(mine, size, MPI_BYTE, all.data(), size, MPI_BYTE, ranks.comm());
  return all;
}

void gather_in_turn(const Ranks& ranks, const void* mine, std::size_t bytes,
                    const std::function<void(int rank, const std::vector<char>& bytes)>& take) {
  const auto* own = static_cast<const char*>(mine);
  std::vector<MPI_Request> requests;
  if (ranks.place() != 0) {
    MPI_Isend(&bytes, 1, MPI_UINT64_T, 0, kSizeTag, ranks.comm(), &requests.emplace_back());
    send(ranks, own, bytes, 0, requests);
    await(ranks.world(), requests, "rank 0 to take what it gathers");
    return;
  }
  take(0, {own, own + bytes});
  for (int r = 1; r < ranks.size(); ++r) {
    std::uint64_t size = 0;
    MPI_Irecv(&size, 1, MPI_UINT64_T, r, kSizeTag, ranks.comm(), &requests.emplace_back());
    await(ranks.world(), requests, "what rank 0 gathers");
    requests.clear();
    std::vector<char> piece(size);
    receive(ranks, piece, r, requests);
    await(ranks.world(), requests, "what rank 0 gathers");
    requests.clear();
    take(r, piece);
  }
}

void share(const Ranks& ranks, std::string& text, int from) {
  auto size = static_cast<std::uint64_t>(text.size());
  MPI_Bcast(&size, 1, MPI_UINT64_T, from, ranks.comm());
  text.resize(size);
  for (std::size_t at = 0; at < size; at += kPiece)
    MPI_Bcast(text.data() + at, static_cast<int>(std::min(kPiece, size - at)), MPI_CHAR, from, ranks.comm());
}

long of_root(const Ranks& ranks, long number) {
  const Waiting now(ranks.world(), "a number of rank 0");
  MPI_Bcast(&number, 1, MPI_LONG, 0, ranks.comm());
  return number;
}

std::uint64_t of_root(const Ranks& ranks, std::uint64_t number) {
  MPI_Bcast(&number, 1, MPI_UINT64_T, 0, ranks.comm());
  return number;
}

double of_root(const Ranks& ranks, double number) {
  const Waiting now(ranks.world(), "a number of rank 0");
  MPI_Bcast(&number, 1, MPI_DOUBLE, 0, ranks.comm());
  return number;
}

bool any_rank(const Ranks& ranks, bool here) {
  const int mine = here;
  int any = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &any, 1, MPI_INT, MPI_MAX, ranks.comm(), &request);
  await(ranks.world(), {request}, "what the other ranks say");
  return any != 0;
}

} // namespace tasuki
