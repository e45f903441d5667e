// The walk of a wave (wave.hpp): a thread block moves a tile of the x-y plane along z. In each round, a plane of the memory
// that is read enters, and every step does one plane: step k is at the plane 2 k behind the one that entered, so that all
// planes that a step reads were finished in rounds before, and one barrier a round is enough. Each step has a ring of four
// planes in shared memory; a thread keeps its own column of cells of these planes in registers as well. The rim of a tile is
// computed redundantly. All blocks have equally many planes to do: the tiles, one after another, are one line that is cut
// into equal parts. (Tiles that move along one axis: A. Nguyen et al., SC 2010, "3.5-D blocking".)
#pragma once

#include <tasuki/device/kernel/follow_cuda.hpp>
#include <tasuki/device/kernel/shared_cuda.hpp>
#include <tasuki/device/kernel/view.hpp>
#include <tasuki/device/kernel/wave.hpp>

namespace tasuki::detail {

// A cell of a step. Where the loops over steps and cells are unrolled, all but the addresses are constants.
template <class T, int Column>
struct WaveCell : Cell<3> {
  static constexpr int column = Column;
  const T* own[3];   // the thread's column in the planes below, of, and above the cell, a step before
  unsigned near[3];  // addresses in shared memory: the row below the column, its first row, the row above it
  unsigned plane[3]; // of the planes below, of, and above the cell: bytes from the ring's begin
  unsigned row_bytes;
  unsigned round;
  int row; // position in the column
};

// The field that is read at other cells.
template <class T>
struct WaveIn {
  template <int Column, class... O>
  TS_DEVICE T operator()(const WaveCell<T, Column>& c, O... by) const {
    static_assert(sizeof...(O) == 3 || sizeof...(O) == 0, "give one offset an axis, x first");
    int steps[3] = {};
    int axis = 0;
    ((steps[axis++] = static_cast<int>(by)), ...);
    const int row = c.row + steps[1], z = steps[2] + 1;
    if (steps[0] == 0 && row >= 0 && row < Column) return c.own[z][row];
    const unsigned near = row < 0        ? c.near[0]
                          : row < Column ? c.near[1] + static_cast<unsigned>(row) * c.row_bytes
                                         : c.near[2];
    return load_near<T>(near + c.plane[z] + static_cast<unsigned>(steps[0] * static_cast<int>(sizeof(T))),
                        c.round);
  }
};
// The field that is written.
template <class T>
struct WaveOut {
  T* kept;
  bool* written; // a constant to the compiler, unless the cell function writes under a condition
  template <class C>
  TS_DEVICE T& operator()(const C&) const {
    *written = true;
    return *kept;
  }
};
// A field that is read in the cell itself stays in device memory.
template <class E>
struct WaveHereIn {
  const E* origin;
  template <class C>
  TS_DEVICE E operator()(const C& c) const {
    return load(origin + c.i);
  }
};
template <class E>
struct WaveHereInComponents {
  const E* origin;
  long plane; // elements between components
  TS_DEVICE WaveHereIn<E> operator[](int k) const { return {origin + k * plane}; }
};
// A reduction, whose value a step within a pass does not need.
struct WaveTally {
  template <class C, class X>
  TS_DEVICE void operator()(const C&, const X&) const {}
};

// A part gives the view of an access; `out`: where the cell's result goes.
struct WaveReads {
  template <class T>
  TS_DEVICE WaveIn<T> view(const WaveOut<T>&) const {
    return {};
  }
};
struct WaveWrites {
  template <class T>
  TS_DEVICE WaveOut<T> view(const WaveOut<T>& out) const {
    return out;
  }
};
template <class View>
struct WaveHere {
  View in;
  template <class T>
  TS_DEVICE const View& view(const WaveOut<T>&) const {
    return in;
  }
};
struct WaveTallies {
  template <class T>
  TS_DEVICE WaveTally view(const WaveOut<T>&) const {
    return {};
  }
};

// A piece of a tile: its planes from .. to, as one thread block does them.
template <class T>
class WavePiece {
  static constexpr WaveShape kShape = wave_shape(sizeof(T));
  static constexpr int kSteps = kWaveSteps;
  static constexpr int kColumn = kShape.column, kWide = kShape.wide, kBytes = static_cast<int>(sizeof(T));
  static constexpr unsigned kPlaneBytes = static_cast<unsigned>(wave_plane(kBytes)),
                            kRowBytes = static_cast<unsigned>(kWide * kBytes),
                            kRingBytes = kPlaneBytes * kWavePlanes;
  static constexpr int kEntering = kWavePlanes + kWaveAhead; // planes of level 0

public:
  TS_DEVICE WavePiece(const Geometry<3>& g, const Wave& w, int tile, int from, int to, const T* source,
                      T* target, unsigned shared)
      : g_(g), w_(w), from_(from), to_(to), source_(source), target_(target) {
    const int thread = static_cast<int>(threadIdx.x), across = thread / kWide;
    const int own[2] = {tile % w.tiles[0] * w.tile[0], tile / w.tiles[0] * w.tile[1]};
    left_ = own[0] - kSteps;
    below_ = own[1] - kSteps;
    near_ = shared + static_cast<unsigned>(kBytes + thread % kWide * kBytes) +
            static_cast<unsigned>(across * kColumn) * kRowBytes;
    // The rows beyond the tile are not there. Cells that would read them are not used.
    low_row_ = across == 0 ? near_ : near_ - kRowBytes;
    high_row_ = near_ + static_cast<unsigned>(across + 1 == kShape.high ? kColumn - 1 : kColumn) * kRowBytes;
    int lo[3], hi[3]; // the cells of the tile and its halo that exist
    const int ends[3] = {min(own[0] + w.tile[0], g.owned[0]), min(own[1] + w.tile[1], g.owned[1]), to};
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      const int start = a < 2 ? own[a] : from, depth = kSteps * w.reach[a];
      lo[a] = max(start - depth, w.first[a]);
      hi[a] = min(ends[a] + depth, w.last[a]);
    }
    low_ = lo[2];
    high_ = hi[2] - 1;
    whole_ = lo[0] >= w.region_lo[0] && hi[0] <= w.region_hi[0] && lo[1] >= w.region_lo[1] &&
             hi[1] <= w.region_hi[1];
    const int x = this->x(), y = this->y(), column = turned(0, min(max(x, lo[0]), hi[0] - 1));
#pragma unroll
    for (int j = 0; j < kColumn; ++j) {
      const int row = y + j;
      place_[j] = column + turned(1, min(max(row, lo[1]), hi[1] - 1)) * static_cast<int>(g.stride[1]);
      const bool mine = x >= own[0] && x < ends[0] && row >= own[1] && row < ends[1];
      mine_ |= mine && done(x, row) ? 1u << j : 0u;
    }
  }

