// The walk for cells that read many neighbours: a thread block moves along the last axis through a column of cells,
// with a ring buffer of planes in shared memory that asynchronous copies fill ahead of it. Each number is loaded from
// device memory about once, and its address in shared memory is a constant offset from the thread's own.
#pragma once

#include <tasuki/device/kernel/follow_cuda.hpp>
#include <tasuki/device/kernel/shared_cuda.hpp>
#include <tasuki/device/kernel/walk_cuda.hpp>

namespace tasuki::detail {

// A cell of a column: the position of the thread's window in a plane, and the ring's plane of its first cells.
template <int D>
struct RingCell : Cell<D> {
  unsigned near; // address in shared memory, if the cell were in plane 0
  int plane;     // of the thread's first cells; may exceed the ring's size before it is wrapped
  int ring;
  unsigned plane_bytes;
  unsigned step;
  int across, along; // position in the window
};

TS_DEVICE int round_ring(int plane, int ring) { return plane >= ring ? plane - ring : plane; }

// The view of a field that is read from the ring.
template <class T>
struct RingIn {
  template <int D, class... O>
  TS_DEVICE T operator()(const RingCell<D>& c, O... by) const {
    static_assert(sizeof...(O) == D || sizeof...(O) == 0, "give one offset an axis, x first");
    int steps[D] = {};
    int axis = 0;
    ((steps[axis++] = static_cast<int>(by)), ...);
    const int plane = round_ring(c.plane + c.along + steps[D - 1], c.ring);
    int in = steps[0];
    if constexpr (D == 3) in += (c.across + steps[1]) * RingShape<D>::kPitch;
    return load_near<T>(c.near + static_cast<unsigned>(plane) * c.plane_bytes +
                            static_cast<unsigned>(in * static_cast<int>(sizeof(T))),
                        c.step);
  }
};

// The number type of a field that a ring can hold: 4 or 8 bytes, one number per cell.
template <class B>
struct RingNumber {
  static constexpr bool possible = false;
};
template <class T, int ReadBytes>
struct RingNumber<BoundView<In<T, 1>, ReadBytes, true>> {
  using Type = T;
  static constexpr bool possible = !__is_class(T) && (sizeof(T) == 4 || sizeof(T) == 8);
};

// Whether a sweep can use this walk: it has no reductions, reads one field at other cells, and reads so little else
// that those loads do not limit it.
template <int D, class F, class... B>
TS_HD constexpr bool has_ring() {
#if defined(TASUKI_CHECKED)
  return false;
#else
  return (D == 2 || D == 3) && !(B::tallies || ...) && (is_far<B> + ... + 0) == 1 &&
         (RingNumber<B>::possible + ... + 0) == 1 && (B::read_bytes + ... + 0) <= 16 && !says_blocks<F>;
#endif
}

// The copies of a thread block: successive planes of a column, including their halo.
template <int D, class T>
class RingCopy {
  using S = RingShape<D>;
  static constexpr int kSteps = D == 3 ? (S::kRows + 2 * kRingReach + S::kHigh - 1) / S::kHigh : 1;
  static constexpr unsigned kRowBytes = S::kPitch * sizeof(T);

public:
  TS_DEVICE RingCopy(const Geometry<D>& g, const RingColumns<D>& columns, const T* source, unsigned shared,
                     const int* start, const int* end)
      : columns_(columns),
        plane_step_(g.stride[D - 1] * static_cast<long>(sizeof(T))),
        left_(end[D - 1] - start[D - 1] + reach(D - 1)) {
    // A thread copies one number of every kHigh-th row, and one of the halo at the end of the rows.
    const int lane = static_cast<int>(threadIdx.x);
    const int row = lane / S::kWide, column = lane % S::kWide, over = max(1, reach(0));
    const int over_row = D == 3 ? lane / over : 0, over_column = S::kWide + (D == 3 ? lane % over : lane);
    const int wide = end[0] - start[0] + reach(0);
    rows_ = D == 3 ? end[1] - start[1] + reach(1) : 1;
    const int skipped = max(0, -start[0]);
    copies_ = column >= skipped && column < wide ? (rows_ - row + S::kHigh - 1) / S::kHigh : 0;
    over_ = over_row < rows_ && over_column < wide && reach(0) > 0;
    long corner = columns.lo[0] + start[0] - columns.below[0];
#pragma unroll
    for (int a = 1; a < D; ++a) corner += (columns.lo[a] + start[a] - columns.below[a]) * g.stride[a];
    row_step_ = D == 3 ? S::kHigh * g.stride[1] * static_cast<long>(sizeof(T)) : 0;
    from_ = reinterpret_cast<const char*>(source + corner + column + (D == 3 ? row * g.stride[1] : 0));
    from_over_ =
        reinterpret_cast<const char*>(source + corner + over_column + (D == 3 ? over_row * g.stride[1] : 0));
    to_ = shared + static_cast<unsigned>(row) * kRowBytes + static_cast<unsigned>(column * sizeof(T));
    to_over_ =
        shared + static_cast<unsigned>(over_row) * kRowBytes + static_cast<unsigned>(over_column * sizeof(T));
  }

