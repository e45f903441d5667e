// The views of fields that the cell function of a sweep gets in a tile (tiled.hpp).
#pragma once

#include <tasuki/device/for_each.hpp>
#include <tasuki/device/kernel/exact_thread_cuda.hpp>
#include <tasuki/device/kernel/shared_cuda.hpp>
#include <tasuki/device/tiled/tiled.hpp>

#include <type_traits>

namespace tasuki {

// A cell in a tile: its index in the slots, in the copies of constant memories, and in device memory.
template <int D>
struct TileCell : Cell<D> {
  int near, fixed;
  int above,
      below; // indices in the slots of the neighbours along y: variables that the cells of a column share
  int near_stride[D];
  long far;
  bool counted; // by this thread: a tile counts each of its own cells once

  TS_HD bool owned() const { return counted; }
};

namespace detail {

// The index in the slots of a cell at an offset from c.
template <int D, class... O>
TS_HD int near_of(const TileCell<D>& c, O... by) {
  if constexpr (sizeof...(O) == 0) {
    return c.near;
  } else {
    static_assert(sizeof...(O) == D, "give one offset an axis, x first");
    const int steps[] = {static_cast<int>(by)...};
    int i = c.near;
    if constexpr (D > 1)
      i = steps[1] == 0    ? c.near
          : steps[1] == 1  ? c.above
          : steps[1] == -1 ? c.below
                           : c.near + steps[1] * c.near_stride[1];
    i += steps[0];
    for (int a = 2; a < D; ++a) i += steps[a] * c.near_stride[a];
    return i;
  }
}

} // namespace detail

// A read-only view of a slot in shared memory.
template <class T>
struct TileIn {
  unsigned near; // bytes in shared memory
  unsigned step;

  template <int D, class... O>
  __device__ __forceinline__ T operator()(const TileCell<D>& c, O... by) const {
    const int i = detail::near_of(c, by...);
    return detail::load_near<T>(near + static_cast<unsigned>(i) * static_cast<unsigned>(sizeof(T)), step);
  }
};
// A constant memory that is read in the cell itself: from its copy in shared memory, or from device memory.
template <class T, bool Pinned>
struct TileFixedIn {
  const T* at;

