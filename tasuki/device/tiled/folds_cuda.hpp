// Reductions in a kernel of many steps (tiled.hpp): those of the last step, and the one that `until` looks at.
#pragma once

#include <tasuki/device/signal/watch_device.hpp>
#include <tasuki/device/tiled/views_cuda.hpp>

#include <cstring>
#include <type_traits>

namespace tasuki {
namespace detail {

// A reduction's value of 4 or 8 bytes and the turn it belongs to, in 16 bytes that tell by themselves whether they are
// complete: half a value and the turn, twice.
template <class V>
__device__ uint4 stamped(const V& value, unsigned turn) {
  unsigned half[2] = {0, 0};
  memcpy(half, &value, sizeof(V) < 8 ? sizeof(V) : 8);
  return {half[0], turn, half[1], turn};
}

// block_fold for blocks of up to 1024 threads.
template <class Op>
__device__ typename Op::Value block_fold_wide(typename Op::Value value) {
  using Value = typename Op::Value;
  __shared__ Value warps[32];
  for (int by = 16; by > 0; by /= 2) value = Op::combine(value, shuffle_down(value, by));
  __syncthreads(); // an earlier fold may still be read
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : Op::identity();
    for (int by = 16; by > 0; by /= 2) value = Op::combine(value, shuffle_down(value, by));
  }
  return value;
}

// Posts the tile's part of the looked-at reduction to every rank.
template <class Op>
__device__ void post(const TiledLaunch& l, const Running<Op>& running, unsigned turn) {
  const typename Op::Value value = block_fold_wide<Op>(running.value);
  __shared__ typename Op::Value mine;
  if (threadIdx.x == 0) mine = value;
  __syncthreads();
  const long at = (static_cast<long>(turn & 1u) * l.ranks + l.rank) * l.blocks + blockIdx.x;
  for (int r = static_cast<int>(threadIdx.x); r < l.ranks; r += static_cast<int>(blockDim.x)) {
    const uint4 entry = stamped(mine, turn);
    asm volatile("st.relaxed.sys.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(l.boards[r] + 16 * at),
                 "r"(entry.x), "r"(entry.y), "r"(entry.z), "r"(entry.w)
                 : "memory");
  }
}

// Of all tiles of all ranks, in an order that depends on nothing but their number; the same in every tile.
// False, in all threads, where the run gives up.
template <class Op>
__device__ bool collect(const TiledLaunch& l, unsigned turn, double& result) {
  using Value = typename Op::Value;
  Value value = Op::identity();
  bool come = true;
  const int entries = l.ranks * l.blocks;
  const char* board = l.boards[l.rank] + 16l * (turn & 1u) * entries;
  for (int k = static_cast<int>(threadIdx.x); k < entries && come; k += static_cast<int>(blockDim.x)) {
    uint4 e;
    for (cuda::Patience patience(l.watch);;) {
      asm volatile("ld.relaxed.sys.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(e.x), "=r"(e.y), "=r"(e.z), "=r"(e.w)
                   : "l"(board + 16l * k)
                   : "memory");
      if (e.y == turn && e.w == turn) break;
      come = patience.lasts(l.world_rank[k / l.blocks]);
      if (!come) break;
    }
    if (!come) break;
    const unsigned half[2] = {e.x, e.z};
    Value part;
    memcpy(&part, half, sizeof(Value) < 8 ? sizeof(Value) : 8);
    value = Op::combine(value, part);
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

// The reductions of the last step: a tile leaves its part, the last to come makes them one, in the order of the tiles.
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
__device__ void begin_part(TilePart<A>&) {}
template <class Op>
__device__ void begin_part(TilePart<TileReduces<Op>>& part) {
  part.running.value = Op::identity();
}
// The one of the reductions that `until` looks at.
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
template <class Op>
__device__ bool collect_part(const TiledLaunch& l, const TilePart<TileReduces<Op>>&, unsigned turn,
                             int& number, double& result) {
  bool come = true;
  if constexpr (std::is_arithmetic_v<typename Op::Value>)
    if (number == l.until.reduce) come = collect<Op>(l, turn, result);
  ++number;
  return come;
}

} // namespace detail
} // namespace tasuki