  // Copies the planes below the first group of planes, as many as the stencil reads along the last axis.
  TS_DEVICE void start(int planes) {
    at_ = static_cast<unsigned>((columns_.ring - planes) * columns_.plane_bytes);
#pragma unroll 1
    for (; planes > 0; --planes) plane();
    at_ = 0;
  }
  // Copies the next group of kAlong planes, if any are left. A group is contiguous in the ring, whose size is a
  // multiple of kAlong.
  TS_DEVICE void planes() {
    if (left_ >= S::kAlong) {
#pragma unroll
      for (int k = 0; k < S::kAlong; ++k) plane();
    } else {
#pragma unroll 1
      while (left_ > 0) plane();
    }
    if (at_ == static_cast<unsigned>(columns_.ring * columns_.plane_bytes)) at_ = 0;
  }

private:
  TS_DEVICE void plane() {
    const char* row = from_;
#pragma unroll
    for (int k = 0; k < kSteps; ++k, row += row_step_)
      if (k < copies_)
        copy_async(to_ + at_ + static_cast<unsigned>(k * S::kHigh) * kRowBytes,
                   reinterpret_cast<const T*>(row));
    if (over_) copy_async(to_over_ + at_, reinterpret_cast<const T*>(from_over_));
    from_ += plane_step_;
    from_over_ += plane_step_;
    at_ += static_cast<unsigned>(columns_.plane_bytes);
    --left_;
  }

  TS_DEVICE int reach(int axis) const { return columns_.below[axis] + columns_.above[axis]; }

