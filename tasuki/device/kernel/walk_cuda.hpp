// The plain walk of a sweep on a GPU: a thread block computes a tile, a thread a window of cells.
#pragma once

#include <tasuki/device/kernel/follow_cuda.hpp>
#include <tasuki/device/kernel/tiles.hpp>

namespace tasuki::detail {

// A view, as a walk passes it to the cell function.
template <class View>
struct ViewPart {
  View view;
  template <Count>
  TS_DEVICE const View& pass() const {
    return view;
  }
};

template <bool Tallied, int D, int U, class F, class... P>
TS_DEVICE void walk_tile(const Geometry<D>& g, const TiledBox<D>& box, unsigned tile, const F& f,
                         P&... parts) {
  constexpr int last = D - 1, middle = D > 2 ? D - 2 : 0;
  constexpr int kAlong = window_of(U, last, D), kAcross = D > 2 ? window_of(U, middle, D) : 1;
  int at[D]; // the first cell of this thread's window
  int thread = threadIdx.x;
  bool within = true; // this thread has cells
  bool whole = true;  // all U cells of the window lie in the box
  bool owned = true;  // the whole tile lies in the box and is owned
#pragma unroll
  for (int a = 0; a < D; ++a) {
    const int t = static_cast<int>(tile % box.tiles[a]);
    tile /= box.tiles[a];
    const int cells = window_of(U, a, D) << box.log[a];
    const int in = (thread & ((1 << box.log[a]) - 1)) * (D > 1 ? window_of(U, a, D) : 1);
    thread >>= box.log[a];
    const int start = t * cells - (a == 0 ? box.skip : 0);
    at[a] = start + in;
    within = within && at[a] >= 0 && at[a] < box.n[a];
    if (a == last || (D > 2 && a == middle)) whole = whole && start + cells <= box.n[a];
    if constexpr (Tallied)
      owned = owned && start >= 0 && box.lo[a] + start >= 0 && start + cells <= box.n[a] &&
              box.lo[a] + start + cells <= g.owned[a];
  }
  if (!within || thread != 0) return;
  constexpr int kStep = D == 1 ? kBlock : 1; // between consecutive cells
  WindowCell<D> c{{g, 0, {}}, 0, 0, 0};
#pragma unroll
  for (int a = 0; a < D; ++a) {
    c.x[a] = box.lo[a] + at[a];
    c.first += c.x[a] * (a == 0 ? 1 : g.stride[a]);
  }
  if constexpr (U == 1) { // no shared reads: offsets, equal in all threads, are added to c.i
    Cell<D> alone = c;
    alone.i = c.first;
    f(alone, parts.template pass < Tallied ? Count::owned : Count::all > ()...); // once: it is long
    return;
  }
  const auto cell = [&](int across, int along) {
    WindowCell<D> here = c;
    here.across = across;
    here.along = along * kStep;
    here.x[last] += here.along;
    here.i = c.first + here.along * (last == 0 ? 1 : g.stride[last]);
    if constexpr (D > 2) {
      here.x[middle] += across;
      here.i += across * g.stride[middle];
    }
    return here;
  };
  if (whole && owned) {
#pragma unroll
    for (int along = 0; along < kAlong; ++along)
#pragma unroll
      for (int across = 0; across < kAcross; ++across)
        f(cell(across, along), parts.template pass<Count::all>()...);
    return;
  }
#pragma unroll 1
  for (int along = 0; along < kAlong && at[last] + along * kStep < box.n[last]; ++along)
#pragma unroll 1
    for (int across = 0; across < kAcross && (D < 3 || at[middle] + across < box.n[middle]); ++across)
      f(cell(across, along), parts.template pass<Count::owned>()...);
}

// The box of a launch that contains this thread block's tile.
template <int D>
TS_DEVICE const TiledBox<D>& box_of_block(const Tiling<D>& tiling) {
  int b = 0;
  while (b + 1 < tiling.boxes && blockIdx.x >= tiling.box[b + 1].first_block) ++b;
  return tiling.box[b];
}

// The minimum number of resident thread blocks per multiprocessor: a sweep limited by the latency of many short loads
// needs more threads than the default register allocation permits. A cell function may set it (kBlocksAtOnce); windows
// of many cells need two. 0 leaves the choice to the compiler: with 1, himeno's sweep got 48 registers instead of 32,
// which cost a third of the resident threads (L on an H200: 467 us instead of 448).
template <class F>
inline constexpr bool says_blocks = requires {
  F::kBlocksAtOnce;
};
template <class F, int U>
TS_HD constexpr int blocks_at_once() {
  if constexpr (says_blocks<F>)
    return F::kBlocksAtOnce;
  else
    return U >= 4 ? 2 : 0;
}

#if defined(__CUDACC__)
template <int D, int U, class F, class... P>
TS_DEVICE void walk_block(const Geometry<D>& g, const Tiling<D>& tiling, const F& f, P... parts) {
  const TiledBox<D>& box = box_of_block(tiling);
  walk_tile<false, D, U>(g, box, blockIdx.x - box.first_block, f, parts...);
}
// A sweep that reduces nothing.
template <int D, int U, class F, class... View>
__global__ void __launch_bounds__(kBlock, blocks_at_once<F, U>())
    plain_kernel(const __grid_constant__ Geometry<D> g, const __grid_constant__ Tiling<D> tiling, F f,
                 View... view) {
  follow();
  walk_block<D, U>(g, tiling, f, ViewPart<View>{view}...);
}
#endif

} // namespace tasuki::detail
