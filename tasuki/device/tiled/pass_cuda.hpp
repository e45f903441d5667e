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

// The looks of a pass in shared memory: the part of each warp, or of each share of the tiles.
template <int Warps>
struct LookRoom {
  static constexpr int kWarps = Warps;
  unsigned long long words[kTiledLooks][Warps][kLookEntries];

  template <class V>
  __device__ void set(int look, int k, const V& value) {
    static_assert(sizeof(V) <= sizeof words[0][0]);
    memcpy(words[look][k], &value, sizeof value);
  }
  template <class V>
  __device__ V get(int look, int k) const {
    V value;
    memcpy(&value, words[look][k], sizeof value);
    return value;
  }
};
struct NoRoom {};

template <class Op, class Room>
__device__ void note_value(Room& room, int look, typename Op::Value value) {
  value = warp_fold<Op>(value);
  if (threadIdx.x % 32 == 0) room.set(look, static_cast<int>(threadIdx.x) / 32, value);
}
template <class A, class Room>
__device__ void note_look(const TiledLaunch&, const TilePart<A>&, int, int&, Room&) {}
template <class Op, class Room>
__device__ void note_look(const TiledLaunch& l, const TilePart<TileReduces<Op>>& part, int look, int& number,
                          Room& room) {
  if constexpr (can_be_looked_at<TileReduces<Op>>)
    if (number == l.until.reduce) note_value<Op>(room, look, part.running.value);
  ++number;
}
template <class Op, class Room>
__device__ void note_look(const TiledLaunch& l, const TilePart<TileLooks<Op>>& part, int look, int& number,
                          Room& room) {
  if (number == l.until.reduce)
    note_value<BracketsOf>(room, look, typename BracketsOf::Value{part.sum, part.size});
  ++number;
}

// Stores the tile's part of each look, after a barrier.
template <class Op, class Room>
__device__ void leave_values(const TiledLaunch& l, int looks, const Room& room) {
  using Value = typename Op::Value;
  if (const auto look = static_cast<int>(threadIdx.x); look < looks) {
    Value value = Op::identity();
    for (int warp = 0; warp < Room::kWarps; ++warp)
      value = Op::combine(value, room.template get<Value>(look, warp));
    *reinterpret_cast<Value*>(l.partials + 16l * (look * l.blocks + blockIdx.x)) = value;
  }
}
template <class A, class Room>
__device__ void leave_looks(const TiledLaunch&, const TilePart<A>&, int, int&, const Room&) {}
template <class Op, class Room>
__device__ void leave_looks(const TiledLaunch& l, const TilePart<TileReduces<Op>>&, int looks, int& number,
                            const Room& room) {
  if constexpr (can_be_looked_at<TileReduces<Op>>)
    if (number == l.until.reduce) leave_values<Op>(l, looks, room);
  ++number;
}
template <class Op, class Room>
__device__ void leave_looks(const TiledLaunch& l, const TilePart<TileLooks<Op>>&, int looks, int& number,
                            const Room& room) {
  if (number == l.until.reduce) leave_values<BracketsOf>(l, looks, room);
  ++number;
}

// Tells every rank the value of a look, and combines what they tell in the order of ranks, so that all come to the same
// verdict. False if the run is aborted.
template <class Op>
__device__ bool share_look(const TiledLaunch& l, int look, typename Op::Value& value) {
  const auto at = [&](int rank) {
    return (static_cast<long>((l.looks & 1u) * l.ranks + rank) * l.depth + look) * kLookEntries;
  };
  unsigned long long words[kLookEntries] = {};
  memcpy(words, &value, sizeof value);
  for (int r = 0; r < l.ranks; ++r)
    for (int k = 0; k < kLookEntries; ++k) put_entry(l.boards[r], at(l.rank) + k, words[k], l.looks);
  value = Op::identity();
  for (int r = 0; r < l.ranks; ++r) {
    for (int k = 0; k < kLookEntries; ++k)
      if (!take_entry(l, at(r) + k, l.looks, r, words[k])) return false;
    typename Op::Value of_rank;
    memcpy(&of_rank, words, sizeof of_rank);
    value = Op::combine(value, of_rank);
  }
  return true;
}

