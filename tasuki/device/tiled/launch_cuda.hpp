// Launches the kernels of tiled.hpp, and determines the resources that they need.
#pragma once

#include <tasuki/device/launch_next_cuda.hpp>
#include <tasuki/device/tiled/columns.hpp>
#include <tasuki/device/tiled/pass_cuda.hpp>
#include <tasuki/device/tiled/resident_cuda.hpp>

#include <tuple>

namespace tasuki::detail {

// For a sweep F with accesses A (TileReads etc.) that reads and writes Words numbers per cell. Passes: there is a kernel for them.
template <int D, int Words, bool Passes, class F, class... A>
struct TiledKernel {
  static constexpr int kResidentThreads = resident_threads(Words);
  static constexpr int kPassThreads = 256; // two blocks per multiprocessor
  static constexpr int kAtOnce = 4;        // cells of a column per thread
  static constexpr int kAtOnceInPass = pass_column(Words);

  static TiledLimits limits(TiledKind kind) {
    TiledLimits limits;
    if (!Passes && kind == TiledKind::pass) return limits;
    int device = 0, cooperative = 0, of_block = 0, of_all = 0, kept = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
    cudaDeviceGetAttribute(&limits.multiprocessors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&of_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&of_all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
    cudaDeviceGetAttribute(&kept, cudaDevAttrReservedSharedMemoryPerBlock, device);
    cudaFuncAttributes attributes{};
    cudaFuncGetAttributes(&attributes, kernel(kind).address);
    check_launch("asking for a kernel's needs");
    limits.possible = kind == TiledKind::pass || cooperative != 0;
    if (!limits.possible) limits.reason = "this GPU has no cooperative launch";
    limits.threads = threads(kind);
    limits.words = Words;
    limits.shared_bytes = (kind == TiledKind::pass ? std::min(of_block, of_all / 2 - kept) : of_block) -
                          static_cast<int>(attributes.sharedSizeBytes);
    return limits;
  }

  static void launch(TiledKind kind, Stream& stream, const F& f, const TiledLaunch& l, int shared_bytes) {
    const void* const address = kernel(kind).address;
    cudaFuncSetAttribute(address, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    cudaFuncSetAttribute(address, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
    if (kind == TiledKind::pass)
      launch_with<TilePart<typename InPass<A>::Type>...>(kind, stream, f, l, shared_bytes);
    else
      launch_with<TilePart<A>...>(kind, stream, f, l, shared_bytes);
  }

private:
  template <class... Part>
  static void launch_with(TiledKind kind, Stream& stream, const F& f, const TiledLaunch& l,
                          int shared_bytes) {
    std::tuple<Part...> parts{};
    void* arguments[2 + sizeof...(A)] = {const_cast<TiledLaunch*>(&l), const_cast<F*>(&f)};
    std::size_t k = 2;
    std::apply([&](auto&... part) { ((arguments[k++] = &part), ...); }, parts);
    const dim3 grid(static_cast<unsigned>(l.blocks)), block(static_cast<unsigned>(threads(kind)));
    const auto shared = static_cast<std::size_t>(shared_bytes);
    const auto on = static_cast<cudaStream_t>(stream.handle());
    if (kind == TiledKind::pass)
      launch_next(kernel(kind), grid, block.x, shared, on, arguments);
    else
      cudaLaunchCooperativeKernel(kernel(kind).address, grid, block, arguments, shared, on);
    check_launch(kind == TiledKind::pass ? "a pass of several steps" : "a resident sweep");
  }

  static constexpr int threads(TiledKind kind) {
    return kind == TiledKind::pass ? kPassThreads : kResidentThreads;
  }
  static NextKernel kernel(TiledKind kind) {
    if constexpr (Passes)
      if (kind == TiledKind::pass)
        return next_kernel<&pass_kernel<D, kAtOnceInPass, kPassThreads, F, typename InPass<A>::Type...>>();
    return {reinterpret_cast<const void*>(&resident_kernel<D, kAtOnce, kResidentThreads, F, A...>), false};
  }
};

} // namespace tasuki::detail
