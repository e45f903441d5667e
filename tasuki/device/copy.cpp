#include <tasuki/device/copy.hpp>
#include <tasuki/device/cuda_backend.hpp>

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace tasuki {
namespace {

constexpr long kParallel = 256L << 10;   // cost below which one thread is faster than many, in bytes
constexpr long kRunCost = 256;           // overhead of a run, in bytes: partial cache lines at both ends
constexpr long kLongRun = 4096;          // bytes from which a run may be split between threads
constexpr long kMostOfKernel = 1L << 30; // bytes of a pair that the kernel counts in 32 bits

void drop_level(Strided& s, int level) {
  for (int l = level; l + 1 < s.levels; ++l) {
    s.count[l] = s.count[l + 1];
    s.stride[l] = s.stride[l + 1];
  }
  --s.levels;
  s.count[s.levels] = s.stride[s.levels] = 0;
}

bool joins_run(const Strided& s) { return s.stride[0] == s.run; }
bool joins_below(const Strided& s, int l) { return s.stride[l] == s.stride[l - 1] * s.count[l - 1]; }

// Merges a level of all shapes if it is dense in every one of them, so that their shapes stay equal.
template <class... S>
void fold_together(S&... s) {
  const auto levels = [&] { return std::max({s.levels...}); };
  const auto count = [&](int l) { return std::max({s.count[l]...}); };
  for (int l = 0; l < levels();)
    if (count(l) == 1)
      (drop_level(s, l), ...);
    else
      ++l;
  for (int l = 1; l < levels();) {
    if ((joins_below(s, l) && ...)) {
      ((s.count[l - 1] *= s.count[l], drop_level(s, l)), ...);
    } else {
      ++l;
    }
  }
  if (levels() > 0 && (joins_run(s) && ...)) ((s.run *= s.count[0], drop_level(s, 0)), ...);
}

bool same_shape(const Strided& a, const Strided& b) {
  if (a.run != b.run || a.levels != b.levels) return false;
  return std::equal(a.count, a.count + a.levels, b.count);
}

template <int kWord>
void copy_words(char* to, long to_stride, const char* from, long from_stride, long n) {
  for (long i = 0; i < n; ++i)
    std::memcpy(to + i * to_stride, from + i * from_stride, kWord); // a load and a store
}

// Numbers stored contiguously; a row of single numbers is treated as one run.
template <class T, int kSign>
void combine_run(char* to, const char* from, const char* with, long bytes) {
  for (long i = 0; i < bytes; i += static_cast<long>(sizeof(T))) {
    T a, b;
    std::memcpy(&a, from + i, sizeof(T));
    std::memcpy(&b, with + i, sizeof(T));
    a = static_cast<T>(kSign > 0 ? a + b : a - b);
    std::memcpy(to + i, &a, sizeof(T));
  }
}

using CombineRun = void (*)(char*, const char*, const char*, long);
constexpr CombineRun kCombineRun[] = {nullptr,
                                      combine_run<float, 1>,
                                      combine_run<float, -1>,
                                      combine_run<double, 1>,
                                      combine_run<double, -1>,
                                      combine_run<std::int16_t, 1>,
                                      combine_run<std::int16_t, -1>};

void copy_row(char* to, long to_stride, const char* from, long from_stride, long run, long n) {
  switch (run) {
    case 1: return copy_words<1>(to, to_stride, from, from_stride, n);
    case 2: return copy_words<2>(to, to_stride, from, from_stride, n);
    case 4: return copy_words<4>(to, to_stride, from, from_stride, n);
    case 8: return copy_words<8>(to, to_stride, from, from_stride, n);
    case 12: return copy_words<12>(to, to_stride, from, from_stride, n);
    case 16: return copy_words<16>(to, to_stride, from, from_stride, n);
    case 24: return copy_words<24>(to, to_stride, from, from_stride, n);
    case 32: return copy_words<32>(to, to_stride, from, from_stride, n);
    default:
      for (long i = 0; i < n; ++i)
        std::memcpy(to + i * to_stride, from + i * from_stride, static_cast<std::size_t>(run));
  }
}

// Copies the bytes first <= b < last of a pair, in the order of the packed layout. Both limits are multiples of the run
// unless runs are long.
void copy_range(const CopyPair& pair, long first, long last) {
  const Strided &from = pair.from, &to = pair.to;
  const long run = from.run;
  const bool single = from.levels == 0;
  const long row = single ? 1 : from.count[0]; // runs in a row, the innermost level
  const CombineRun combine = kCombineRun[static_cast<int>(from.combine)];
  const long from_step = single ? 0 : from.stride[0], to_step = single ? 0 : to.stride[0];
  long place = first / run, skip = first % run;
  long at = place % row; // run within the row
  place /= row;
  long index[Strided::kMaxLevels] = {};
  const char* source = from.base;
  char* target = to.base;
  for (int l = 1; l < from.levels; ++l) {
    index[l] = place % from.count[l];
    place /= from.count[l];
    source += index[l] * from.stride[l];
    target += index[l] * to.stride[l];
  }
  while (first < last) {
    if (run >= kLongRun) {
      for (; at < row && first < last; ++at) {
        const long n = std::min(run - skip, last - first);
        const char* const begin = source + at * from_step + skip;
        if (combine)
          combine(target + at * to_step + skip, begin, begin + from.with, n);
        else
          std::memcpy(target + at * to_step + skip, begin, static_cast<std::size_t>(n));
        first += n;
        skip = 0;
      }
    } else {
      const long n = std::min(row - at, (last - first) / run);
      if (combine)
        for (long i = at; i < at + n; ++i)
          combine(target + i * to_step, source + i * from_step, source + i * from_step + from.with, run);
      else
        copy_row(target + at * to_step, to_step, source + at * from_step, from_step, run, n);
      first += n * run;
    }
    at = 0;
    for (int l = 1; l < from.levels; ++l) {
      source += from.stride[l];
      target += to.stride[l];
      if (++index[l] < from.count[l]) break;
      source -= index[l] * from.stride[l];
      target -= index[l] * to.stride[l];
      index[l] = 0;
    }
  }
}

// Rounds a limit between two threads within a pair: to a multiple of the run, or of a cache line in a long run.
long cut(const Strided& shape, long bytes, long at) {
  const long grain = shape.run >= kLongRun ? 64 : shape.run;
  return std::clamp((at + grain - 1) / grain * grain, 0L, bytes);
}

// The time of a copy, in bytes of a long run.
long cost_of(const CopyPair& pair) {
  const long bytes = pair.from.bytes();
  return bytes + bytes / pair.from.run * kRunCost;
}

// Copies the part of the pairs between two values of their cumulative cost.
void copy_share(const std::vector<CopyPair>& pairs, long first, long last) {
  for (const CopyPair& pair : pairs) {
    const long bytes = pair.from.bytes(), cost = cost_of(pair);
    const auto place = [&](long point) { // converts a cost to bytes of this pair
      const long within = std::clamp(point, 0L, cost);
      return cut(pair.from, bytes, static_cast<long>(static_cast<__int128>(bytes) * within / cost));
    };
    if (place(first) < place(last)) copy_range(pair, place(first), place(last));
    first -= cost;
    last -= cost;
  }
}

// Halves a pair along its outermost level until the kernel's 32-bit counters suffice.
void add_halved(std::vector<CopyPair>& list, const CopyPair& pair) {
  const long bytes = pair.from.bytes();
  if (bytes <= kMostOfKernel) {
    list.push_back(pair);
    return;
  }
  CopyPair low = pair, high = pair;
  const int outer = pair.from.levels - 1;
  const auto split = [&](Strided CopyPair::*side) {
    Strided &a = low.*side, &b = high.*side;
    long& part = outer < 0 ? a.run : a.count[outer];
    long& rest = outer < 0 ? b.run : b.count[outer];
    const long half = outer < 0 ? part / 2 / 64 * 64 : part / 2;
    b.base += half * (outer < 0 ? 1 : a.stride[outer]);
    rest -= half;
    part = half;
  };
  split(&CopyPair::from);
  split(&CopyPair::to);
  fold_together(low.from, low.to); // a level of count 1 may be left
  fold_together(high.from, high.to);
  add_halved(list, low);
  add_halved(list, high);
}

} // namespace

int bytes_of(Combine combine) {
  switch (combine) {
    case Combine::none: return 1;
    case Combine::add_i16:
    case Combine::subtract_i16: return 2;
    case Combine::add_f32:
    case Combine::subtract_f32: return 4;
    default: return 8;
  }
}

long Strided::bytes() const {
  long n = run;
  for (int l = 0; l < levels; ++l) n *= count[l];
  return n;
}

Strided packed(const Strided& shape, char* base) {
  Strided dense = shape;
  dense.base = base;
  dense.combine = Combine::none;
  dense.with = 0;
  long stride = shape.run;
  for (int l = 0; l < shape.levels; ++l) {
    dense.stride[l] = stride;
    stride *= shape.count[l];
  }
  return dense;
}

Strided folded(Strided region) {
  if (region.bytes() == 0) return {region.base};
  fold_together(region);
  return region;
}

std::vector<CopyPair> folded_alike(std::vector<CopyPair> pairs) {
  std::vector<CopyPair> list;
  for (CopyPair& pair : pairs) {
    if (!same_shape(pair.from, pair.to))
      throw Error("a copy of " + std::to_string(pair.from.bytes()) + " bytes goes to a box of another shape",
                  "give both sides the same run and counts");
    if (pair.to.combine != Combine::none || pair.from.run % bytes_of(pair.from.combine) != 0)
      throw Error("a copy combines what is no run of numbers", "combine numbers of its source");
    if (pair.from.bytes() == 0) continue;
    fold_together(pair.from, pair.to);
    list.push_back(pair);
  }
  return list;
}

CopyPlan::CopyPlan(Device& device, std::vector<CopyPair> pairs) {
  for (const CopyPair& pair : folded_alike(std::move(pairs))) {
    bytes_ += pair.from.bytes();
    cost_ += cost_of(pair);
    if (device.cuda())
      add_halved(pairs_, pair);
    else
      pairs_.push_back(pair);
  }
  if (!device.cuda() || pairs_.empty()) return;
  cuda::CopyLaunch launch;
  const std::vector<char> table = cuda::make_copy_table(pairs_, launch);
  table_ = Buffer(device, table.size());
  copy_to_device(device, table_.data(), table.data(), table.size());
  table_pairs_ = launch.pairs;
  tiles_ = launch.tiles;
  words_per_thread_ = launch.words_per_thread;
}

bool CopyPlan::enqueue_between(Device& device, Stream& stream, const Handshake& signals,
                               const DeviceTurn& turn) const {
  return cuda::enqueue_copies_between(stream.handle(), table_.data(),
                                      {table_pairs_, tiles_, words_per_thread_}, signals, turn,
                                      device.world().part<Watch>().handle());
}

void CopyPlan::enqueue(Stream& stream) const {
  if (empty()) return;
  if (stream.kind() == DeviceKind::cuda) {
    cuda::enqueue_copies(stream.handle(), table_.data(), {table_pairs_, tiles_, words_per_thread_});
    return;
  }
  if (cost_ <= kParallel) {
    share(0, 1);
    return;
  }
#pragma omp parallel
  share(omp_get_thread_num(), omp_get_num_threads());
}

void CopyPlan::share(int part, int parts) const {
  if (parts == 1)
    for (const CopyPair& pair : pairs_) copy_range(pair, 0, pair.from.bytes());
  else
    copy_share(pairs_, cost_ / parts * part, part + 1 == parts ? cost_ : cost_ / parts * (part + 1));
}

} // namespace tasuki
