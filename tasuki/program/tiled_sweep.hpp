// A sweep as an instance of kernels of many steps (device/tiled/tiled.hpp).
#pragma once

#include <tasuki/device/tiled/tiled.hpp>
#include <tasuki/program/access.hpp>
#include <tasuki/program/reduction.hpp>

// TASUKI_STEP_BY_STEP: for programs that need no kernels of many steps; halves the compile time of nvcc.
#if defined(__CUDACC__) && !defined(TASUKI_CHECKED) && !defined(TASUKI_STEP_BY_STEP)
#include <tasuki/device/tiled/launch_cuda.hpp>
#define TASUKI_TILED 1
#endif

namespace tasuki::detail {

#if defined(TASUKI_TILED)

constexpr int kMostTileWords =
    16; // 4-byte words per cell: larger cells do not fit into registers, and are not compiled

template <class A>
struct TileAccessOf { // of an access that tiles do not support
  static constexpr bool possible = false, reads = false, writes = false, fixed = false;
};
template <class T>
struct TileAccessOf<Reads<T>> {
  using E = typename ValueOf<T>::Element;
  template <int Mode>
  using Type = TileReads<E, ValueOf<T>::components, std::is_array_v<T>>;
  static constexpr int words = tile_words(ValueOf<T>::components, sizeof(E));
  static constexpr bool possible = (sizeof(E) == 4 || sizeof(E) == 8) && words <= kMostTileWords,
                        reads = true, writes = false, fixed = false;
};
template <class T>
struct TileAccessOf<ReadsHere<T>> {
  using E = typename ValueOf<T>::Element;
  static constexpr int K = ValueOf<T>::components;
  // Fields with several numbers per cell have priority for shared memory.
  template <int Mode>
  using Type = TileFixed<E, K, std::is_array_v<T>, Mode == kAllPinned || (Mode == kSomePinned && (K > 1))>;
  static constexpr int words = tile_words(K, sizeof(E));
  static constexpr bool possible = sizeof(E) % 4 == 0 && words <= kMostTileWords, reads = false,
                        writes = false, fixed = true;
};
template <class T>
struct TileAccessOf<Writes<T>> {
  using E = typename ValueOf<T>::Element;
  template <int Mode>
  using Type = TileWrites<E, ValueOf<T>::components, std::is_array_v<T>>;
  static constexpr int words = tile_words(ValueOf<T>::components, sizeof(E));
  static constexpr bool possible = (sizeof(E) == 4 || sizeof(E) == 8) && words <= kMostTileWords,
                        reads = false, writes = true, fixed = false;
};
template <class Op>
struct TileAccessOf<Reduces<Op>> {
  template <int Mode>
  using Type = TileReduces<Op>;
  static constexpr bool possible = sizeof(typename Op::Value) <= 16, reads = false, writes = false,
                        fixed = false;
  static constexpr int words = 0;
};

template <class A>
inline constexpr int size_of_slot = 0;
template <class T>
inline constexpr int size_of_slot<Reads<T>> = sizeof(typename ValueOf<T>::Element);
template <class T>
inline constexpr int size_of_slot<Writes<T>> = sizeof(typename ValueOf<T>::Element);

template <int D, class F, class... A>
struct TiledSweep {
  static constexpr int slot_bytes = (size_of_slot<A> | ... | 0);
  static constexpr bool possible = (slot_bytes == 4 || slot_bytes == 8) && D <= kTiledDims &&
                                   sizeof...(A) <= kTiledAccesses && (TileAccessOf<A>::possible && ...) &&
                                   (TileAccessOf<A>::reads || ...) && (TileAccessOf<A>::writes || ...);
};

// Passes: whether its tiles have passes. A sweep with waves (wave_sweep.hpp) has none.
template <bool Passes, int D, class F, class... A>
requires TiledSweep<D, F, A...>::possible struct TiledKernelOf {
  template <int Mode>
  using Kernel = TiledKernel<D, (TileAccessOf<A>::words + ... + 0), Passes, F,
                             typename TileAccessOf<A>::template Type<Mode>...>;

  static TiledLimits limits(TiledKind kind) { return Kernel<kNonePinned>::limits(kind); }
  static void launch(TiledKind kind, Stream& stream, const F& f, const TiledLaunch& l, int shared_bytes) {
    if constexpr ((TileAccessOf<A>::fixed || ...)) {
      if (l.pinned == kAllPinned) return Kernel<kAllPinned>::launch(kind, stream, f, l, shared_bytes);
      if (l.pinned == kSomePinned) return Kernel<kSomePinned>::launch(kind, stream, f, l, shared_bytes);
    }
    Kernel<kNonePinned>::launch(kind, stream, f, l, shared_bytes);
  }
};

#endif

template <class A>
void bind_result(const A&, TiledLaunch&, int&) {}
template <class Op>
void bind_result(const Reduces<Op>& access, TiledLaunch& l, int& number) {
  ReductionCore& core = *access.reduction.core();
  core.swept();
  l.exact[number] = core.exact();
  l.slot_of[number++] = core.exact() ? reinterpret_cast<char*>(core.digits()) : core.slot();
}

} // namespace tasuki::detail