// Joins the parts of all tiles, and of all ranks, and tests the looks. `side`: of the threshold, on which a value lies.
template <class Op, class Room, class SideOf>
__device__ void judge_values(const TiledLaunch& l, int looks, Room& room, Verdict& verdict,
                             const SideOf& side) {
  using Value = typename Op::Value;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int shares = max(1, Room::kWarps / looks); // of the tiles, a warp each
  for (int k = warp; k < looks * shares; k += Room::kWarps) {
    const int look = k / shares, share = k % shares;
    const char* parts = l.partials + 16l * look * l.blocks;
    Value value = Op::identity();
    for (int t = 32 * share + lane; t < l.blocks; t += 32 * shares)
      value = Op::combine(value, load_past_l1(reinterpret_cast<const Value*>(parts + 16l * t)));
    value = warp_fold<Op>(value);
    if (lane == 0) room.set(look, share, value);
  }
  __syncthreads();
  bool come = true;
  if (const auto look = static_cast<int>(threadIdx.x); look < looks) {
    Value value = Op::identity();
    for (int share = 0; share < shares; ++share)
      value = Op::combine(value, room.template get<Value>(look, share));
    if (l.ranks > 1) come = share_look<Op>(l, look, value);
    room.set(look, 0, value);
  }
  if (!__syncthreads_and(come) || threadIdx.x != 0) return;
  for (int look = looks - 1; look >= 0; --look) {
    const Side found = side(room.template get<Value>(look, 0));
    if (found != Side::within) verdict = {look, found == Side::beyond};
  }
}
template <class A, class Room>
__device__ void judge_looks(const TiledLaunch&, const TilePart<A>&, int, int&, Room&, Verdict&) {}
template <class Op, class Room>
__device__ void judge_looks(const TiledLaunch& l, const TilePart<TileReduces<Op>>&, int looks, int& number,
                            Room& room, Verdict& verdict) {
  if constexpr (can_be_looked_at<TileReduces<Op>>)
    if (number == l.until.reduce)
      judge_values<Op>(l, looks, room, verdict, [&](const typename Op::Value& value) {
        const auto x = static_cast<double>(value);
        return (l.until.below ? x < l.until.threshold : x > l.until.threshold) ? Side::beyond : Side::within;
      });
  ++number;
}
template <class Op, class Room>
__device__ void judge_looks(const TiledLaunch& l, const TilePart<TileLooks<Op>>&, int looks, int& number,
                            Room& room, Verdict& verdict) {
  if (number == l.until.reduce)
    judge_values<BracketsOf>(l, looks, room, verdict, [&](const BracketsOf::Value& all) {
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
  [[maybe_unused]] __shared__ std::conditional_t<kLooks, LookRoom<Threads / 32>, NoRoom> room;
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
        (note_look(l, part, looks, number, room), ...);
        ++looks;
      }
    __syncthreads();
    if (++phase == l.phases) phase = 0;
  }

#pragma unroll 1
  for (int s = 0; s < l.slots; ++s)
    if (l.slot[s].leave != nullptr) leave<kBytes>(l, tile, l.slot[s], smem);

  if constexpr (kLooks) {
    if (looks == 0) return;
    int number = 0;
    (leave_looks(l, part, looks, number, room), ...);
    if (!last_to_come(l.counter, static_cast<unsigned>(l.blocks))) return;
    number = 0;
    Verdict verdict;
    (judge_looks(l, part, looks, number, room, verdict), ...);
    if (threadIdx.x == 0 && verdict.look >= 0) {
      *l.over = l.epoch;
      const int step = l.first_look + verdict.look * l.until.every;
      *l.result = verdict.sure ? step : -step;
    }
  }
}

} // namespace detail
} // namespace tasuki
