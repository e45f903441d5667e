#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/cuda_check.hpp>
#include <tasuki/device/kernel/follow_cuda.hpp>
#include <tasuki/device/launch_next_cuda.hpp>
#include <tasuki/device/signal/watch_device.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tasuki::cuda {
namespace {

constexpr unsigned kThreads = 256; // per block
constexpr int kMany = 4;           // words in flight per thread of a large copy

// Division of n < 2^31 by a constant as a multiplication. With l the number of bits of d - 1, the multiplier exceeds
// 2^(31+l) / d by at most 1, which does not change the quotient of such an n.
struct Divisor {
  std::uint32_t value = 1, multiplier = 0, shift = 0; // multiplier 0: division by 1

  Divisor() = default;
  explicit Divisor(long d) : value(static_cast<std::uint32_t>(d)) {
    if (d == 1) return;
    int bits = 0;
    while ((1L << bits) < d) ++bits;
    multiplier = static_cast<std::uint32_t>((1UL << (31 + bits)) / value + 1);
    shift = static_cast<std::uint32_t>(bits - 1);
  }
  // Replaces n by the quotient; returns the remainder.
  __device__ __forceinline__ std::uint32_t divide(std::uint32_t& n) const {
    const std::uint32_t q = multiplier ? __umulhi(n, multiplier) >> shift : n;
    const std::uint32_t rest = n - q * value;
    n = q;
    return rest;
  }
};

struct Entry {
  const char* from;
  char* to;
  std::uint32_t words;      // of this pair
  std::uint32_t first_tile; // tiles of the preceding pairs
  std::int32_t word;        // bytes: 1, 2, 4, 8 or 16
  std::int32_t levels;
  Combine combine;
  long with;   // bytes to the number that each number is combined with
  Divisor run; // words
  Divisor count[Strided::kMaxLevels];
  long from_stride[Strided::kMaxLevels], to_stride[Strided::kMaxLevels];
};

// The largest word size that divides run, strides and addresses of both sides.
int word_of(const CopyPair& pair) {
  if (pair.from.combine != Combine::none) return bytes_of(pair.from.combine);
  auto bits = static_cast<std::uint64_t>(pair.from.run) | reinterpret_cast<std::uint64_t>(pair.from.base) |
              reinterpret_cast<std::uint64_t>(pair.to.base) | 16;
  for (int l = 0; l < pair.from.levels; ++l)
    bits |= static_cast<std::uint64_t>(pair.from.stride[l]) | static_cast<std::uint64_t>(pair.to.stride[l]);
  return static_cast<int>(bits & (~bits + 1));
}

struct Alone {
  template <class Word>
  __device__ static Word value(const char* source, long) {
    return *reinterpret_cast<const Word*>(source);
  }
};
template <int kSign>
struct Combined {
  template <class Word>
  __device__ static Word value(const char* source, long with) {
    const Word a = *reinterpret_cast<const Word*>(source), b = *reinterpret_cast<const Word*>(source + with);
    return static_cast<Word>(kSign > 0 ? a + b : a - b);
  }
};

// Consecutive threads copy consecutive words. All loads are issued before the first store; otherwise each load would
// wait for the previous store, since the compiler must assume that source and target overlap.
template <class Word, int kWords, class Take = Alone>
__device__ __forceinline__ void copy_tile(const Entry& e, std::uint32_t tile) {
  Word value[kWords];
  char* target[kWords];
#pragma unroll
  for (int k = 0; k < kWords; ++k) {
    const std::uint32_t at = (tile * kWords + k) * kThreads + threadIdx.x;
    target[k] = nullptr;
    if (at >= e.words) continue;
    std::uint32_t place = at;
    const long within = static_cast<long>(e.run.divide(place)) * static_cast<long>(sizeof(Word));
    const char* source = e.from + within;
    target[k] = e.to + within;
    for (int l = 0; l < e.levels; ++l) {
      const long i = e.count[l].divide(place);
      source += i * e.from_stride[l];
      target[k] += i * e.to_stride[l];
    }
    value[k] = Take::template value<Word>(source, e.with);
  }
#pragma unroll
  for (int k = 0; k < kWords; ++k)
    if (target[k]) *reinterpret_cast<Word*>(target[k]) = value[k];
}

template <int kWords>
__device__ __forceinline__ void copy_tiles(const Entry* __restrict__ entries, int pairs,
                                           std::uint32_t tiles) {
  for (std::uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    int low = 0, high = pairs; // the last pair that begins at or before this tile
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (entries[middle].first_tile <= tile)
        low = middle;
      else
        high = middle;
    }
    const Entry& e = entries[low];
    const std::uint32_t within = tile - e.first_tile;
    if (e.combine != Combine::none) { // uniform over the block, like the word size
      switch (e.combine) {
        case Combine::add_f32: copy_tile<float, kWords, Combined<1>>(e, within); break;
        case Combine::subtract_f32: copy_tile<float, kWords, Combined<-1>>(e, within); break;
        case Combine::add_f64: copy_tile<double, kWords, Combined<1>>(e, within); break;
        case Combine::subtract_f64: copy_tile<double, kWords, Combined<-1>>(e, within); break;
        case Combine::add_i16: copy_tile<std::int16_t, kWords, Combined<1>>(e, within); break;
        default: copy_tile<std::int16_t, kWords, Combined<-1>>(e, within);
      }
      continue;
    }
    switch (e.word) {
      case 16: copy_tile<uint4, kWords>(e, within); break;
      case 8: copy_tile<uint2, kWords>(e, within); break;
      case 4: copy_tile<std::uint32_t, kWords>(e, within); break;
      case 2: copy_tile<std::uint16_t, kWords>(e, within); break;
      default: copy_tile<std::uint8_t, kWords>(e, within);
    }
  }
}