  const RingColumns<D>& columns_;
  long plane_step_, row_step_; // in bytes
  const char *from_, *from_over_;
  unsigned to_, to_over_;
  unsigned at_ = 0; // offset of the next plane in the ring
  int left_, rows_, copies_;
  bool over_;
};

// Computes one piece of a column. `source`: the field that is read at other cells.
template <bool Tallied, int D, class T, class F, class... P>
TS_DEVICE void walk_column(const Geometry<D>& g, const RingColumns<D>& columns, unsigned piece,
                           const T* source, unsigned shared, const F& f, P&... parts) {
  using S = RingShape<D>;
  constexpr int last = D - 1;
  int start[D], end[D];
  bool owned = true; // the whole piece is owned
#pragma unroll
  for (int a = 0; a < D; ++a) {
    const int cells = a == last ? columns.length : a == 0 ? S::kWide : S::kRows;
    start[a] = static_cast<int>(piece % columns.tiles[a]) * cells - (a == 0 ? columns.skip : 0);
    piece /= columns.tiles[a];
    end[a] = min(start[a] + cells, columns.n[a]);
    if constexpr (Tallied)
      owned = owned && start[a] >= 0 && columns.lo[a] + start[a] >= 0 && columns.lo[a] + end[a] <= g.owned[a];
  }
  RingCopy<D, T> copy(g, columns, source, shared, start, end);
  const int before = columns.below[last] + columns.above[last];
  copy.start(before);
  copy.planes();

  const int lane = static_cast<int>(threadIdx.x) % S::kWide,
            row = static_cast<int>(threadIdx.x) / S::kWide * S::kAcross;
  RingCell<D> c{};
  c.geometry = g;
  c.ring = columns.ring;
  // The first group of planes is at plane 0 of the ring, and the planes below it at the ring's end.
  int lowest = round_ring(columns.ring - before, columns.ring);
  c.plane_bytes = static_cast<unsigned>(columns.plane_bytes);
  c.near = shared + static_cast<unsigned>(lane + columns.below[0]) * static_cast<unsigned>(sizeof(T));
  if constexpr (D == 3)
    c.near += static_cast<unsigned>((row + columns.below[1]) * S::kPitch) * static_cast<unsigned>(sizeof(T));
#pragma unroll
  for (int a = 0; a < D; ++a) {
    c.x[a] = columns.lo[a] + start[a] + (a == 0 ? lane : a == last ? 0 : row);
    c.i += c.x[a] * (a == 0 ? 1 : g.stride[a]);
  }
  const bool within = start[0] + lane >= 0 && start[0] + lane < end[0];
  const int rows = D == 3 ? end[D - 2] - start[D - 2] - row : 1; // rows left for this thread's window
  const auto cell = [&](int across, int along) {
    RingCell<D> here = c;
    here.across = across;
    here.along = along;
    here.x[last] += along;
    here.i += along * g.stride[last];
    if constexpr (D == 3) {
      here.x[1] += across;
      here.i += across * g.stride[1];
    }
    return here;
  };
#pragma unroll 1
  for (int at = start[last]; at < end[last]; at += S::kAlong) {
    copies_have_come();
    __syncthreads(); // all copies are complete, and the planes to be overwritten are no longer read
    c.step = pinned(static_cast<unsigned>(at));
    c.plane = lowest + columns.below[last];
    copy.planes();
    if (within && owned && rows >= S::kAcross && at + S::kAlong <= end[last]) {
#pragma unroll
      for (int along = 0; along < S::kAlong; ++along)
#pragma unroll
        for (int across = 0; across < S::kAcross; ++across)
          f(cell(across, along), parts.template pass<Count::all>()...);
    } else if (within) {
#pragma unroll 1
      for (int along = 0; along < min(S::kAlong, end[last] - at); ++along)
#pragma unroll 1
        for (int across = 0; across < min(S::kAcross, rows); ++across)
          f(cell(across, along), parts.template pass<Count::owned>()...);
    }
    lowest = round_ring(lowest + S::kAlong, columns.ring);
    c.x[last] += S::kAlong;
    c.i += S::kAlong * g.stride[last];
  }
}

#if defined(__CUDACC__)
// The field that is read at other cells.
template <class B, class... More>
TS_DEVICE auto far_source(const B& bound, const More&... more) {
  if constexpr (is_far<B>)
    return bound.view.p;
  else
    return far_source(more...);
}

// A view as the walk passes it: the field that is read at other cells comes from the ring.
template <class B>
struct RingPart {
  B bound;
  template <Count>
  TS_DEVICE decltype(auto) pass() const {
    if constexpr (is_far<B>)
      return RingIn<typename RingNumber<B>::Type>{};
    else
      return (bound.view);
  }
};

template <int D, class T, class F, class... P>
TS_DEVICE void ring_block(const Geometry<D>& g, const RingColumns<D>& columns, const T* source, const F& f,
                          P... parts) {
  extern __shared__ __align__(16) char ring[];
  walk_column<false, D, T>(g, columns, blockIdx.x, source,
                           static_cast<unsigned>(__cvta_generic_to_shared(ring)), f, parts...);
}
inline constexpr int kRingBlocks = 2; // per multiprocessor, at least
template <int D, class F, class... B>
__global__ void __launch_bounds__(kBlock, kRingBlocks)
    ring_kernel(const __grid_constant__ Geometry<D> g, const __grid_constant__ RingColumns<D> columns, F f,
                B... bound) {
  follow();
  ring_block<D>(g, columns, far_source(bound...), f, RingPart<B>{bound}...);
}
#endif

} // namespace tasuki::detail