  template <class F, class... P>
  TS_DEVICE void walk(const F& f, const P&... parts) {
    for (int k = 0; k < kWavePlanes; ++k) ring_[k] = static_cast<unsigned>(k) * kPlaneBytes;
    for (int k = 0; k < kEntering; ++k) entering_[k] = static_cast<unsigned>(k) * kPlaneBytes;
    const int last = to_ - 1 + 2 * kSteps; // rounds, by the plane that enters
    int round = from_ - kSteps;
    for (int k = 0; k < kWaveAhead; ++k) fetch(round + k, entering_[k]);
#pragma unroll 1
    for (; round <= last; ++round) do_round(round, f, parts...);
    copies_have_come();
  }

private:
  // Of the thread's first cell. They are computed anew where they are asked for, as registers are scarce.
  TS_DEVICE int x() const { return left_ + static_cast<int>(threadIdx.x) % kWide; }
  TS_DEVICE int y() const { return below_ + static_cast<int>(threadIdx.x) / kWide * kColumn; }
  TS_DEVICE bool done(int x, int y) const {
    return x >= w_.region_lo[0] && x < w_.region_hi[0] && y >= w_.region_lo[1] && y < w_.region_hi[1];
  }
  // Along an axis on which the block is its own neighbour, the cell inside the block.
  TS_DEVICE int turned(int axis, int at) const {
    if (!w_.wraps[axis]) return at;
    return at < 0 ? at + g_.owned[axis] : at >= g_.owned[axis] ? at - g_.owned[axis] : at;
  }
  TS_DEVICE long plane_at(int z) const { return turned(2, min(max(z, low_), high_)) * g_.stride[2]; }
  // The addresses of a level's planes. Level 0 holds what memory holds, level k the cells after k steps. Level k is 2 k planes
  // behind the one that enters; `by` planes further.
  TS_DEVICE unsigned plane(int level, int by) const {
    if (level == 0) return entering_[(by + kEntering) % kEntering];
    return kEntering * kPlaneBytes + static_cast<unsigned>(level - 1) * kRingBytes +
           ring_[(by - 2 * level) & (kWavePlanes - 1)];
  }
  TS_DEVICE void fetch(int z, unsigned at) {
    const T* const from = source_ + plane_at(z);
#pragma unroll
    for (int j = 0; j < kColumn; ++j)
      copy_async(near_ + at + static_cast<unsigned>(j) * kRowBytes, from + place_[j]);
    copies_are_one_group();
  }