template <int kWords>
__global__ void __launch_bounds__(kThreads)
    copy_kernel(const Entry* __restrict__ entries, int pairs, std::uint32_t tiles) {
  detail::follow();
  copy_tiles<kWords>(entries, pairs, tiles);
}

constexpr int kMostFlags = 16; // of each kind
constexpr unsigned kMostWaiting =
    64; // blocks: as many threads as a few multiprocessors hold, which the interior can spare

struct Signals {
  Flag* first[kMostFlags];
  Awaited await_first[kMostFlags];
  Flag* then[kMostFlags];
  Awaited await_last[kMostFlags];
  int firsts, await_firsts, thens, await_lasts;
  bool ends;
  Flag* turn;
  unsigned* blocks;
  WatchHandle watch;
};

// Every block waits for the flags itself; the last block that has copied raises the flags that follow.
__global__ void __launch_bounds__(kThreads)
    exchange_kernel(const Entry* __restrict__ entries, int pairs, std::uint32_t tiles,
                    const __grid_constant__ Signals s) {
  const Flag next = *s.turn + 1;
  const int i = static_cast<int>(threadIdx.x);
  if (blockIdx.x == 0 && i < s.firsts) {
    __threadfence_system();
    store_flag(s.first[i], next);
  }
  if (i < s.await_firsts) spin_until(s.await_first[i].flag, next, s.watch, s.await_first[i].rank);
  __syncthreads();
  copy_tiles<1>(entries, pairs, tiles);
  __shared__ bool last;
  __syncthreads();
  if (i == 0) {
    __threadfence_system(); // this block's stores are visible before it is counted
    last = atomicInc(s.blocks, gridDim.x - 1) == gridDim.x - 1;
    __threadfence_system();
  }
  __syncthreads();
  if (!last) return;
  if (i < s.thens) store_flag(s.then[i], next);
  if (i < s.await_lasts) spin_until(s.await_last[i].flag, next, s.watch, s.await_last[i].rank);
  __threadfence_system();
  __syncthreads();
  if (s.ends && i == 0) *s.turn = next;
}

// The number of items of the list, or -1 if there are too many.
template <class Item>
int put(const std::vector<Item>& list, Item (&into)[kMostFlags]) {
  if (list.size() > kMostFlags) return -1;
  std::copy(list.begin(), list.end(), into);
  return static_cast<int>(list.size());
}

unsigned processors() {
  static const int count = [] {
    int device = 0, n = 0;
    TASUKI_CUDA(cudaGetDevice(&device));
    TASUKI_CUDA(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, device));
    return n;
  }();
  return static_cast<unsigned>(count);
}

} // namespace

