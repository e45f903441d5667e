// How the threads of a block visit the cells of a tile (tiled.hpp).
#pragma once

#include <tasuki/device/tiled/views_cuda.hpp>

#include <tuple>
#include <utility>

namespace tasuki {
namespace detail {

// Calls body(x) for every cell of a box, distributed over the threads of the block: as many lanes along x as the box
// has cells, up to a warp. A warp (or a part of it) counts its position in mixed-radix digits: piece of a row, y, z, ..
template <int D, class Body>
__device__ __forceinline__ void over_box(const int (&lo)[D], const int (&hi)[D], const Body& body) {
  int n[D];
#pragma unroll
  for (int a = 0; a < D; ++a) {
    n[a] = hi[a] - lo[a];
    if (n[a] <= 0) return;
  }
  const int wide = n[0];
  const int log = wide > 16 ? 5 : wide > 8 ? 4 : wide > 4 ? 3 : 2;
  const int lane = static_cast<int>(threadIdx.x) & ((1 << log) - 1);
  n[0] = (wide + (1 << log) - 1) >> log;
  int digit[D], step[D];
  int first = static_cast<int>(threadIdx.x) >> log, by = static_cast<int>(blockDim.x) >> log;
#pragma unroll
  for (int a = 0; a < D; ++a) {
    if (a + 1 == D) {
      digit[a] = first;
      step[a] = by;
    } else {
      const int q = first / n[a], p = by / n[a];
      digit[a] = first - q * n[a];
      step[a] = by - p * n[a];
      first = q;
      by = p;
    }
  }
#pragma unroll 1
  while (digit[D - 1] < n[D - 1]) {
    int x[D];
    const int in_row = (digit[0] << log) + lane;
    x[0] = lo[0] + in_row;
#pragma unroll
    for (int a = 1; a < D; ++a) x[a] = lo[a] + digit[a];
    if (in_row < wide) body(x);
    int carry = 0;
#pragma unroll
    for (int a = 0; a < D; ++a) {
      digit[a] += step[a] + carry;
      if (a + 1 == D) break;
      carry = digit[a] >= n[a];
      if (carry) digit[a] -= n[a];
    }
  }
}

// Calls row(x, lane, lanes) for every row along x of a box: x is the row's first cell; `lanes` threads share the row.
template <int D, class Row>
__device__ __forceinline__ void over_rows(const int (&lo)[D], const int (&hi)[D], const Row& row) {
  const int lanes = hi[0] - lo[0] > 16 ? 32 : 16;
  const int me = static_cast<int>(threadIdx.x), lane = me & (lanes - 1);
  int x[D], by[D];
#pragma unroll
  for (int a = 0; a < D; ++a)
    if (hi[a] <= lo[a]) return;
  x[0] = lo[0];
  int first = me / lanes, step = static_cast<int>(blockDim.x) / lanes;
#pragma unroll
  for (int a = 1; a < D; ++a) {
    const int n = a + 1 < D ? max(hi[a] - lo[a], 1) : 1 << 30;
    x[a] = lo[a] + first % n;
    by[a] = step % n;
    first /= n;
    step /= n;
  }
  if (D == 1) {
    if (first == 0) row(x, lane, lanes);
    return;
  }
#pragma unroll 1
  while (x[D - 1] < hi[D - 1]) {
    row(x, lane, lanes);
    int carry = 0;
#pragma unroll
    for (int a = 1; a < D; ++a) {
      x[a] += by[a] + carry;
      if (a + 1 == D) break;
      carry = x[a] >= hi[a];
      if (carry) x[a] -= hi[a] - lo[a];
    }
  }
}

// Copies an element word by word, independently of its type.
__device__ __forceinline__ void copy_element(char* to, const char* from, int bytes) {
  if (bytes == 8) {
    *reinterpret_cast<unsigned long long*>(to) = *reinterpret_cast<const unsigned long long*>(from);
    return;
  }
  for (int w = 0; w < bytes; w += 4)
    *reinterpret_cast<unsigned*>(to + w) = *reinterpret_cast<const unsigned*>(from + w);
}

// Asynchronous copy of a number of Bytes bytes from device memory to shared memory.
template <int Bytes>
__device__ __forceinline__ void fetch_number(unsigned to, const char* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(Bytes) : "memory");
}
__device__ __forceinline__ void await_fetched() { asm volatile("cp.async.wait_all;" ::: "memory"); }

template <int D>
struct Tile {
  int lo[D], hi[D]; // its cells