  template <class F, class... P>
  TS_DEVICE void do_round(int round, const F& f, const P&... parts) {
    const unsigned number = pinned(static_cast<unsigned>(round));
    // From the last step to the first: a step overwrites the plane that only the step after it still needs.
    T fresh[kColumn];
#pragma unroll
    for (int level = kSteps; level > 0; --level) {
      step(level, round - 2 * level, number, fresh, f, parts...);
      if (level == kSteps)
        leave(round - 2 * level, fresh);
      else
        keep(level, fresh);
    }
    copies_have_come_but<kWaveAhead - 1>();
#pragma unroll
    for (int j = 0; j < kColumn; ++j)
      fresh[j] = load_own<T>(near_ + plane(0, 0) + static_cast<unsigned>(j) * kRowBytes);
    remember(0, fresh);
    fetch(round + kWaveAhead, plane(0, kWaveAhead));
    if (!whole_ || round - 2 * (kSteps - 1) < w_.region_lo[2] || round - 2 >= w_.region_hi[2]) restore(round);
    turn(ring_);
    turn(entering_);
    __syncthreads();
  }
  template <int N>
  static TS_DEVICE void turn(unsigned (&planes)[N]) {
    const unsigned first = planes[0];
#pragma unroll
    for (int k = 0; k + 1 < N; ++k) planes[k] = planes[k + 1];
    planes[N - 1] = first;
  }

