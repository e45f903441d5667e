// A sweep as the kernel of many steps takes it (device/tiled.hpp).
#pragma once

#include <tasuki/device/tiled.hpp>
#include <tasuki/program/access.hpp>
#include <tasuki/program/reduction.hpp>

#include <tuple>

#if defined(__CUDACC__) && !defined(TASUKI_CHECKED)
#include <tasuki/device/tiled_cuda.hpp>
#define TASUKI_TILED 1
#endif

namespace tasuki::detail {

#if defined(TASUKI_TILED)

template <class A>
struct TileAccessOf { // of an access that no tile can have
  static constexpr bool possible = false, reads = false, writes = false;
};
template <class T>
struct TileAccessOf<Reads<T>> {
  using E = typename ValueOf<T>::Element;
  using Type = TileReads<E, ValueOf<T>::components, std::is_array_v<T>>;
  static constexpr bool possible = sizeof(E) % 4 == 0, reads = true, writes = false;
  static constexpr int words = ValueOf<T>::components;
};
template <class T>
struct TileAccessOf<Writes<T>> {
  using E = typename ValueOf<T>::Element;
  using Type = TileWrites<E, ValueOf<T>::components, std::is_array_v<T>>;
  static constexpr bool possible = sizeof(E) % 4 == 0, reads = false, writes = true;
  static constexpr int words = 2 * ValueOf<T>::components;
};
template <class Op>
struct TileAccessOf<Reduces<Op>> {
  using Type = TileReduces<Op>;
  static constexpr bool possible = sizeof(typename Op::Value) <= 16, reads = false, writes = false;
  static constexpr int words = 0;
};

template <int D, class F, class... A>
struct TiledSweep {
  static constexpr bool possible = D <= kTiledDims && sizeof...(A) <= kTiledAccesses &&
                                   (TileAccessOf<A>::possible && ...) && (TileAccessOf<A>::reads || ...) &&
                                   (TileAccessOf<A>::writes || ...);
};

template <int D, class F, class... A>
requires TiledSweep<D, F, A...>::possible struct TiledKernelOf {
  static constexpr int words = (TileAccessOf<A>::words + ... + 0);
  static constexpr int threads = words <= 6 ? 1024 : 512;
  static constexpr int share = 8; // cells that a thread keeps the addresses of
  static constexpr auto kernel = &tiled_kernel<D, share, threads, F, typename TileAccessOf<A>::Type...>;

  static TiledLimits limits() {
    TiledLimits limits;
    int device = 0, cooperative = 0, shared = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
    cudaDeviceGetAttribute(&limits.multiprocessors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaFuncAttributes attributes{};
    cudaFuncGetAttributes(&attributes, kernel);
    check_launch("asking for a kernel's needs");
    limits.possible = cooperative != 0;
    if (!cooperative) limits.reason = "this GPU has no cooperative launch";
    limits.threads = threads;
    limits.share = share;
    limits.words = words;
    limits.shared_bytes = shared - static_cast<int>(attributes.sharedSizeBytes);
    return limits;
  }

  static void launch(Stream& stream, const F& f, const TiledLaunch& l, int shared_bytes) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    std::tuple<TilePart<typename TileAccessOf<A>::Type>...> parts{};
    void* arguments[2 + sizeof...(A)] = {const_cast<TiledLaunch*>(&l), const_cast<F*>(&f)};
    std::size_t k = 2;
    std::apply([&](auto&... part) { ((arguments[k++] = &part), ...); }, parts);
    cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(l.blocks)),
                                dim3(threads), arguments, static_cast<std::size_t>(shared_bytes),
                                static_cast<cudaStream_t>(stream.handle()));
    check_launch("a resident sweep");
  }
};

#endif

template <class A>
void bind_result(const A&, TiledLaunch&, int&) {}
template <class Op>
void bind_result(const Reduces<Op>& access, TiledLaunch& l, int& number) {
  access.reduction.core()->swept();
  l.slot_of[number++] = access.reduction.core()->slot();
}

} // namespace tasuki::detail