  // Tiles of nearly equal size: for resident tiles, which wait for each other.
  __device__ Tile(const TiledLaunch& l, int number) {
#pragma unroll
    for (int a = 0; a < D; ++a) {
      const int t = number % l.tiles[a];
      number /= l.tiles[a];
      lo[a] = static_cast<int>(static_cast<long>(l.owned[a]) * t / l.tiles[a]);
      hi[a] = static_cast<int>(static_cast<long>(l.owned[a]) * (t + 1) / l.tiles[a]);
    }
  }
  // Tiles of a given size except the last, without a 64-bit division: for the tiles of a pass, which are many.
  __device__ Tile(const TiledLaunch& l, int number, const int (&size)[kTiledDims]) {
#pragma unroll
    for (int a = 0; a < D; ++a) {
      const int t = a + 1 < D ? number % l.tiles[a] : number;
      if (a + 1 < D) number /= l.tiles[a];
      lo[a] = t * size[a];
      hi[a] = min(lo[a] + size[a], l.owned[a]);
    }
  }
  __device__ __forceinline__ bool has(const int (&x)[D]) const {
    bool in = true;
#pragma unroll
    for (int a = 0; a < D; ++a) in = in && x[a] >= lo[a] && x[a] < hi[a];
    return in;
  }
  __device__ __forceinline__ int near(const TiledLaunch& l, const int (&x)[D]) const {
    int i = 0;
#pragma unroll
    for (int a = 0; a < D; ++a) i += (x[a] - lo[a] + l.halo[a]) * (a == 0 ? 1 : l.near_stride[a]);
    return i;
  }
};

template <int D>
__device__ __forceinline__ long index_in(const long (&stride)[kTiledDims], const int (&x)[D]) {
  long i = x[0];
#pragma unroll
  for (int a = 1; a < D; ++a) i += x[a] * stride[a];
  return i;
}

template <int D>
__device__ __forceinline__ TileCell<D> cell_at(const TiledLaunch& l, const Tile<D>& tile, const int (&x)[D],
                                               int near) {
  TileCell<D> c;
#pragma unroll
  for (int a = 0; a < D; ++a) {
    c.near_stride[a] = a == 0 ? 1 : l.near_stride[a];
    c.geometry.origin[a] = l.origin[a];
    c.geometry.extent[a] = l.extent[a];
    c.geometry.owned[a] = l.owned[a];
    c.x[a] = x[a];
  }
  c.counted = tile.has(x);
  c.near = near;
  c.far = index_in<D>(l.stride, x);
  c.fixed = 0;
#pragma unroll
  for (int a = 0; a < D; ++a)
    c.fixed += (x[a] - tile.lo[a] + l.fixed_halo[a]) * (a == 0 ? 1 : l.fixed_stride[a]);
  return c;
}

// The box of a tile, grown by the reach of `steps` steps and limited to the region of the sweep.
template <int D>
__device__ __forceinline__ void grown_box(const TiledLaunch& l, const Tile<D>& tile, int steps, int (&lo)[D],
                                          int (&hi)[D]) {
#pragma unroll
  for (int a = 0; a < D; ++a) {
    lo[a] = max(tile.lo[a] - steps * l.reach[a], l.region_lo[a]);
    hi[a] = min(tile.hi[a] + steps * l.reach[a], l.region_hi[a]);
  }
}

// The cells of a box as pieces of columns along y, whose length is a multiple of U cells. Threads with consecutive
// numbers have columns adjacent along x. The neighbour above a cell is the centre of the column's next cell, and is
// already in a register. In 1-D a column is one cell. The pieces of a thread are computed once, in the constructor.
template <int D, int U>
class Columns {
public:
  __device__ Columns(const TiledLaunch& l, const Tile<D>& tile, const int (&lo)[D], const int (&hi)[D]) {
    const int threads = static_cast<int>(blockDim.x);
    int across = 1;
#pragma unroll
    for (int a = 0; a < D; ++a) {
      base_[a] = lo[a];
      count_[digit_of(a)] = max(hi[a] - lo[a], 0);
      if (D == 1 || a != 1) across *= count_[digit_of(a)];
    }
    if constexpr (D > 1) {
      const int n = hi[1] - lo[1], pieces = max(threads / max(across, 1), 1);
      end_ = hi[1];
      thin_ = n < U;
      length_ = max(((n + pieces - 1) / pieces + U - 1) / U, 1) * U;
      count_[D - 1] = across > 0 ? (max(n, 0) + length_ - 1) / length_ : 0;
    }
    int first = static_cast<int>(threadIdx.x), by = threads;
#pragma unroll
    for (int d = 0; d + 1 < D; ++d) {
      const int n = max(count_[d], 1);
      first_[d] = first % n;
      step_[d] = by % n;
      first /= n;
      by /= n;
    }
    first_[D - 1] = first;
    step_[D - 1] = by;
    many_ = by < count_[D - 1];
    place(first_, x_);
    near_ = tile.near(l, x_);
    to_ = first_[D - 1] < count_[D - 1] ? end_of(x_) : x_[kAlong];
    // Keeps in registers what every step needs; otherwise the compiler recomputes it in each step.
#pragma unroll
    for (int a = 0; a < D; ++a) asm("" : "+r"(x_[a]));
    asm("" : "+r"(near_), "+r"(to_), "+r"(thin_));
  }

  // True if every piece has fewer than U cells.
  __device__ __forceinline__ bool thin() const { return thin_ != 0; }

