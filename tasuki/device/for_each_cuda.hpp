// for_each on a GPU: kernels for boxes, by the walk that suits what cells read.
#pragma once

#include <tasuki/device/cut.hpp>
#include <tasuki/device/for_each.hpp>
#include <tasuki/device/kernel/ring_cuda.hpp>
#include <tasuki/device/kernel/tally_cuda.hpp>
#include <tasuki/device/kernel/walk_cuda.hpp>

#include <cuda_runtime.h>

namespace tasuki::detail {

inline constexpr int kRingBlocks = 2;              // of a processor, at least
inline constexpr std::size_t kStaticShared = 4096; // what folds take, and the runtime

template <class View, int Bytes, bool Far>
struct CudaPart<BoundView<View, Bytes, Far>> {
  using Bound = BoundView<View, Bytes, Far>;
  View view;
  __device__ CudaPart(const Bound& b, long long*) : view(b.view) {}
  template <Count>
  __device__ __forceinline__ const View& pass() const {
    return view;
  }
  __device__ void finish(const Bound&) {}
  __device__ void find(const Bound&) {}
  __device__ void fold(const Bound&) {}
};

// Sets of digits in shared memory, one for each exact sum of a kernel.
class Digits {
public:
  __device__ explicit Digits(long long* digits) : digits_(digits) {}
  template <class B>
  __device__ long long* next() {
    long long* mine = digits_ + used_ * (kBlock / 32) * ExactSum::kSize;
    used_ += exact_sets<B>();
    return mine;
  }

private:
  long long* digits_;
  int used_ = 0;
};
template <class... B>
inline constexpr int digits_of = (exact_sets<B>() + ... + 0) > 0
                                     ? (exact_sets<B>() + ...) * (kBlock / 32) * ExactSum::kSize
                                     : 1;

// What thread blocks do with their parts of reductions after their cells.
template <class... W>
__device__ __forceinline__ void finish_block(W&... with) {
  (with.finish(), ...);
  unsigned* counter = nullptr;
  ((counter = counter ? counter : with.counter()), ...);
  if (!counter || !last_to_come(counter, gridDim.x)) return;
  (with.find(), ...);
  (with.fold(), ...);
}

// A sweep that reduces.
template <int D, int U, class F, class... B>
__global__ void __launch_bounds__(kBlock, blocks_at_once<F, U>())
    sweep_kernel(const __grid_constant__ Geometry<D> g, const __grid_constant__ Tiling<D> tiling, F f,
                 B... bound) {
  __shared__ long long shared[digits_of<B...>];
  Digits digits(shared);
  const TiledBox<D>& box = box_of_block(tiling);
  [&](auto&&... with) {
    walk_tile<true, D, U>(g, box, blockIdx.x - box.first_block, f, with...);
    finish_block(with...);
  }(WithPart<B>{bound, digits.template next<B>()}...);
}

// The same where what is read off the cell comes from a ring.
template <class B>
struct WithRing : WithPart<B> {
  using WithPart<B>::WithPart;
  template <Count count>
  __device__ __forceinline__ decltype(auto) pass() {
    if constexpr (is_far<B>)
      return RingIn<typename RingNumber<B>::Type>{};
    else
      return WithPart<B>::template pass<count>();
  }
};

template <int D, class F, class... B>
__global__ void __launch_bounds__(kBlock, kRingBlocks)
    ring_kernel(const __grid_constant__ Geometry<D> g, const __grid_constant__ RingColumns<D> columns, F f,
                B... bound) {
  __shared__ long long shared[digits_of<B...>];
  extern __shared__ __align__(16) char ring[];
  Digits digits(shared);
  [&](auto&&... with) {
    walk_column<(B::tallies || ...), D>(g, columns, blockIdx.x, far_source(bound...),
                                        static_cast<unsigned>(__cvta_generic_to_shared(ring)), f, with...);
    finish_block(with...);
  }(WithRing<B>{bound, digits.template next<B>()}...);
}

// The one field that a sweep reads off the cell.
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

inline std::size_t shared_memory_limit(std::size_t taken) { // of a thread block, without what is taken
  int device = 0, bytes = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return std::max(static_cast<std::size_t>(bytes), taken) - taken;
}

// The walk over columns, where it suits: whether it was launched.
template <int D, class F, class... B>
bool launch_ring(cudaStream_t stream, const Geometry<D>& g, const Box& box, unsigned few, bool first,
                 const F& f, const B&... bound) {
  if constexpr (has_ring<D, F, B...>()) {
    using T = typename FarOf<B...>::Number;
    const auto columns =
        columns_of<D>(box, FarOf<B...>::shape(bound...), sizeof(T),
                      shared_memory_limit(digits_of<B...> * sizeof(long long) + kStaticShared), few);
    if (!columns) return false;
    const unsigned blocks = blocks_of(*columns);
    const int bytes = columns->ring * columns->plane_bytes;
    const auto launch = [&](const B&... with) {
      auto* const kernel = ring_kernel<D, F, B...>;
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
      kernel<<<blocks, kBlock, static_cast<std::size_t>(bytes), stream>>>(g, *columns, f, with...);
      fold(stream, blocks, with...);
    };
    if (first)
      launch(folding(bound, blocks)...);
    else
      launch(folding(continued(bound), blocks)...);
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
    sweep_kernel<D, unroll, F, B...><<<tiling.blocks, kBlock, 0, stream>>>(g, tiling, f, bound...);
    fold(stream, tiling.blocks, bound...);
  } else {
    plain_kernel<D, unroll, F, decltype(bound.view)...>
        <<<tiling.blocks, kBlock, 0, stream>>>(g, tiling, f, bound.view...);
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
      if (launch_ring(handle, g, box, kFewColumns, first, f, bound...))
        first = false;
      else
        tiled.push_back(box);
    }
    const Tiling<D> tiling = tiling_of<D>(tiled.data(), static_cast<int>(tiled.size()), unroll);
    if (tiling.blocks == 0) continue;
    if (first)
      launch_tiles(handle, g, tiling, f, folding(bound, tiling.blocks)...);
    else
      launch_tiles(handle, g, tiling, f, folding(continued(bound), tiling.blocks)...);
    first = false;
  }
}

} // namespace tasuki::detail