std::vector<char> make_copy_table(const std::vector<CopyPair>& pairs, CopyLaunch& launch) {
  long words = 0;
  for (const CopyPair& pair : pairs) words += pair.from.bytes() / word_of(pair);
  // A small copy is spread over many multiprocessors; a large one has more loads in flight on each.
  const bool large = words > 2L * kThreads * kMany * processors();
  launch.words_per_thread = large ? kMany : 1;
  launch.pairs = static_cast<int>(pairs.size());
  launch.tiles = 0;
  const long tile = static_cast<long>(kThreads) * launch.words_per_thread;
  std::vector<char> table(pairs.size() * sizeof(Entry));
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const Strided &from = pairs[p].from, &to = pairs[p].to;
    Entry e = {};
    e.from = from.base;
    e.to = to.base;
    e.word = word_of(pairs[p]);
    e.words = static_cast<std::uint32_t>(from.bytes() / e.word);
    e.first_tile = launch.tiles;
    e.levels = from.levels;
    e.combine = from.combine;
    e.with = from.with;
    e.run = Divisor(from.run / e.word);
    for (int l = 0; l < from.levels; ++l) {
      e.count[l] = Divisor(from.count[l]);
      e.from_stride[l] = from.stride[l];
      e.to_stride[l] = to.stride[l];
    }
    launch.tiles += static_cast<unsigned>((e.words + tile - 1) / tile);
    std::memcpy(table.data() + p * sizeof(Entry), &e, sizeof e);
  }
  return table;
}

void enqueue_copies(void* stream, const char* table, const CopyLaunch& launch) {
  const auto* entries = reinterpret_cast<const Entry*>(table);
  const auto on = static_cast<cudaStream_t>(stream);
  const unsigned blocks = std::min(launch.tiles, 8 * processors()); // several blocks per multiprocessor
  if (launch.words_per_thread == kMany)
    detail::launch_next<&copy_kernel<kMany>>(blocks, kThreads, 0, on, entries, launch.pairs, launch.tiles);
  else
    detail::launch_next<&copy_kernel<1>>(blocks, kThreads, 0, on, entries, launch.pairs, launch.tiles);
  TASUKI_CUDA(cudaGetLastError());
}

bool enqueue_copies_between(void* stream, const char* table, const CopyLaunch& launch,
                            const Handshake& signals, const DeviceTurn& turn, const WatchHandle& watch) {
  if (launch.tiles > kMostWaiting || launch.words_per_thread != 1) return false;
  Signals s = {};
  s.firsts = put(signals.raise_first, s.first);
  s.await_firsts = put(signals.await_first, s.await_first);
  s.thens = put(signals.raise_then, s.then);
  s.await_lasts = put(signals.await_last, s.await_last);
  if (std::min({s.firsts, s.await_firsts, s.thens, s.await_lasts}) < 0) return false;
  s.ends = signals.ends;
  s.turn = turn.word();
  s.blocks = turn.blocks();
  s.watch = watch;
  exchange_kernel<<<std::max(launch.tiles, 1u), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      reinterpret_cast<const Entry*>(table), launch.pairs, launch.tiles, s);
  TASUKI_CUDA(cudaGetLastError());
  return true;
}

void enqueue_pitched(void* stream, const CopyPair& pair) {
  const auto on = static_cast<cudaStream_t>(stream);
  const Strided &from = pair.from, &to = pair.to;
  const auto size = [](long n) { return static_cast<std::size_t>(n); };
  if (from.levels == 0) {
    TASUKI_CUDA(cudaMemcpyAsync(to.base, from.base, size(from.run), cudaMemcpyDefault, on));
    return;
  }
  if (from.levels == 1) {
    TASUKI_CUDA(cudaMemcpy2DAsync(to.base, size(to.stride[0]), from.base, size(from.stride[0]),
                                  size(from.run), size(from.count[0]), cudaMemcpyDefault, on));
    return;
  }
  // Planes whose stride is a multiple of the row stride are one three-dimensional copy; others are copied one by one.
  const bool whole = from.stride[1] % from.stride[0] == 0 && to.stride[1] % to.stride[0] == 0 &&
                     from.stride[1] >= from.stride[0] * from.count[0] &&
                     to.stride[1] >= to.stride[0] * to.count[0];
  if (from.levels == 2 && whole) {
    const auto pitched = [&](const Strided& s) {
      return make_cudaPitchedPtr(s.base, size(s.stride[0]), size(s.stride[0]),
                                 size(s.stride[1] / s.stride[0]));
    };
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = pitched(from);
    copy.dstPtr = pitched(to);
    copy.extent = make_cudaExtent(size(from.run), size(from.count[0]), size(from.count[1]));
    copy.kind = cudaMemcpyDefault;
    TASUKI_CUDA(cudaMemcpy3DAsync(&copy, on));
    return;
  }
  const int outer = from.levels - 1;
  CopyPair one = pair;
  --one.from.levels;
  --one.to.levels;
  for (long i = 0; i < from.count[outer]; ++i) {
    one.from.base = from.base + i * from.stride[outer];
    one.to.base = to.base + i * to.stride[outer];
    enqueue_pitched(stream, one);
  }
}

} // namespace tasuki::cuda