  // The cells of a plane after one more step.
  template <class F, class... P>
  TS_DEVICE void step(int level, int z, unsigned number, T (&fresh)[kColumn], const F& f,
                      const P&... parts) const {
    WaveCell<T, kColumn> c{};
    c.geometry = g_;
    c.x[0] = x();
    c.x[2] = z;
    c.round = number;
    c.row_bytes = kRowBytes;
    c.near[0] = low_row_;
    c.near[1] = near_;
    c.near[2] = high_row_;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      c.plane[k] = plane(level - 1, k - 3);
      c.own[k] = own_[level - 1][k];
    }
    const long at = plane_at(z);
#pragma unroll
    for (int j = 0; j < kColumn; ++j) {
      c.x[1] = y() + j;
      c.row = j;
      c.i = at + place_[j];
      bool written = false;
      f(c, parts.view(WaveOut<T>{&fresh[j], &written})...);
      // A cell that its function leaves unwritten, which must be so in every step, keeps its number.
      if (!written) fresh[j] = (level % 2 != 0 ? target_ : source_)[c.i];
    }
  }

  TS_DEVICE void leave(int z, const T (&fresh)[kColumn]) const {
    if (z < from_ || z < w_.region_lo[2] || z >= w_.region_hi[2]) return;
    T* const to = target_ + z * g_.stride[2];
#pragma unroll
    for (int j = 0; j < kColumn; ++j)
      if (mine_ >> j & 1) to[place_[j]] = fresh[j];
  }
  TS_DEVICE void keep(int level, const T (&fresh)[kColumn]) {
    remember(level, fresh);
#pragma unroll
    for (int j = 0; j < kColumn; ++j)
      store_near<T>(near_ + plane(level, 0) + static_cast<unsigned>(j) * kRowBytes, fresh[j]);
  }
  TS_DEVICE void remember(int level, const T (&fresh)[kColumn]) {
#pragma unroll
    for (int j = 0; j < kColumn; ++j) {
      own_[level][0][j] = own_[level][1][j];
      own_[level][1][j] = own_[level][2][j];
      own_[level][2][j] = fresh[j];
    }
  }

  // Cells outside the region keep their numbers: after an odd number of steps those of the memory that the pass writes.
  TS_DEVICE void restore(int round) {
#pragma unroll
    for (int level = 1; level < kSteps; ++level) {
      const int z = round - 2 * level;
      const bool in = z >= w_.region_lo[2] && z < w_.region_hi[2];
      const T* const from = (level % 2 != 0 ? target_ : source_) + plane_at(z);
      const unsigned to = near_ + plane(level, 0);
#pragma unroll
      for (int j = 0; j < kColumn; ++j) {
        if (in && done(x(), y() + j)) continue;
        const T value = from[place_[j]];
        own_[level][2][j] = value;
        store_near<T>(to + static_cast<unsigned>(j) * kRowBytes, value);
      }
    }
  }

  const Geometry<3>& g_;
  const Wave& w_;
  int from_, to_, low_, high_, left_, below_;
  const T* source_;
  T* target_;
  unsigned near_, low_row_, high_row_;
  bool whole_;
  unsigned mine_ = 0;
  int place_[kColumn];
  unsigned ring_[kWavePlanes],
      entering_[kEntering];        // the planes of a ring, from the one that is written in this round
  T own_[kSteps][3][kColumn] = {}; // by level, of the last three planes
};

// What a thread block of a pass does. `block` of `blocks`: its part of the line of all tiles.
template <class T, class F, class... P>
TS_DEVICE void walk_wave(const Geometry<3>& g, const Wave& w, unsigned block, unsigned blocks,
                         const T* source, T* target, unsigned shared, const F& f, const P&... parts) {
  const long line = static_cast<long>(w.tiles[0]) * w.tiles[1] * g.owned[2];
  long at = line * block / blocks;
  const long end = line * (block + 1) / blocks;
#pragma unroll 1
  while (at < end) {
    const int tile = static_cast<int>(at / g.owned[2]),
              from = static_cast<int>(at - tile * static_cast<long>(g.owned[2]));
    const int to = static_cast<int>(min(static_cast<long>(g.owned[2]), from + (end - at)));
    WavePiece<T> piece(g, w, tile, from, to, source, target, shared);
    piece.walk(f, parts...);
    at += to - from;
  }
}

#if defined(__CUDACC__)
template <class T, class F, class... P>
__global__ void __launch_bounds__(wave_shape(sizeof(T)).threads(), 1)
    wave_kernel(const __grid_constant__ Geometry<3> g, const __grid_constant__ Wave w, const T* source,
                T* target, F f, P... parts) {
  extern __shared__ __align__(16) char wave[];
  follow();
  walk_wave<T>(g, w, blockIdx.x, gridDim.x, source, target,
               static_cast<unsigned>(__cvta_generic_to_shared(wave)), f, parts...);
}
#endif

} // namespace tasuki::detail
