// Launches passes in which tiles move along z (kernel/wave.hpp), and determines the resources that they need.
#pragma once

#include <tasuki/device/kernel/wave_cuda.hpp>
#include <tasuki/device/launch_next_cuda.hpp>
#include <tasuki/device/tiled/launch_cuda.hpp>

#include <tuple>

namespace tasuki::detail {

// For a sweep F that reads one field of numbers T at other cells and writes another one. Parts: what the walk passes to F,
// in the order of the sweep's accesses.
template <class T, class F, class... Part>
struct WaveKernel {
  static TiledLimits limits() {
    TiledLimits limits;
    int device = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&limits.multiprocessors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&limits.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    limits.threads = wave_shape(sizeof(T)).threads();
    limits.possible = limits.shared_bytes >= wave_bytes(sizeof(T));
    if (!limits.possible) limits.reason = "this GPU has too little shared memory for tiles that move along z";
    return limits;
  }

  static void launch(Stream& stream, const F& f, const TiledLaunch& l, std::tuple<Part...> parts) {
    Geometry<3> geometry{};
    Wave wave{};
    for (int a = 0; a < 3; ++a) {
      geometry.stride[a] = l.stride[a];
      geometry.origin[a] = l.origin[a];
      geometry.extent[a] = l.extent[a];
      geometry.owned[a] = l.owned[a];
      if (a < 2) wave.tile[a] = l.tile[a], wave.tiles[a] = l.tiles[a];
      wave.region_lo[a] = l.region_lo[a];
      wave.region_hi[a] = l.region_hi[a];
      wave.reach[a] = l.reach[a];
      wave.wraps[a] = l.wraps[a];
      const bool ends = l.region_lo[a] > -kTiledEndless; // false along a periodic axis
      wave.first[a] = ends ? static_cast<int>(-l.origin[a]) : -kTiledEndless;
      wave.last[a] = ends ? static_cast<int>(l.extent[a] - l.origin[a]) : kTiledEndless;
    }
    T *source = nullptr, *target = nullptr; // a pass reads from one memory and writes to the other
    for (int s = 0; s < l.slots; ++s)
      (l.slot[s].taken ? source : target) = reinterpret_cast<T*>(l.slot[s].origin);
    const NextKernel kernel = next_kernel<&wave_kernel<T, F, Part...>>();
    constexpr int kBytes = wave_bytes(sizeof(T));
    cudaFuncSetAttribute(kernel.address, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
    void* arguments[5 + sizeof...(Part)] = {&geometry, &wave, &source, &target, const_cast<F*>(&f)};
    std::size_t k = 5;
    std::apply([&](auto&... part) { ((arguments[k++] = &part), ...); }, parts);
    launch_next(kernel, static_cast<unsigned>(l.blocks),
                static_cast<unsigned>(wave_shape(sizeof(T)).threads()), kBytes,
                static_cast<cudaStream_t>(stream.handle()), arguments);
    check_launch("a pass of several steps");
  }
};

} // namespace tasuki::detail