  template <int D>
  __device__ __forceinline__ T operator()(const TileCell<D>& c) const {
    if constexpr (Pinned)
      return at[c.fixed];
    else
      return detail::load(at + c.far);
  }
};

// A written view: the value stays in a register until all cells that are computed together have been read. The number in the
// slot is loaded only by a function that does something else with it than write: another thread may do the same cell.
template <class T>
struct TileOut {
  T* kept;
  bool* written; // a constant to the compiler, unless the cell function writes under a condition
  const T* slot;
  template <int D>
  __device__ __forceinline__ T& operator()(const TileCell<D>& c) const {
    if (!*written) *kept = slot[c.near];
    *written = true;
    return *kept;
  }
};

template <class T>
struct TileInComponents {
  unsigned near, step;
  int plane;
  __device__ __forceinline__ TileIn<T> operator[](int k) const {
    return {near + static_cast<unsigned>(k * plane) * static_cast<unsigned>(sizeof(T)), step};
  }
};
template <class T, bool Pinned>
struct TileFixedInComponents {
  const T* at;
  std::conditional_t<Pinned, int, long> plane;
  __device__ __forceinline__ TileFixedIn<T, Pinned> operator[](int k) const { return {at + k * plane}; }
};
template <class T>
struct TileOutComponents {
  T* kept;
  bool* written;
  const T* slot;
  int plane;
  __device__ __forceinline__ TileOut<T> operator[](int k) const {
    return {kept + k, written + k, slot + k * plane};
  }
};

// Accesses as types: E is the number type of the field, K its components (Array: the field is E[K]).
template <class E, int K, bool Array>
struct TileReads {};
template <class E, int K, bool Array, bool Pinned>
struct TileFixed {};
template <class E, int K, bool Array>
struct TileWrites {};
template <class Op>
struct TileReduces {};
template <class Op>
struct TileLooks {}; // a sum in a pass, of which only looks need the value

namespace detail {

// An access as a thread of a tile uses it. settle() is called once, bind() in every step with the slot's address in
// shared memory. The values that a cell writes stay in a Keep from fill() to flush(), until all cells that are computed
// together have been read. gather() gets the Keeps of all of these cells.
template <class A>
struct TilePart;

struct GathersNothing {
  template <int N, class KeepOf>
  __device__ __forceinline__ void gather(const KeepOf&) const {}
};
struct KeepsNothing : GathersNothing {
  struct Keep {};
  template <int D>
  __device__ __forceinline__ void fill(Keep&, const TileCell<D>&) const {}
  template <int D>
  __device__ __forceinline__ void flush(const Keep&, const TileCell<D>&) const {}
};

template <class E, int K, bool Array>
struct TilePart<TileReads<E, K, Array>> : KeepsNothing {
  TileInComponents<E> in;
  __device__ void settle(const TiledLaunch& l, int, char*) { in.plane = l.near_plane; }
  __device__ __forceinline__ void bind(char* slot, unsigned step) {
    in.near = static_cast<unsigned>(__cvta_generic_to_shared(slot));
    in.step = step;
  }
  __device__ __forceinline__ auto view(Keep&) const {
    if constexpr (Array)
      return in;
    else
      return in[0];
  }
};

template <class E, int K, bool Array, bool Pinned>
struct TilePart<TileFixed<E, K, Array, Pinned>> : KeepsNothing {
  TileFixedInComponents<E, Pinned> in;
  __device__ void settle(const TiledLaunch& l, int access, char* smem) {
    const TiledAccess& a = l.access[access];
    if constexpr (Pinned) {
      in.at = reinterpret_cast<const E*>(smem + a.offset);
      in.plane = l.fixed_plane;
    } else {
      in.at = reinterpret_cast<const E*>(a.origin);
      in.plane = l.plane;
    }
  }
  __device__ __forceinline__ void bind(char*, unsigned) {}
  __device__ __forceinline__ auto view(Keep&) const {
    if constexpr (Array)
      return in;
    else
      return in[0];
  }
};

// A cell that its function leaves unwritten keeps its number, that of two steps before: nothing is stored, as another thread
// may do the same cell. A pass loads no memory that its steps write, so in its first step the number is `before`.
template <class E, int K, bool Array>
struct TilePart<TileWrites<E, K, Array>> : GathersNothing {
  E* near;
  int near_plane;
  const TiledLaunch* launch = nullptr;
  const E* before = nullptr; // the first owned cell in device memory; null: the slot has been loaded
  __device__ void settle(const TiledLaunch& l, int, char*) { near_plane = l.near_plane; }
  __device__ __forceinline__ void bind(char* slot, unsigned) { near = reinterpret_cast<E*>(slot); }
  __device__ __forceinline__ void begin_with(const TiledLaunch& l, const TiledAccess& access,
                                             bool first_step) {
    launch = &l;
    before = first_step ? reinterpret_cast<const E*>(l.slot[access.slot[0]].origin) : nullptr;
  }
  struct Keep {
    E value[K];
    bool written[K];
  };
  template <int D>
  __device__ __forceinline__ void fill(Keep& keep, const TileCell<D>&) const {
#pragma unroll
    for (bool& written : keep.written) written = false;
  }
  template <int D>
  __device__ __forceinline__ void flush(const Keep& keep, const TileCell<D>& c) const {
#pragma unroll
    for (int k = 0; k < K; ++k) {
      E& cell = near[c.near + k * near_plane];
      if (keep.written[k])
        cell = keep.value[k];
      else if (before)
        cell = before[turned(c) + k * launch->plane];
    }
  }
  // The cell in device memory; inside the block along an axis on which the block is its own neighbour.
  template <int D>
  __device__ long turned(const TileCell<D>& c) const {
    long i = c.far;
    for (int a = 0; a < D; ++a)
      if (launch->wraps[a])
        i += (c.x[a] < 0                   ? launch->owned[a]
              : c.x[a] >= launch->owned[a] ? -launch->owned[a]
                                           : 0) *
             launch->stride[a];
    return i;
  }
  __device__ __forceinline__ auto view(Keep& keep) const {
    if constexpr (Array)
      return TileOutComponents<E>{keep.value, keep.written, near, near_plane};
    else
      return TileOut<E>{keep.value, keep.written, near};
  }
};

template <class Op>
struct TilePart<TileReduces<Op>> : KeepsNothing {
  Running<Op> running{Op::identity()};
  __device__ void settle(const TiledLaunch&, int, char*) {}
  __device__ __forceinline__ void bind(char*, unsigned) {}
  __device__ __forceinline__ auto view(Keep&) { return Tally<Op, Running<Op>, Count::owned>{&running}; }
};

// A sum of floating-point numbers. The offers of a cell are added as they come; cells are added only in the steps that
// are wanted: those of looks, and the last.
template <class Op>
struct TileSum {
  bool wanted = false; // in this step
  __device__ void settle(const TiledLaunch&, int, char*) {}
  __device__ __forceinline__ void bind(char*, unsigned) {}
  struct Keep {
    Running<Op> offered;
  };
  template <int D>
  __device__ __forceinline__ void fill(Keep& keep, const TileCell<D>&) const {
    keep.offered.value = 0;
  }
  template <int D>
  __device__ __forceinline__ void flush(const Keep&, const TileCell<D>&) const {}
  __device__ __forceinline__ auto view(Keep& keep) const {
    return Tally<Op, Running<Op>, Count::owned>{&keep.offered};
  }
};
template <class Op>
requires Op::sums struct TilePart<TileReduces<Op>> : TileSum<Op> { // an exact sum
  ThreadBins bins;
  long long* digits = nullptr; // of the tile, in shared memory
  template <int N, class KeepOf>
  __device__ __forceinline__ void gather(const KeepOf& keep) {
    if (!this->wanted) return;
    double x[N];
#pragma unroll
    for (int m = 0; m < N; ++m) x[m] = static_cast<double>(keep(m).offered.value);
    bins.add(x, digits);
  }
};
template <class Op>
struct TilePart<TileLooks<Op>> : TileSum<Op> { // in doubles, together with the sum of absolute values
  double sum = 0, size = 0;
  template <int N, class KeepOf>
  __device__ __forceinline__ void gather(const KeepOf& keep) {
    if (!this->wanted) return;
#pragma unroll
    for (int m = 0; m < N; ++m) {
      const auto x = static_cast<double>(keep(m).offered.value);
      sum += x;
      size += fabs(x);
    }
  }
};

template <class A>
inline constexpr bool is_tile_sum = false;
template <class Op>
inline constexpr bool is_tile_sum<TileReduces<Op>> = Op::sums;

template <class A>
inline constexpr int slot_bytes = 0; // of one number
template <class E, int K, bool Array>
inline constexpr int slot_bytes<TileReads<E, K, Array>> = sizeof(E);
template <class E, int K, bool Array>
inline constexpr int slot_bytes<TileWrites<E, K, Array>> = sizeof(E);

} // namespace detail

} // namespace tasuki
