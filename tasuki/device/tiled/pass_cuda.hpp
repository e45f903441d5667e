// The kernel of tiled.hpp that does some steps in a pass over memory: one tile per thread block, independent of others.
#pragma once

#include <tasuki/device/kernel/follow_cuda.hpp>
#include <tasuki/device/tiled/folds_cuda.hpp>
#include <tasuki/device/tiled/walk_cuda.hpp>

#include <cuda_runtime.h>

namespace tasuki {
namespace detail {

// Loads the cells of a slot with which a tile begins: all of them, or only those that no step writes.
template <int Bytes, int D>
__device__ __forceinline__ void fetch(const TiledLaunch& l, const Tile<D>& tile, const TiledSlot& slot,
                                      char* smem) {
  int lo[D], hi[D];
  bool all_done = true; // the sweep writes every cell of the box
#pragma unroll
  for (int a = 0; a < D; ++a) {
    const int halo = l.steps * l.reach[a];
    const bool ends = l.region_lo[a] > -kTiledEndless; // false along a periodic axis
    lo[a] = ends ? max(tile.lo[a] - halo, -static_cast<int>(l.origin[a])) : tile.lo[a] - halo;
    hi[a] = ends ? min(tile.hi[a] + halo, static_cast<int>(l.extent[a] - l.origin[a])) : tile.hi[a] + halo;
    all_done = all_done && lo[a] >= l.region_lo[a] && hi[a] <= l.region_hi[a];
  }
  if (!slot.taken && all_done) return;
  const int width = hi[0] - lo[0], wrap = l.wraps[0] ? l.owned[0] : 0;
  over_rows<D>(lo, hi, [&](const int(&first)[D], int lane, int lanes) {
    bool done = true; // the sweep writes the row
    int at[D];
    at[0] = lo[0];
#pragma unroll
    for (int a = 1; a < D; ++a) {
      done = done && first[a] >= l.region_lo[a] && first[a] < l.region_hi[a];
      at[a] = first[a];
      if (l.wraps[a]) at[a] += first[a] < 0 ? l.owned[a] : first[a] >= l.owned[a] ? -l.owned[a] : 0;
    }
    const bool all = slot.taken || !done;
    const bool turns = wrap != 0 && (lo[0] < 0 || hi[0] > wrap);
    auto to = static_cast<unsigned>(__cvta_generic_to_shared(smem)) +
              static_cast<unsigned>(slot.offset + tile.near(l, first) * Bytes);
    const char* from = slot.origin + index_in<D>(l.stride, at) * Bytes;
    for (int k = 0; k < slot.components; ++k) {
      if (all && !turns) {
#pragma unroll 4
        for (int i = lane; i < width; i += lanes)
          fetch_number<Bytes>(to + static_cast<unsigned>(i * Bytes), from + i * Bytes);
      } else {
#pragma unroll 1
        for (int i = lane; i < width; i += lanes) {
          const int x = lo[0] + i, turned = !turns ? 0 : x < 0 ? wrap : x >= wrap ? -wrap : 0;
          if (all || x < l.region_lo[0] || x >= l.region_hi[0])
            fetch_number<Bytes>(to + static_cast<unsigned>(i * Bytes), from + (i + turned) * Bytes);
        }
      }
      to += static_cast<unsigned>(l.near_plane * Bytes);
      from += l.plane * Bytes;
    }
  });
}

// Stores the cells of a slot into the memory that receives them.
template <int Bytes, int D>
__device__ __forceinline__ void leave(const TiledLaunch& l, const Tile<D>& tile, const TiledSlot& slot,
                                      const char* smem) {
  int lo[D], hi[D];
#pragma unroll
  for (int a = 0; a < D; ++a) {
    lo[a] = max(tile.lo[a], l.region_lo[a]);
    hi[a] = min(tile.hi[a], l.region_hi[a]);
  }
  using Number = std::conditional_t<Bytes == 8, unsigned long long, unsigned>;
  const int width = hi[0] - lo[0];
  over_rows<D>(lo, hi, [&](const int(&first)[D], int lane, int lanes) {
    const auto* from = reinterpret_cast<const Number*>(smem + slot.offset) + tile.near(l, first);
    auto* to = reinterpret_cast<Number*>(slot.leave) + index_in<D>(l.stride, first);
    for (int k = 0; k < slot.components; ++k, from += l.near_plane, to += l.plane)
#pragma unroll 4
      for (int i = lane; i < width; i += lanes) to[i] = from[i];
  });
}

template <class A>
__device__ __forceinline__ void begin_with(const TiledLaunch&, int, bool, TilePart<A>&) {}
template <class E, int K, bool Array>
__device__ __forceinline__ void begin_with(const TiledLaunch& l, int access, bool first_step,
                                           TilePart<TileWrites<E, K, Array>>& part) {
  part.begin_with(l, l.access[access], first_step);
}

// The access type that a pass uses.
template <class A>
struct InPass {
  using Type = A;
};
template <class Op>
requires Op::sums struct InPass<TileReduces<Op>> {
  using Type = TileLooks<Op>;
};

// Evaluations of a reduction within a pass: a tile stores its part of each, the last tile combines them in tile order.
template <class A>
inline constexpr bool can_be_looked_at = false;
template <class Op>
inline constexpr bool can_be_looked_at<TileReduces<Op>> = std::is_arithmetic_v<typename Op::Value>;
template <class Op>
inline constexpr bool can_be_looked_at<TileLooks<Op>> = true;

struct Verdict { // valid in thread 0
  int look = -1; // the first look that reached the threshold; -1: none
  bool sure = true;
};

template <class Op>
__device__ void begin_part(TilePart<TileLooks<Op>>& part, bool wanted) {
  part.wanted = wanted;
  part.sum = part.size = 0;
}

template <class Op>
__device__ void leave_value(const TiledLaunch& l, int look, typename Op::Value value) {
  value = block_fold_wide<Op>(value);
  if (threadIdx.x == 0)
    *reinterpret_cast<typename Op::Value*>(l.partials + 16l * (look * l.blocks + blockIdx.x)) = value;
}
template <class Op>
__device__ typename Op::Value join_values(const TiledLaunch& l, int look) {
  auto value = Op::identity();
  const char* parts = l.partials + 16l * look * l.blocks;
  for (int t = static_cast<int>(threadIdx.x); t < l.blocks; t += static_cast<int>(blockDim.x))
    value = Op::combine(value, load_past_l1(reinterpret_cast<const typename Op::Value*>(parts + 16l * t)));
  return block_fold_wide<Op>(value);
}

template <class A>
__device__ void leave_look(const TiledLaunch&, const TilePart<A>&, int, int&) {}
template <class Op>
__device__ void leave_look(const TiledLaunch& l, const TilePart<TileReduces<Op>>& part, int look,
                           int& number) {
  if constexpr (can_be_looked_at<TileReduces<Op>>)
    if (number == l.until.reduce) leave_value<Op>(l, look, part.running.value);
  ++number;
}
template <class Op>
__device__ void leave_look(const TiledLaunch& l, const TilePart<TileLooks<Op>>& part, int look, int& number) {
  if (number == l.until.reduce) leave_value<BracketsOf>(l, look, {part.sum, part.size});
  ++number;
}
// Tells every rank what a look found in the cells of this one. `value`: of thread 0.
__device__ __forceinline__ long look_at(const TiledLaunch& l, int rank, int look) {
  return (static_cast<long>((l.looks & 1u) * l.ranks + rank) * l.depth + look) * kLookEntries;
}
template <class V>
__device__ void tell_look(const TiledLaunch& l, int look, const V& value) {
  __shared__ unsigned long long parts[kLookEntries];
  if (threadIdx.x == 0) memcpy(parts, &value, sizeof value);
  __syncthreads();
  for (int k = static_cast<int>(threadIdx.x); k < l.ranks * kLookEntries; k += static_cast<int>(blockDim.x)) {
    const int part = k % kLookEntries;
    put_entry(l.boards[k / kLookEntries], look_at(l, l.rank, look) + part, parts[part], l.looks);
  }
  __syncthreads();
}
// Combines in the order of ranks, so that all come to the same verdict. False if the run is aborted.
template <class Op>
__device__ bool hear_look(const TiledLaunch& l, int look, typename Op::Value& value) {
  value = Op::identity();
  bool come = true;
  for (int r = static_cast<int>(threadIdx.x); r < l.ranks && come; r += static_cast<int>(blockDim.x)) {
    unsigned long long parts[kLookEntries];
    for (int k = 0; k < kLookEntries && come; ++k)
      come = take_entry(l, look_at(l, r, look) + k, l.looks, r, parts[k]);
    typename Op::Value of_rank;
    memcpy(&of_rank, parts, sizeof of_rank);
    if (come) value = Op::combine(value, of_rank);
  }
  if (!__syncthreads_and(come)) return false;
  value = block_fold_wide<Op>(value);
  return true;
}

// Tests the looks of all ranks. `side`: of the threshold, on which a value lies.
template <class Op, class SideOf>
__device__ void judge_all(const TiledLaunch& l, int looks, Verdict& verdict, const SideOf& side) {
  if (l.ranks > 1)
    for (int look = 0; look < looks; ++look) tell_look(l, look, join_values<Op>(l, look));
  for (int look = looks - 1; look >= 0; --look) {
    typename Op::Value value;
    if (l.ranks == 1)
      value = join_values<Op>(l, look);
    else if (!hear_look<Op>(l, look, value))
      return;
    const Side found = side(value);
    if (found != Side::within) verdict = {look, found == Side::beyond};
  }
}
template <class A>
__device__ void judge_looks(const TiledLaunch&, const TilePart<A>&, int, int&, Verdict&) {}
template <class Op>
__device__ void judge_looks(const TiledLaunch& l, const TilePart<TileReduces<Op>>&, int looks, int& number,
                            Verdict& verdict) {
  if constexpr (can_be_looked_at<TileReduces<Op>>)
    if (number == l.until.reduce)
      judge_all<Op>(l, looks, verdict, [&](const typename Op::Value& value) {
        const auto x = static_cast<double>(value);
        return (l.until.below ? x < l.until.threshold : x > l.until.threshold) ? Side::beyond : Side::within;
      });
  ++number;
}
template <class Op>
__device__ void judge_looks(const TiledLaunch& l, const TilePart<TileLooks<Op>>&, int looks, int& number,
                            Verdict& verdict) {
  if (number == l.until.reduce)
    judge_all<BracketsOf>(l, looks, verdict, [&](const BracketsOf::Value& all) {
      return side_of<typename Op::Number>(all.sum, l.until.exact ? all.size : 0, l.until.below,
                                          l.until.threshold);
    });
  ++number;
}

template <int D, int U, int Threads, class F, class... A>
__global__ void __launch_bounds__(Threads, 2)
    pass_kernel(const __grid_constant__ TiledLaunch l, const F f, TilePart<A>... part) {
  follow();
  constexpr int kAccesses = sizeof...(A),
                kBytes = (slot_bytes<A> | ...); // of one number: the same for all accesses
  extern __shared__ __align__(16) char smem[];
  __shared__ int slot_at[kTiledPhases][kAccesses];
  constexpr bool kLooks = (can_be_looked_at<A> || ...);
  if constexpr (kLooks)
    if (l.until.every != 0 && *l.over == l.epoch) return;
  const Tile<D> tile(l, static_cast<int>(blockIdx.x), l.tile);
  constexpr std::index_sequence_for<A...> numbers{};
#pragma unroll 1
  for (int s = 0; s < l.slots; ++s) fetch<kBytes>(l, tile, l.slot[s], smem);
  for (int k = static_cast<int>(threadIdx.x); k < kAccesses * kTiledPhases; k += Threads) {
    const int slot = l.access[k % kAccesses].slot[k / kAccesses];
    slot_at[k / kAccesses][k % kAccesses] = slot >= 0 ? l.slot[slot].offset : 0;
  }
  {
    int k = 0;
    (part.settle(l, k++, smem), ...);
  }
  int most_lo[D], most_hi[D];
  grown_box<D>(l, tile, l.steps - 1, most_lo, most_hi);
  const Columns<D, U> columns(l, tile, most_lo, most_hi); // steps with a smaller box compute cells in vain
  await_fetched();
  __syncthreads();

  int phase = 0;
  [[maybe_unused]] int to_look = l.first_look, looks = 0;
#pragma unroll 1
  for (int done = 0; done < l.steps; ++done) {
    {
      int k = 0;
      const unsigned step = pinned(static_cast<unsigned>(done));
      (part.bind(smem + slot_at[phase][k++], step), ...);
      k = 0;
      (begin_with(l, k++, done == 0, part), ...);
    }
    [[maybe_unused]] const bool looked_at = kLooks && l.until.every != 0 && --to_look == 0;
    if constexpr (kLooks) (begin_part(part, looked_at), ...);
    do_columns<U, D, F, A...>(l, tile, columns, f, numbers, part...);
    if constexpr (kLooks)
      if (looked_at) {
        to_look = l.until.every;
        int number = 0;
        (leave_look(l, part, looks, number), ...);
        ++looks;
      }
    __syncthreads();
    if (++phase == l.phases) phase = 0;
  }

#pragma unroll 1
  for (int s = 0; s < l.slots; ++s)
    if (l.slot[s].leave != nullptr) leave<kBytes>(l, tile, l.slot[s], smem);

  if constexpr (kLooks) {
    if (looks == 0 || !last_to_come(l.counter, static_cast<unsigned>(l.blocks))) return;
    int number = 0;
    Verdict verdict;
    (judge_looks(l, part, looks, number, verdict), ...);
    if (threadIdx.x == 0 && verdict.look >= 0) {
      *l.over = l.epoch;
      const int step = l.first_look + verdict.look * l.until.every;
      *l.result = verdict.sure ? step : -step;
    }
  }
}

} // namespace detail
} // namespace tasuki
