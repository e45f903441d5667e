// Reductions in a kernel of many steps (tiled.hpp): those of the last step, and the reduction that `until` tests.
#pragma once

#include <tasuki/device/kernel/exact_bracket_cuda.hpp>
#include <tasuki/device/kernel/exact_value_cuda.hpp>
#include <tasuki/device/signal/watch_device.hpp>
#include <tasuki/device/tiled/views_cuda.hpp>

#include <cstring>
#include <type_traits>

namespace tasuki {
namespace detail {

// A reduction's value of 4 or 8 bytes and its turn, in 16 bytes that show whether they are complete: half a value and
// the turn, twice.
template <class V>
__device__ uint4 stamped(const V& value, unsigned turn) {
  unsigned half[2] = {0, 0};
  memcpy(half, &value, sizeof(V) < 8 ? sizeof(V) : 8);
  return {half[0], turn, half[1], turn};
}

// Lane 0 has the values of all lanes.
template <class Op>
__device__ typename Op::Value warp_fold(typename Op::Value value) {
  for (int by = 16; by > 0; by /= 2) value = Op::combine(value, shuffle_down(value, by));
  return value;
}
// block_fold for blocks of up to 1024 threads.
template <class Op>
__device__ typename Op::Value block_fold_wide(typename Op::Value value) {
  using Value = typename Op::Value;
  __shared__ Value warps[32];
  value = warp_fold<Op>(value);
  __syncthreads(); // an earlier fold may still be read
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = warp_fold<Op>(threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : Op::identity());
  }
  return value;
}

// The index of a tile's entry on a board, for a turn: one entry per tile, followed by one entry per digit of each tile.
__device__ __forceinline__ long board_at(const TiledLaunch& l, unsigned turn, int entry) {
  return static_cast<long>(turn & 1u) * l.ranks * l.blocks + entry;
}
__device__ __forceinline__ long board_at(const TiledLaunch& l, unsigned turn, int entry, int digit) {
  return 2l * l.ranks * l.blocks + board_at(l, turn, entry) * ExactSum::kSize + digit;
}
template <class V>
__device__ __forceinline__ void put_entry(char* board, long at, const V& value, unsigned turn) {
  const uint4 entry = stamped(value, turn);
  asm volatile("st.relaxed.sys.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(board + 16 * at), "r"(entry.x),
               "r"(entry.y), "r"(entry.z), "r"(entry.w)
               : "memory");
}
// Waits for an entry of this rank's board. False if the run is aborted.
template <class V>
__device__ __forceinline__ bool take_entry(const TiledLaunch& l, long at, unsigned turn, int from, V& value) {
  const char* const entry = l.boards[l.rank] + 16 * at;
  uint4 e;
  for (cuda::Patience patience(l.watch);;) {
    asm volatile("ld.relaxed.sys.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(e.x), "=r"(e.y), "=r"(e.z), "=r"(e.w)
                 : "l"(entry)
                 : "memory");
    if (e.y == turn && e.w == turn) break;
    if (!patience.lasts(l.world_rank[from])) return false;
  }
  const unsigned half[2] = {e.x, e.z};
  memcpy(&value, half, sizeof(V) < 8 ? sizeof(V) : 8);
  return true;
}

// Posts the tile's part of the tested reduction to every rank.
template <class Op>
__device__ void post(const TiledLaunch& l, const Running<Op>& running, unsigned turn) {
  const typename Op::Value value = block_fold_wide<Op>(running.value);
  __shared__ typename Op::Value mine;
  if (threadIdx.x == 0) mine = value;
  __syncthreads();
  const long at = board_at(l, turn, l.rank * l.blocks + static_cast<int>(blockIdx.x));
  for (int r = static_cast<int>(threadIdx.x); r < l.ranks; r += static_cast<int>(blockDim.x))
    put_entry(l.boards[r], at, mine, turn);
}
// For a sum: posts a bracket, which all tiles read, and the digits, which they read only if the brackets do not decide.
__device__ inline void post_digits(const TiledLaunch& l, const long long* digits, unsigned turn) {
  const int me = static_cast<int>(threadIdx.x), tile = l.rank * l.blocks + static_cast<int>(blockIdx.x);
  if (me < 32) {
    long long mine[kDigitsOfLane];
#pragma unroll
    for (int k = 0; k < kDigitsOfLane; ++k) mine[k] = me + 32 * k < ExactSum::kSize ? digits[me + 32 * k] : 0;
    const ExactBracket bracket = bracket_of(mine);
    for (int r = me; r < l.ranks; r += 32) put_entry(l.boards[r], board_at(l, turn, tile), bracket, turn);
  } else {
    for (int k = me - 32; k < ExactSum::kSize * l.ranks; k += static_cast<int>(blockDim.x) - 32)
      put_entry(l.boards[k / ExactSum::kSize], board_at(l, turn, tile, k % ExactSum::kSize),
                digits[k % ExactSum::kSize], turn);
  }
  __syncthreads(); // a late verdict lets the next step begin at once, which clears the digits
}

// Folds the parts of all tiles of all ranks in an order that depends only on their number; the result is the same in
// every tile. False, in all threads, if the run is aborted.
template <class Op>
__device__ bool collect(const TiledLaunch& l, unsigned turn, double& result) {
  using Value = typename Op::Value;
  Value value = Op::identity();
  bool come = true;
  for (int k = static_cast<int>(threadIdx.x); k < l.ranks * l.blocks && come;
       k += static_cast<int>(blockDim.x)) {
    Value part;
    come = take_entry(l, board_at(l, turn, k), turn, k / l.blocks, part);
    if (come) value = Op::combine(value, part);
  }
  if (!__syncthreads_and(come)) return false;
  value = block_fold_wide<Op>(value);
  __shared__ Value all;
  if (threadIdx.x == 0) all = value;
  __syncthreads();
  if constexpr (std::is_arithmetic_v<Value>) result = static_cast<double>(all);
  __syncthreads();
  return true;
}

// Sums of the brackets of many threads or tiles, in doubles.
struct BracketsOf {
  struct Value {
    double sum, size;
  };
  __device__ static Value identity() { return {0, 0}; }
  __device__ static Value combine(const Value& a, const Value& b) { return {a.sum + b.sum, a.size + b.size}; }
};
// The sum of the digits of all tiles, rounded to Number.
template <class Number>
__device__ bool collect_digits(const TiledLaunch& l, unsigned turn, double& result) {
  __shared__ long long digits[ExactSum::kSize];
  __shared__ double rounded;
  const int me = static_cast<int>(threadIdx.x), groups = static_cast<int>(blockDim.x) / ExactSum::kSize;
  if (me < ExactSum::kSize) digits[me] = 0;
  __syncthreads();
  const int group = me / ExactSum::kSize, k = me % ExactSum::kSize;
  bool come = true;
  if (group < groups) {
    long long sum = 0;
    for (int tile = group; tile < l.ranks * l.blocks && come; tile += groups) {
      long long part = 0;
      come = take_entry(l, board_at(l, turn, tile, k), turn, tile / l.blocks, part);
      sum += part;
    }
    add_to_near_digit(digits + k, sum);
  }
  if (!__syncthreads_and(come)) return false;
  if (me < 32) {
    const double value = warp_value(digits);
    if (me == 0) rounded = static_cast<double>(static_cast<Number>(value));
  }
  __syncthreads();
  result = rounded;
  __syncthreads();
  return true;
}
// A sum on the same side of the threshold as the exact sum; the exact sum itself if the brackets do not decide.
template <class Op>
__device__ bool collect_sum(const TiledLaunch& l, unsigned turn, double& result) {
  using Number = typename Op::Number;
  BracketsOf::Value value = BracketsOf::identity();
  bool come = true;
  for (int k = static_cast<int>(threadIdx.x); k < l.ranks * l.blocks && come;
       k += static_cast<int>(blockDim.x)) {
    ExactBracket part;
    come = take_entry(l, board_at(l, turn, k), turn, k / l.blocks, part);
    if (come) value = BracketsOf::combine(value, {part.sum, part.size});
  }
  if (!__syncthreads_and(come)) return false;
  value = block_fold_wide<BracketsOf>(value);
  __shared__ double about;
  __shared__ bool sure;
  if (threadIdx.x == 0) {
    sure = side_of<Number>(value.sum, value.size, l.until.below, l.until.threshold) != Side::unsure;
    about = static_cast<double>(static_cast<Number>(value.sum));
  }
  __syncthreads();
  const bool told = sure;
  result = about;
  __syncthreads();
  return told || collect_digits<Number>(l, turn, result);
}

// The reductions of the last step: each tile stores its part, and the last to end combines them in the order of tiles.
template <class A>
__device__ void leave_part(const TiledLaunch&, TilePart<A>&, int&) {}
template <class Op>
__device__ void leave_part(const TiledLaunch& l, TilePart<TileReduces<Op>>& part, int& number) {
  const auto value = block_fold_wide<Op>(part.running.value);
  if (threadIdx.x == 0)
    reinterpret_cast<typename Op::Value*>(l.partials + 16l * number * l.blocks)[blockIdx.x] = value;
  ++number;
}
template <class A>
__device__ void join_parts(const TiledLaunch&, TilePart<A>&, int&) {}
template <class Op>
__device__ void join_parts(const TiledLaunch& l, TilePart<TileReduces<Op>>&, int& number) {
  using Value = typename Op::Value;
  Value value = Op::identity();
  const auto* parts = reinterpret_cast<const Value*>(l.partials + 16l * number * l.blocks);
  for (int t = static_cast<int>(threadIdx.x); t < l.blocks; t += static_cast<int>(blockDim.x))
    value = Op::combine(value, load_past_l1(parts + t));
  value = block_fold_wide<Op>(value);
  if (threadIdx.x == 0) *reinterpret_cast<Value*>(l.slot_of[number]) = value;
  ++number;
}
template <class A>
__device__ void begin_part(TilePart<A>&, bool) {}
template <class Op>
__device__ void begin_part(TilePart<TileReduces<Op>>& part, bool) {
  part.running.value = Op::identity();
}
// The reduction that `until` tests.
template <class A>
__device__ void post_part(const TiledLaunch&, const TilePart<A>&, unsigned, int&) {}
template <class Op>
__device__ void post_part(const TiledLaunch& l, const TilePart<TileReduces<Op>>& part, unsigned turn,
                          int& number) {
  if constexpr (std::is_arithmetic_v<typename Op::Value>)
    if (number == l.until.reduce) post<Op>(l, part.running, turn);
  ++number;
}
template <class A>
__device__ bool collect_part(const TiledLaunch&, const TilePart<A>&, unsigned, int&, double&) {
  return true;
}
// .. and whose value of a step the host wants.
template <class A>
__device__ void log_part(const TiledLaunch&, const TilePart<A>&, int, int&) {}
template <class Op>
__device__ void log_part(const TiledLaunch& l, const TilePart<TileReduces<Op>>& part, int look, int& number) {
  if (number == l.until.reduce) {
    const auto value = block_fold_wide<Op>(part.running.value);
    if (threadIdx.x == 0) {
      const long at = static_cast<long>(look) * l.blocks + blockIdx.x;
      *reinterpret_cast<typename Op::Value*>(l.log + l.log_bytes * at) = value;
    }
  }
  ++number;
}
template <class Op>
__device__ bool collect_part(const TiledLaunch& l, const TilePart<TileReduces<Op>>&, unsigned turn,
                             int& number, double& result) {
  bool come = true;
  if constexpr (std::is_arithmetic_v<typename Op::Value>)
    if (number == l.until.reduce) come = collect<Op>(l, turn, result);
  ++number;
  return come;
}

// Sums: the digits of a tile are in shared memory. They are 0 at the start of a wanted step. After fold_part() and a
// barrier they contain the offers of all cells of the tile.
template <class A>
__device__ void give_digits(TilePart<A>&, long long*, int&) {}
template <class Op>
requires Op::sums __device__ void give_digits(TilePart<TileReduces<Op>>& part, long long* digits,
                                              int& number) {
  part.digits = digits + number++ * ExactSum::kSize;
}
__device__ inline void clear_digits(long long* digits, int sums) {
  for (int k = static_cast<int>(threadIdx.x); k < sums * ExactSum::kSize; k += static_cast<int>(blockDim.x))
    digits[k] = 0;
}
template <class Op>
requires Op::sums __device__ void begin_part(TilePart<TileReduces<Op>>& part, bool wanted) {
  part.wanted = wanted;
  if (wanted) part.bins.begin();
}
template <class A>
__device__ void fold_part(const TilePart<A>&) {}
template <class Op>
requires Op::sums __device__ void fold_part(const TilePart<TileReduces<Op>>& part) {
  block_digits(part.bins, part.digits);
}
template <class Op>
requires Op::sums __device__ void log_part(const TiledLaunch& l, const TilePart<TileReduces<Op>>& part,
                                           int look, int& number) {
  if (number == l.until.reduce) {
    long long* const all = reinterpret_cast<long long*>(l.log) + static_cast<long>(look) * ExactSum::kSize;
    const auto k = static_cast<int>(threadIdx.x);
    if (k < ExactSum::kSize && part.digits[k] != 0) add_to_digit(all + k, part.digits[k]);
    __syncthreads(); // the next step may clear the digits
  }
  ++number;
}
template <class Op>
requires Op::sums __device__ void post_part(const TiledLaunch& l, const TilePart<TileReduces<Op>>& part,
                                            unsigned turn, int& number) {
  if (number == l.until.reduce) post_digits(l, part.digits, turn);
  ++number;
}
template <class Op>
requires Op::sums __device__ bool collect_part(const TiledLaunch& l, const TilePart<TileReduces<Op>>&,
                                               unsigned turn, int& number, double& result) {
  const bool come = number != l.until.reduce || collect_sum<Op>(l, turn, result);
  ++number;
  return come;
}
template <class Op>
requires Op::sums __device__ void leave_part(const TiledLaunch& l, TilePart<TileReduces<Op>>& part,
                                             int& number) {
  long long* const all = l.sums + number++ * ExactSum::kSize;
  const auto k = static_cast<int>(threadIdx.x);
  if (k < ExactSum::kSize && part.digits[k] != 0) add_to_digit(all + k, part.digits[k]);
}
template <class Op>
requires Op::sums __device__ void join_parts(const TiledLaunch& l, TilePart<TileReduces<Op>>& part,
                                             int& number) {
  using Value = typename Op::Value;
  long long* const all = l.sums + number * ExactSum::kSize;
  long long* const to = l.exact[number] ? reinterpret_cast<long long*>(l.slot_of[number]) : part.digits;
  if (const auto k = static_cast<int>(threadIdx.x); k < ExactSum::kSize) {
    to[k] = __ldcg(all + k);
    all[k] = 0;
  }
  if (!l.exact[number]) {
    __syncthreads();
    if (threadIdx.x < 32) {
      const double value = warp_value(part.digits);
      if (threadIdx.x == 0) *reinterpret_cast<Value*>(l.slot_of[number]) = static_cast<Value>(value);
    }
  }
  ++number;
}

} // namespace detail
} // namespace tasuki
