// for_each on a GPU: kernels for boxes, with the traversal that suits the cells that a sweep reads.
#pragma once

#include <tasuki/device/cut.hpp>
#include <tasuki/device/for_each.hpp>
#include <tasuki/device/kernel/follow_cuda.hpp>
#include <tasuki/device/kernel/ring_cuda.hpp>
#include <tasuki/device/kernel/tally_cuda.hpp>
#include <tasuki/device/kernel/walk_cuda.hpp>
#include <tasuki/device/launch_next_cuda.hpp>

#include <cuda_runtime.h>

namespace tasuki::detail {

template <class View, int Bytes, bool Far, int U>
struct CudaPart<BoundView<View, Bytes, Far>, U> {
  using Bound = BoundView<View, Bytes, Far>;
  View view;
  __device__ explicit CudaPart(const Bound& b) : view(b.view) {}
  template <Count>
  __device__ __forceinline__ const View& pass() const {
    return view;
  }
  __device__ void finish(const Bound&) {}
  __device__ void find(const Bound&) {}
  __device__ void fold(const Bound&) {}
};

template <bool Tallied, int D, int U, class F, class... W>
__device__ __forceinline__ void block_work(const Geometry<D>& g, const Tiling<D>& tiling, const F& f,
                                           W&&... with) {
  int b = 0;
  while (b + 1 < tiling.boxes && blockIdx.x >= tiling.box[b + 1].first_block) ++b;
  walk_tile<Tallied, D, U>(g, tiling.box[b], blockIdx.x - tiling.box[b].first_block, f, with...);
  finish_block(with...);
}

template <int D, int U, class F, class... B>
__global__ void __launch_bounds__(kBlock, blocks_at_once<F, U>())
    sweep_kernel(const __grid_constant__ Geometry<D> g, const __grid_constant__ Tiling<D> tiling, F f,
                 B... bound) {
  follow();
  block_work<(B::tallies || ...), D, U>(g, tiling, f, WithPart<B, U>(bound)...);
}

// The one field that a sweep reads at other cells than its own.
template <class... B>
struct FarOf;
template <class B, class... More>
struct FarOf<B, More...> {
  using Number = typename FarOf<More...>::Number;
  static ReadShape shape(const B&, const More&... more) { return FarOf<More...>::shape(more...); }
};
template <class View, int Bytes, class... More>
struct FarOf<BoundView<View, Bytes, true>, More...> {
  using Number = typename RingNumber<BoundView<View, Bytes, true>>::Type;
  static ReadShape shape(const BoundView<View, Bytes, true>& bound, const More&...) { return bound.shape; }
};

inline std::size_t shared_limit() { // bytes of a thread block, without those reserved by the runtime
  int device = 0, bytes = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return static_cast<std::size_t>(bytes);
}

// Launches the walk over columns if it is suitable. Returns whether it did.
template <int D, class F, class... B>
bool launch_ring(cudaStream_t stream, const Geometry<D>& g, const Box& box, const F& f, const B&... bound) {
  if constexpr (has_ring<D, F, B...>()) {
    const auto columns = columns_of<D>(box, FarOf<B...>::shape(bound...),
                                       sizeof(typename FarOf<B...>::Number), shared_limit());
    if (!columns) return false;
    const int bytes = columns->ring * columns->plane_bytes;
    auto* const kernel = ring_kernel<D, F, B...>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    launch_next<&ring_kernel<D, F, B...>>(blocks_of(*columns), kBlock, static_cast<std::size_t>(bytes),
                                          stream, g, *columns, f, bound...);
    check_launch("a sweep");
    return true;
  } else {
    return false;
  }
}

template <int D, class F, class... B>
void launch_tiles(cudaStream_t stream, const Geometry<D>& g, const Tiling<D>& tiling, const F& f,
                  const B&... bound) {
  constexpr int unroll = cells_a_thread((B::read_bytes + ... + 0));
  if constexpr ((B::tallies || ...)) {
    launch_next<&sweep_kernel<D, unroll, F, B...>>(tiling.blocks, kBlock, 0, stream, g, tiling, f, bound...);
    fold(stream, tiling.blocks, bound...);
  } else {
    launch_next<&plain_kernel<D, unroll, F, decltype(bound.view)...>>(tiling.blocks, kBlock, 0, stream, g,
                                                                      tiling, f, bound.view...);
  }
  check_launch("a sweep");
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
    std::vector<Box> tiled;
    for (int b = 0; b < boxes_of_launch(boxes, at); ++b) {
      const Box& box = boxes[at + static_cast<std::size_t>(b)];
      if (launch_ring(handle, g, box, f, bound...))
        first = false;
      else
        tiled.push_back(box);
    }
    const Tiling<D> tiling = tiling_of<D>(tiled.data(), static_cast<int>(tiled.size()), unroll);
    if (tiling.blocks == 0) continue;
    const bool folds = last_block_folds(tiling.blocks, (static_cast<unsigned>(B::tallies) + ... + 0u));
    if (first)
      launch_tiles(handle, g, tiling, f, folding(bound, folds)...);
    else
      launch_tiles(handle, g, tiling, f, folding(continued(bound), folds)...);
    first = false;
  }
}

} // namespace tasuki::detail
