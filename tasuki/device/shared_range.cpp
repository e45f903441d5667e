#include <tasuki/device/shared_range.hpp>

#include <tasuki/base/gather.hpp>
#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/descriptors.hpp>
#include <tasuki/device/host_memory.hpp>
#include <tasuki/device/memory.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace tasuki {
namespace {

// A part of the range in the memory of one rank.
struct Span : SharedRange::Piece {
  int place = 0;
  Span(std::size_t first, std::size_t end, int owner) : Piece{first, end}, place(owner) {}
};

// Every rank's pieces, from the range's start to its end. The same on all ranks.
std::vector<Span> spans_of(const Ranks& ranks, std::size_t bytes, const std::vector<SharedRange::Piece>& mine,
                           bool gaps) {
  Gather gather(ranks, 2 * static_cast<int>(mine.size()));
  std::vector<double> row;
  for (const SharedRange::Piece& piece : mine) {
    row.push_back(static_cast<double>(piece.from));
    row.push_back(static_cast<double>(piece.to));
  }
  const std::vector<double> all = gather(row);
  std::vector<Span> spans;
  for (int place = 0; place < ranks.size(); ++place)
    for (int k = 0; k < gather.count(place); k += 2) {
      const auto at = static_cast<std::size_t>(gather.first(place) + k);
      if (all[at] < all[at + 1])
        spans.push_back({static_cast<std::size_t>(all[at]), static_cast<std::size_t>(all[at + 1]), place});
    }
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.from < b.from; });
  if (gaps) return spans;
  std::size_t end = 0;
  for (const Span& span : spans) {
    if (span.from > end) break;
    end = std::max(end, span.to);
  }
  if (end < bytes)
    throw Error("the pieces of ranks leave byte " + std::to_string(end) + " of a range of " +
                    std::to_string(bytes) + " to nobody",
                "let them cover it");
  return spans;
}

// The spans in whole steps of the driver's granularity: the owner of the first byte of a step has all of it.
std::vector<Span> in_steps(const std::vector<Span>& spans, std::size_t step) {
  std::vector<Span> whole;
  std::size_t end = 0;
  for (const Span& span : spans) {
    const std::size_t to = (span.to + step - 1) / step * step;
    if (to <= end) continue;
    const std::size_t from = std::max(end, span.from / step * step); // beyond `end` behind a gap
    if (!whole.empty() && whole.back().place == span.place && whole.back().to == from)
      whole.back().to = to;
    else
      whole.push_back({from, to, span.place});
    end = to;
  }
  return whole;
}

} // namespace

// What of the range is mapped on a GPU.
struct SharedRange::Mapped {
  char* at = nullptr;
  std::size_t reserved = 0; // by itself
  std::vector<Span> spans;  // mapped by now
  ~Mapped() {
    for (const Span& span : spans) cuda::unmap_memory(at + span.from, span.to - span.from);
    if (reserved) cuda::free_addresses(at, reserved);
  }
};

