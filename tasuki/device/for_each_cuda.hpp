// for_each on a GPU: one kernel for all boxes, tiles of cells over thread blocks.
#pragma once

#include <tasuki/device/for_each.hpp>
#include <tasuki/device/kernel/tally_cuda.hpp>

#include <cuda_runtime.h>

namespace tasuki::detail {

inline constexpr int kTileBoxes = 8; // boxes of one launch
inline constexpr int kLogBlock = 8;
inline constexpr unsigned kEnoughBlocks = 256; // for every processor to have some
static_assert(1 << kLogBlock == kBlock);

// A box cut into tiles. Threads of a block lie 2^log along each axis.
template <int D>
struct TiledBox {
  int lo[D], n[D]; // cells
  int skip;        // cells before lo along x, so that warps begin where cache lines do
  int tiles[D];
  int log[D];
  unsigned first_block;
};

template <int D>
struct Tiling {
  TiledBox<D> box[kTileBoxes];
  int boxes;
  unsigned blocks;
};

// Cells that one thread walks along the slowest axis: enough loads in flight for the memory, and rows that it has
// read already serve the next cell from registers.
constexpr int cells_a_thread(int read_bytes) {
  return read_bytes <= 0 ? 4 : read_bytes <= 4 ? 8 : read_bytes <= 8 ? 4 : read_bytes <= 16 ? 2 : 1;
}

// Thread blocks that a processor shall have at once, where a cell function says so (kBlocksAtOnce): one that waits for
// many short loads needs more threads than the compiler leaves registers for.
template <class F>
constexpr int blocks_at_once() {
  if constexpr (requires { F::kBlocksAtOnce; })
    return F::kBlocksAtOnce;
  else
    return 1;
}

template <class View, int Bytes, int U>
struct CudaPart<BoundView<View, Bytes>, U> {
  View view;
  __device__ explicit CudaPart(const BoundView<View, Bytes>& b) : view(b.view) {}
  template <Count>
  __device__ __forceinline__ const View& pass() const {
    return view;
  }
  __device__ void finish(const BoundView<View, Bytes>&) {}
  __device__ void find(const BoundView<View, Bytes>&) {}
  __device__ void fold(const BoundView<View, Bytes>&) {}
};

template <bool Tallied, int D, int U, class F, class... P>
__device__ __forceinline__ void walk_tile(const Geometry<D>& g, const TiledBox<D>& box, unsigned tile,
                                          const F& f, P&... parts) {
  // The cells of this thread: x, y from its place in the block, U of them along the last axis.
  constexpr int last = D - 1;
  int at[D];
  int thread = threadIdx.x;
  bool within = true; // this thread has cells
  bool whole = true;  // all U of them lie in the box
  bool owned = true;  // so does the whole tile, and in the block
#pragma unroll
  for (int a = 0; a < D; ++a) {
    const int t = static_cast<int>(tile % box.tiles[a]);
    tile /= box.tiles[a];
    const int cells = (a == last ? U : 1) << box.log[a];
    const int in = (thread & ((1 << box.log[a]) - 1)) * (a == last && D > 1 ? U : 1);
    thread >>= box.log[a];
    const int start = t * cells - (a == 0 ? box.skip : 0);
    at[a] = start + in;
    within = within && at[a] >= 0 && at[a] < box.n[a];
    if (a == last) whole = start + cells <= box.n[a];
    if constexpr (Tallied)
      owned = owned && start >= 0 && box.lo[a] + start >= 0 && start + cells <= box.n[a] &&
              box.lo[a] + start + cells <= g.owned[a];
  }
  if (!within || thread != 0) return;
  const int step = D == 1 ? kBlock : 1;
  Cell<D> c{g, 0, {}};
  long base = 0;
#pragma unroll
  for (int a = 0; a < D; ++a) {
    c.x[a] = box.lo[a] + at[a];
    base += c.x[a] * (a == 0 ? 1 : g.stride[a]);
  }
  const long stride = (last == 0 ? 1 : g.stride[last]) * step;
  const auto cell = [&](int k) {
    Cell<D> here = c;
    here.x[last] += k * step;
    here.i = base + k * stride;
    return here;
  };
  if (whole && owned) {
#pragma unroll
    for (int k = 0; k < U; ++k) f(cell(k), parts.template pass<Count::all>()...);
    return;
  }
#pragma unroll 1
  for (int k = 0; k < U && at[last] + k * step < box.n[last]; ++k)
    f(cell(k), parts.template pass<Count::owned>()...);
}

template <bool Tallied, int D, int U, class F, class... W>
__device__ __forceinline__ void block_work(const Geometry<D>& g, const Tiling<D>& tiling, const F& f,
                                           W&&... with) {
  int b = 0;
  while (b + 1 < tiling.boxes && blockIdx.x >= tiling.box[b + 1].first_block) ++b;
  walk_tile<Tallied, D, U>(g, tiling.box[b], blockIdx.x - tiling.box[b].first_block, f, with...);
  (with.finish(), ...);
  unsigned* counter = nullptr;
  ((counter = counter ? counter : with.counter()), ...);
  if (!counter || !last_to_come(counter, gridDim.x)) return;
  (with.find(), ...);
  (with.fold(), ...);
}

template <int D, int U, class F, class... B>
__global__ void __launch_bounds__(kBlock, blocks_at_once<F>())
    sweep_kernel(const __grid_constant__ Geometry<D> g, const __grid_constant__ Tiling<D> tiling, F f,
                 B... bound) {
  block_work<(B::tallies || ...), D, U>(g, tiling, f, WithPart<B, U>(bound)...);
}

template <int D>
Tiling<D> tiling_of(const Box* boxes, int count, int unroll) {
  Tiling<D> t{};
  for (int b = 0; b < count; ++b) {
    if (boxes[b].empty()) continue;
    TiledBox<D>& box = t.box[t.boxes++];
    // Whole warps along x, wider where the rows are long; threads that find no cells along an axis go to the next.
    int left = kLogBlock;
    for (int a = 0; a < D; ++a) {
      const int each = a == D - 1 ? unroll : 1;
      const long cells = (boxes[b].extent(a) + each - 1) / each;
      int log = std::min(left, a > 0 || D == 1 ? left : D == 2 ? 7 : 6);
      while (D > 1 && log > 0 && (1L << (log - 1)) >= cells) --log;
      box.log[a] = log;
      left -= log;
    }
    box.first_block = t.blocks;
    // The first owned cell of every row begins a line (Layout).
    box.skip = D > 1 && box.log[0] >= 5 ? static_cast<int>(boxes[b].lo[0] & 31) : 0;
    const auto cut = [&] {
      unsigned tiles = 1;
      for (int a = 0; a < D; ++a) {
        box.lo[a] = static_cast<int>(boxes[b].lo[a]);
        box.n[a] = static_cast<int>(boxes[b].extent(a));
        const int cells = (a == D - 1 ? unroll : 1) << box.log[a];
        box.tiles[a] = (box.n[a] + (a == 0 ? box.skip : 0) + cells - 1) / cells;
        tiles *= static_cast<unsigned>(box.tiles[a]);
      }
      return tiles;
    };
    unsigned tiles = cut();
    // Few cells are better spread over all processors than packed into full blocks.
    for (int a = D - 1; a > 1; --a)
      for (; tiles < kEnoughBlocks && box.log[a] > 0; tiles = cut()) --box.log[a];
    t.blocks += tiles;
  }
  return t;
}

inline int boxes_of_launch(const std::vector<Box>& boxes, std::size_t at) {
  return static_cast<int>(std::min<std::size_t>(kTileBoxes, boxes.size() - at));
}

// Blocks of the largest launch over these boxes: how many parts a reduction can have.
template <int D>
long most_blocks(const std::vector<Box>& boxes, int unroll) {
  unsigned most = 0;
  for (std::size_t at = 0; at < boxes.size(); at += kTileBoxes)
    most = std::max(most, tiling_of<D>(&boxes[at], boxes_of_launch(boxes, at), unroll).blocks);
  return most;
}

template <int D, class F, class... B>
void for_each_cuda(Stream& stream, const Geometry<D>& g, const std::vector<Box>& boxes, const F& f,
                   const B&... bound) {
  constexpr int unroll = cells_a_thread((B::read_bytes + ... + 0));
  auto* handle = static_cast<cudaStream_t>(stream.handle());
  long cells = 0;
  for (const Box& box : boxes) cells += box.cells();
  (start_slot_cuda(handle, bound, cells == 0), ...);
  bool first = true;
  for (std::size_t at = 0; at < boxes.size(); at += kTileBoxes) {
    const Tiling<D> tiling = tiling_of<D>(&boxes[at], boxes_of_launch(boxes, at), unroll);
    if (tiling.blocks == 0) continue;
    const auto launch = [&](const B&... with) {
      sweep_kernel<D, unroll, F, B...><<<tiling.blocks, kBlock, 0, handle>>>(g, tiling, f, with...);
      fold(handle, tiling.blocks, with...);
    };
    if (first)
      launch(folding(bound, tiling.blocks)...);
    else
      launch(folding(continued(bound), tiling.blocks)...);
    check_launch("a sweep");
    first = false;
  }
}

} // namespace tasuki::detail
