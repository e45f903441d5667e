// A sweep as a wave (device/kernel/wave.hpp): it has three axes, reads one field of numbers at other cells, and writes
// another one. What it reads in the cell itself is read anew in every step, so it has to be small.
#pragma once

#include <tasuki/program/tiled_sweep.hpp>

#if defined(TASUKI_TILED)
#include <tasuki/device/tiled/wave_cuda.hpp>

namespace tasuki::detail {

template <class A>
struct WaveAccessOf { // of an access that waves do not support
  static constexpr bool possible = false;
  static constexpr int reads = 0, writes = 0, here = 0;
};
template <class T>
struct WaveAccessOf<Reads<T>> {
  static constexpr bool possible = true;
  static constexpr int reads = 1, writes = 0, here = 0;
  using Part = WaveReads;
  static Part part(const Reads<T>&) { return {}; }
};
template <class T>
struct WaveAccessOf<Writes<T>> {
  static constexpr bool possible = true;
  static constexpr int reads = 0, writes = 1, here = 0;
  using Part = WaveWrites;
  static Part part(const Writes<T>&) { return {}; }
};
template <class T>
struct WaveAccessOf<ReadsHere<T>> {
  using E = typename ValueOf<T>::Element;
  static constexpr bool possible = !lies_by_rows(ValueOf<T>::components);
  static constexpr int reads = 0, writes = 0,
                       here = ValueOf<T>::components * static_cast<int>(sizeof(E)); // bytes
  using Part = WaveHere<std::conditional_t<std::is_array_v<T>, WaveHereInComponents<E>, WaveHereIn<E>>>;
  static Part part(const ReadsHere<T>& access) {
    if constexpr (std::is_array_v<T>)
      return {{access.field.data(), access.field.component_stride()}};
    else
      return {{access.field.data()}};
  }
};
template <class Op>
struct WaveAccessOf<Reduces<Op>> {
  static constexpr bool possible = true;
  static constexpr int reads = 0, writes = 0, here = 0;
  using Part = WaveTallies;
  static Part part(const Reduces<Op>&) { return {}; }
};

// The value of the first field that is read at other cells, and of the first that is written.
template <template <class> class Kind, class... A>
struct ValueOfFirst {
  using Type = void;
};
template <template <class> class Kind, class A, class... More>
struct ValueOfFirst<Kind, A, More...> : ValueOfFirst<Kind, More...> {};
template <template <class> class Kind, class T, class... More>
struct ValueOfFirst<Kind, Kind<T>, More...> {
  using Type = T;
};

template <class T>
inline constexpr bool is_wave_number = false;
template <class T>
requires std::is_arithmetic_v<T>
inline constexpr bool is_wave_number<T> = wave_holds(sizeof(T));

template <int D, class F, class... A>
struct WaveSweep {
  using T = typename ValueOfFirst<Reads, A...>::Type;
  static constexpr bool possible =
      D == 3 && is_wave_number<T> && std::is_same_v<T, typename ValueOfFirst<Writes, A...>::Type> &&
      (WaveAccessOf<A>::possible && ...) && (WaveAccessOf<A>::reads + ... + 0) == 1 &&
      (WaveAccessOf<A>::writes + ... + 0) == 1 && (WaveAccessOf<A>::here + ... + 0) <= kWaveHereBytes;
};
template <int D, class F, class... A>
requires WaveSweep<D, F, A...>::possible struct WaveKernelOf {
  using T = typename WaveSweep<D, F, A...>::T;
  using Kernel = WaveKernel<T, F, typename WaveAccessOf<A>::Part...>;

  static TiledLimits limits() { return Kernel::limits(); }
  static void launch(Stream& stream, const F& f, const TiledLaunch& l, const std::tuple<A...>& accesses) {
    std::apply([&](const A&... a) { Kernel::launch(stream, f, l, {WaveAccessOf<A>::part(a)...}); }, accesses);
  }
};

} // namespace tasuki::detail
#endif
