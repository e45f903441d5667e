// The kernel of tiled.hpp that does all steps: one tile per multiprocessor, resident in its shared memory.
#pragma once

#include <tasuki/device/tiled/folds_cuda.hpp>
#include <tasuki/device/tiled/mail_cuda.hpp>
#include <tasuki/device/tiled/walk_cuda.hpp>

#include <cuda_runtime.h>

namespace tasuki {
namespace detail {

template <int D, int U, int Threads, class F, class... A>
__global__ void __launch_bounds__(Threads, 1)
    resident_kernel(const __grid_constant__ TiledLaunch l, const F f, TilePart<A>... part) {
  constexpr int kAccesses = sizeof...(A), kSums = (is_tile_sum<A> + ...);
  extern __shared__ __align__(16) char smem[];
  __shared__ int slot_at[kTiledPhases][kAccesses];
  __shared__ TiledMailbox boxes[kTiledBoxes];
  const Tile<D> tile(l, static_cast<int>(blockIdx.x));
  const Post<(slot_bytes<A> | ...)> post(l); // equal for all accesses, or 0
  int most_lo[D], most_hi[D];
  grown_box<D>(l, tile, l.depth - 1, most_lo, most_hi);
  const Columns<D, U> columns(l, tile, most_lo, most_hi); // steps with a smaller box compute cells in vain
  constexpr std::index_sequence_for<A...> numbers{};
  unsigned turn = *l.turn;
  __shared__ long long digits[kSums > 0 ? kSums * ExactSum::kSize : 1];
  if constexpr (kSums > 0) {
    int number = 0;
    (give_digits(part, digits, number), ...);
  }

  // Load the tile: its cells of every slot, the constant memories that fit, and the halos.
  for (int k = static_cast<int>(threadIdx.x); k < kAccesses * kTiledPhases;
       k += static_cast<int>(blockDim.x)) {
    const int slot = l.access[k % kAccesses].slot[k / kAccesses];
    slot_at[k / kAccesses][k % kAccesses] = slot >= 0 ? l.slot[slot].offset : 0;
  }
  for (int k = static_cast<int>(threadIdx.x); k < l.box_count; k += static_cast<int>(blockDim.x))
    boxes[k] = l.boxes[k];
#pragma unroll 1
  for (int s = 0; s < l.slots; ++s) {
    const TiledSlot& slot = l.slot[s];
    const int e = slot.element_bytes;
    over_box<D>(tile.lo, tile.hi, [&](const int(&x)[D]) {
      const long index = index_in<D>(l.stride, x);
      char* to = smem + slot.offset + static_cast<long>(tile.near(l, x)) * e;
      for (int k = 0; k < slot.components; ++k)
        copy_element(to + static_cast<long>(k) * l.near_plane * e, slot.origin + (index + k * l.plane) * e,
                     e);
    });
  }
#pragma unroll 1
  for (int k = 0; k < l.accesses; ++k) {
    const TiledAccess& access = l.access[k];
    if (!access.origin || access.offset < 0) continue;
    const int e = access.element_bytes;
    int lo[D], hi[D];
#pragma unroll
    for (int a = 0; a < D; ++a) {
      lo[a] = max(tile.lo[a] - l.fixed_halo[a], l.region_lo[a]);
      hi[a] = min(tile.hi[a] + l.fixed_halo[a], l.region_hi[a]);
    }
    over_box<D>(lo, hi, [&](const int(&x)[D]) {
      const long index = index_in<D>(l.stride, x);
      int at = 0;
#pragma unroll
      for (int a = 0; a < D; ++a)
        at += (x[a] - tile.lo[a] + l.fixed_halo[a]) * (a == 0 ? 1 : l.fixed_stride[a]);
      for (int m = 0; m < access.components; ++m)
        copy_element(smem + access.offset + (at + static_cast<long>(m) * l.fixed_plane) * e,
                     access.origin + (index + m * l.plane) * e, e);
    });
  }
  {
    int k = 0;
    (part.settle(l, k++, smem), ...);
  }
  __syncthreads();
#pragma unroll 1
  for (int s = 0; s < l.slots; ++s) {
    ++turn;
    post.put_all(l, l.slot[s], smem, boxes, 0, turn);
    if (!__syncthreads_and(post.take_all(l, l.slot[s], smem, boxes, 0, turn))) return;
  }

  int phase = 0, done = 0, to_look = l.until.every ? l.first_look : -1;
  int verdict_in = l.verdict_in; // steps until the posted value is tested; -1: none is posted
  unsigned look = l.looks;
  int logged = 0;
  bool waiting = false; // for mail
  bool reached = false;
#pragma unroll 1
  while (done < l.steps) {
    int n = min(l.depth, l.steps - done);
    if (to_look > 0) n = min(n, to_look);
    if (verdict_in > 0) n = min(n, verdict_in);
    // Whether the group of steps ends with a look, or may be the last.
    const bool wanted_after = n == to_look || n == verdict_in || done + n == l.steps;
#pragma unroll 1
    for (int j = 0; j < n; ++j) {
      const bool wanted = kSums > 0 && wanted_after && j + 1 == n;
      {
        int k = 0;
        const unsigned step = pinned(static_cast<unsigned>(done + j));
        (part.bind(smem + slot_at[phase][k++], step), ...);
      }
      (begin_part(part, wanted), ...);
      if (wanted) {
        clear_digits(digits, kSums);
        __syncthreads();
      }
      const auto take = [&] {
        bool come = true;
#pragma unroll 1
        for (int m = 0; m < l.mails; ++m)
          come = post.take_all(l, l.slot[l.access[l.mailed[m]].slot[phase]], smem, boxes, m, turn) && come;
        waiting = false;
        return __syncthreads_and(come) != 0;
      };
      const bool split = waiting && l.split;
      if (waiting && !split && !take()) return;
      if (!split) {
        do_columns<U, D, F, A...>(l, tile, columns, f, numbers, part...);
      } else { // Computes the interior while mail is in transit, then the slabs around it.
        int outer_lo[D], outer_hi[D], inner_lo[D], inner_hi[D];
        grown_box<D>(l, tile, n - 1 - j, outer_lo, outer_hi);
#pragma unroll
        for (int a = 0; a < D; ++a) {
          inner_lo[a] = min(max(tile.lo[a] + l.reach[a], outer_lo[a]), outer_hi[a]);
          inner_hi[a] = max(min(tile.hi[a] - l.reach[a], outer_hi[a]), inner_lo[a]);
        }
#pragma unroll 1
        for (int piece = 0; piece <= 2 * D; ++piece) {
          if (piece == 1 && !take()) return;
          const int axis = D - 1 - (piece - 1) / 2; // of a slab
          int lo[D], hi[D];
#pragma unroll
          for (int a = 0; a < D; ++a) {
            const bool inner = piece == 0 || a > axis;
            lo[a] = inner ? inner_lo[a] : outer_lo[a];
            hi[a] = inner ? inner_hi[a] : outer_hi[a];
            if (piece > 0 && a == axis) {
              if ((piece - 1) % 2 == 0)
                hi[a] = inner_lo[a];
              else
                lo[a] = inner_hi[a];
            }
          }
          do_columns<U, D, F, A...>(l, tile, Columns<D, U>(l, tile, lo, hi), f, numbers, part...);
        }
      }
      if (wanted) (fold_part(part), ...);
      __syncthreads();
      if (++phase == l.phases) phase = 0;
    }
    done += n;
    if (done < l.steps) {
      ++turn;
#pragma unroll 1
      for (int m = 0; m < l.mails; ++m)
        post.put_all(l, l.slot[l.access[l.mailed[m]].slot[phase]], smem, boxes, m, turn);
      waiting = true;
    }
    // A posted value is tested before the next is posted: an entry of a board is then never overwritten unread.
    if (verdict_in > 0) verdict_in -= n;
    if (to_look > 0) to_look -= n;
    const bool looks = to_look == 0, posts = looks && l.until.tests;
    if (looks) {
      to_look = l.until.every;
      if (l.log != nullptr) {
        int number = 0;
        (log_part(l, part, logged, number), ...);
        ++logged;
      }
    }
#pragma unroll 1
    for (int pass = 0; pass < 2 && !reached; ++pass) {
      if (verdict_in == 0) {
        verdict_in = -1;
        int number = 0;
        double value = 0;
        bool come = true;
        ((come = collect_part(l, part, look, number, value) && come), ...);
        if (!come) return;
        reached = l.until.below ? value < l.until.threshold : value > l.until.threshold;
      }
      if (pass == 0 && posts && !reached) {
        ++look;
        int number = 0;
        (post_part(l, part, look, number), ...);
        verdict_in = l.until.late;
      }
    }
    if (reached) break;
  }

#pragma unroll 1
  for (int s = 0; s < l.slots; ++s) {
    const TiledSlot& slot = l.slot[s];
    const int e = slot.element_bytes;
    over_box<D>(tile.lo, tile.hi, [&](const int(&x)[D]) {
      const long index = index_in<D>(l.stride, x);
      const char* from = smem + slot.offset + static_cast<long>(tile.near(l, x)) * e;
      for (int k = 0; k < slot.components; ++k)
        copy_element(slot.origin + (index + k * l.plane) * e, from + static_cast<long>(k) * l.near_plane * e,
                     e);
    });
  }
  // The last tile to end combines the parts of the last step's reductions in the order of the tiles, and stores the
  // state for the next launch: all tiles have read the old state by then.
  int number = 0;
  (leave_part(l, part, number), ...);
  if (!last_to_come(l.counter, static_cast<unsigned>(l.blocks))) return;
  if (threadIdx.x == 0) {
    *l.turn = turn;
    l.result[0] = done;
    l.result[1] = reached;
    l.result[2] = verdict_in;
    l.result[3] = static_cast<int>(look);
  }
  number = 0;
  (join_parts(l, part, number), ...);
}

} // namespace detail
} // namespace tasuki