  // Calls body(x, near, end) for this thread's pieces: x is the first cell, `near` its index in the slots, and `end` is
  // the y after the last cell. The first piece may be empty.
  template <class Body>
  __device__ __forceinline__ void each(const TiledLaunch& l, const Tile<D>& tile, const Body& body) const {
    int digit[D], x[D], near = near_, end = to_;
#pragma unroll
    for (int a = 0; a < D; ++a) {
      digit[a] = first_[a];
      x[a] = x_[a];
    }
#pragma unroll 1
    for (;;) {
      body(x, near, end);
      if (!many_) break;
      int carry = 0;
#pragma unroll
      for (int d = 0; d < D; ++d) {
        digit[d] += step_[d] + carry;
        if (d + 1 == D) break;
        carry = digit[d] >= count_[d];
        if (carry) digit[d] -= count_[d];
      }
      if (digit[D - 1] >= count_[D - 1]) break;
      place(digit, x);
      near = tile.near(l, x);
      end = end_of(x);
    }
  }

private:
  // The digits are ordered: x, then the axes across, then the pieces of a column.
  static TS_HD constexpr int digit_of(int axis) { return axis == 0 ? 0 : axis == 1 ? D - 1 : axis - 1; }

  __device__ __forceinline__ void place(const int (&digit)[D], int (&x)[D]) const {
#pragma unroll
    for (int a = 0; a < D; ++a) x[a] = base_[a] + digit[digit_of(a)] * (D > 1 && a == 1 ? length_ : 1);
  }
  __device__ __forceinline__ int end_of(const int (&x)[D]) const {
    return D > 1 ? min(x[kAlong] + length_, end_) : x[0] + 1;
  }

  static constexpr int kAlong = D > 1 ? 1 : 0;
  int base_[D], count_[D], first_[D], step_[D];
  int length_ = 1, end_ = 0; // cells of a piece; end of the column
  int x_[D], near_, to_;     // the first piece
  int thin_ = 0;
  bool many_; // a thread has more than one piece
};

// Computes N cells from `first` on along y at once: no cell is written before all have been read. The first `again`
// cells have been computed before, with the same result, and are not counted twice.
template <int N, int D, class F, class... A, std::size_t... K>
__device__ __forceinline__ void do_cells(const TiledLaunch& l, const Tile<D>& tile, const TileCell<D>& first,
                                         [[maybe_unused]] int again, const F& f, std::index_sequence<K...>,
                                         TilePart<A>&... part) {
  std::tuple<typename TilePart<A>::Keep...> keep[N];
  int row[N + 2]; // indices of the cells, of the one below and of the one above them
#pragma unroll
  for (int r = 0; r < N + 2; ++r) {
    row[r] = first.near + (D > 1 ? (r - 1) * l.near_stride[1] : 0);
    asm("" : "+r"(row[r])); // an opaque value, so that the compiler loads each cell once
  }
  const auto cell = [&](int m) {
    TileCell<D> c = first;
    c.below = row[m];
    c.near = row[m + 1];
    c.above = row[m + 2];
    if constexpr (D > 1 && N > 1) {
      c.x[1] = first.x[1] + m;
      c.counted = tile.has(c.x) && m >= again;
      c.fixed = first.fixed + m * l.fixed_stride[1];
      c.far = first.far + m * l.stride[1];
    }
    return c;
  };
#pragma unroll
  for (int m = 0; m < N; ++m) {
    const TileCell<D> c = cell(m);
    (part.fill(std::get<K>(keep[m]), c), ...);
    f(c, part.view(std::get<K>(keep[m]))...);
  }
#pragma unroll
  for (int m = 0; m < N; ++m) {
    const TileCell<D> c = cell(m);
    (part.flush(std::get<K>(keep[m]), c), ...);
  }
  (part.template gather<N>([&](int m) -> const auto& { return std::get<K>(keep[m]); }), ...);
}

// Applies the sweep to the columns of a thread.
template <int U, int D, class F, class... A, std::size_t... K>
__device__ __forceinline__ void do_columns(const TiledLaunch& l, const Tile<D>& tile,
                                           const Columns<D, U>& columns, const F& f,
                                           std::index_sequence<K...> numbers, TilePart<A>&... part) {
  columns.each(l, tile, [&](int(&x)[D], int near, int end) {
    if (D > 1 && !columns.thin()) {
      const int from = x[D > 1];
#pragma unroll 1
      for (int y = from; y < end; y += U) {
        x[D > 1] = min(y, end - U);
        const int at = near + (x[D > 1] - from) * l.near_stride[D > 1];
        do_cells<U, D, F, A...>(l, tile, cell_at<D>(l, tile, x, at), y - x[D > 1], f, numbers, part...);
      }
      return;
    }
#pragma unroll 1
    for (; x[D > 1] < end; ++x[D > 1])
      do_cells<1, D, F, A...>(l, tile, cell_at<D>(l, tile, x, tile.near(l, x)), 0, f, numbers, part...);
  });
}

} // namespace detail
} // namespace tasuki