SharedRange::SharedRange(Device& device, std::size_t bytes, const std::vector<Piece>& mine,
                         const Place& place)
    : device_(device), bytes_(bytes) {
  for (const Piece& piece : mine) own_bytes_ += piece.to - piece.from;
  const Ranks ranks = Ranks::of_node(device.world());
  const std::vector<Span> pieces = spans_of(ranks, bytes, mine, place.gaps);
  if (!device.cuda()) {
    share_host(mine, place.at);
    if (place.gaps) leave_gaps({pieces.begin(), pieces.end()});
    return;
  }
  int alone = 0, any_alone = 0;
  for (int r = 0; r < ranks.size(); ++r) alone |= !device.reaches(r);
  MPI_Allreduce(&alone, &any_alone, 1, MPI_INT, MPI_MAX, ranks.comm());
  if (any_alone)
    throw Error(
        "the GPUs of this node do not reach each other's memory, and one range of addresses was asked of "
        "all of them",
        "take one GPU a node, or GPUs that are joined");
  const std::size_t step = cuda::granularity();
  const std::vector<Span> spans = in_steps(pieces, step);
  mapped_ = std::make_unique<Mapped>();
  mapped_->at = place.at;
  if (!place.at) {
    const std::size_t whole = spans.empty() ? step : spans.back().to;
    mapped_->at = cuda::reserve_addresses(whole);
    mapped_->reserved = whole;
  }
  std::vector<std::uint64_t> own;
  std::vector<int> descriptors;
  int fits = mapped_->at != nullptr, all_fit = 0;
  std::size_t wanted = 0;
  for (const Span& span : spans) {
    if (span.place != ranks.place()) continue;
    wanted += span.to - span.from;
    own.push_back(fits ? cuda::create_memory(span.to - span.from) : 0);
    fits = fits && own.back() != 0;
    if (fits && ranks.size() > 1) descriptors.push_back(cuda::export_memory(own.back()));
  }
  MPI_Allreduce(&fits, &all_fit, 1, MPI_INT, MPI_MIN, ranks.comm());
  const auto release = [&] {
    for (const std::uint64_t memory : own)
      if (memory) cuda::release_memory(memory);
    for (const int one : descriptors) close(one);
  };
  if (!all_fit) {
    const std::size_t free = cuda::free_memory();
    release();
    throw Error(place.what + " of " + bytes_text(wanted) + " does not fit: " + bytes_text(free) +
                    " free on " + device.name(),
                "use a smaller grid or more ranks");
  }
  std::vector<std::vector<int>> all(static_cast<std::size_t>(ranks.size()));
  if (ranks.size() > 1) all = hand_round(ranks, descriptors);
  std::vector<std::size_t> next(all.size(), 0); // of each rank's allocations
  for (const Span& span : spans) {
    const auto owner = static_cast<std::size_t>(span.place);
    const std::size_t k = next[owner]++;
    const bool here = span.place == ranks.place();
    const std::uint64_t memory = here ? own[k] : cuda::import_memory(all[owner][k]);
    cuda::map_memory(mapped_->at + span.from, span.to - span.from, memory);
    mapped_->spans.push_back(span);
    if (here) cuda::zero(mapped_->at + span.from, span.to - span.from);
    if (!here) cuda::release_memory(memory); // the mapping keeps it
    if (!here) close(all[owner][k]);
  }
  release();
  data_ = mapped_->at;
  MPI_Barrier(ranks.comm()); // all is zeroed
}

void SharedRange::share_host(const std::vector<Piece>& mine, char* at) {
  const Ranks ranks = Ranks::of_node(device_.world());
  host_ = std::make_unique<NodeMemory>(ranks, ranks.place() == 0 ? bytes_ : 0, false, at);
  data_ = host_->data(0);
  for (const Piece& piece : mine) zero_in_parallel(data_ + piece.from, piece.to - piece.from);
  MPI_Barrier(ranks.comm());
}

// What lies between pieces is memory of nobody: it is unmapped again, for a touch to be a fault.
void SharedRange::leave_gaps(const std::vector<Piece>& all) {
  const auto unmap = [&](std::size_t from, std::size_t to) {
    if (from < to)
      mmap(data_ + from, to - from, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
           0);
  };
  std::size_t end = 0;
  for (const Piece& piece : all) {
    unmap(end, piece.from);
    end = std::max(end, piece.to);
  }
  unmap(end, bytes_);
}

SharedRange::~SharedRange() {
  if (!mapped_ || unwinding()) return; // other ranks may not call the destructor
  try {
    cuda::synchronize(); // this rank's kernels have left the others' memory
  } catch (const Error&) {
    mapped_->spans.clear(); // the GPU has failed, and its memory is lost
    mapped_->reserved = 0;
    return;
  }
  MPI_Barrier(Ranks::of_node(device_.world()).comm());
}

} // namespace tasuki
