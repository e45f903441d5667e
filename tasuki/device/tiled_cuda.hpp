// The kernel of tiled.hpp.
#pragma once

#include <tasuki/device/for_each.hpp>
#include <tasuki/device/tiled.hpp>
#include <tasuki/device/watch_device.hpp>

#include <cuda_runtime.h>

#include <cstring>
#include <utility>

namespace tasuki {

// A cell in a tile: where it lies in the slots (i, inherited), among the copies of what never changes, and in device
// memory.
template <int D>
struct TileCell : Cell<D> {
  int fixed;
  long far;
  bool counted; // by this thread: a tile counts its own cells, and none twice

  TS_HD bool owned() const { return counted; }
};

namespace detail {

// The strides of a tile in shared memory, 32 bits wide.
template <int D, class... O>
TS_HD int near_offset(const TileCell<D>& c, O... by) {
  if constexpr (sizeof...(O) == 0) {
    return 0;
  } else {
    static_assert(sizeof...(O) == D, "give one offset an axis, x first");
    const int steps[] = {static_cast<int>(by)...};
    int i = steps[0];
    for (int a = 1; a < D; ++a) i += steps[a] * static_cast<int>(c.geometry.stride[a]);
    return i;
  }
}

template <class... O>
TS_HD bool at_home(O... by) {
  return ((by == 0) && ...);
}

} // namespace detail

// u of a sweep in a tile: of a slot in shared memory.
template <class T>
struct TileIn {
  const T* near;

  template <int D, class... O>
  __device__ __forceinline__ T operator()(const TileCell<D>& c, O... by) const {
    return near[static_cast<int>(c.i) + detail::near_offset(c, by...)];
  }
};
// What never changes and is read in the cell itself: in shared memory too, or in device memory.
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

// v of a sweep in a tile: kept in a register until the cells beside it have been read.
template <class T>
struct TileOut {
  T* kept;
  template <int D>
  __device__ __forceinline__ T& operator()(const TileCell<D>&) const {
    return *kept;
  }
};

template <class T>
struct TileInComponents {
  const T* near;
  int plane;
  __device__ __forceinline__ TileIn<T> operator[](int k) const { return {near + k * plane}; }
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
  __device__ __forceinline__ TileOut<T> operator[](int k) const { return {kept + k}; }
};

// Accesses as the kernel knows them: T of the field, its components (Array: T[K]).
template <class E, int K, bool Array>
struct TileReads {};
template <class E, int K, bool Array, bool Pinned>
struct TileFixed {};
template <class E, int K, bool Array>
struct TileWrites {};
template <class Op>
struct TileReduces {};

namespace detail {

// Calls body(x) for every cell of a box, the threads of the block sharing them: as many lanes along x as it is wide,
// up to a warp. What a warp (or a part of it) does is counted in digits: the piece of a row, y, z, ..
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

// Elements as words, so that copies need not know what a cell holds.
__device__ __forceinline__ void copy_element(char* to, const char* from, int bytes) {
  if (bytes == 8) {
    *reinterpret_cast<unsigned long long*>(to) = *reinterpret_cast<const unsigned long long*>(from);
    return;
  }
  for (int w = 0; w < bytes; w += 4)
    *reinterpret_cast<unsigned*>(to + w) = *reinterpret_cast<const unsigned*>(from + w);
}

template <int D>
struct Tile {
  int lo[D], hi[D]; // its cells

  __device__ Tile(const TiledLaunch& l, int number) {
#pragma unroll
    for (int a = 0; a < D; ++a) {
      const int t = number % l.tiles[a];
      number /= l.tiles[a];
      lo[a] = static_cast<int>(static_cast<long>(l.owned[a]) * t / l.tiles[a]);
      hi[a] = static_cast<int>(static_cast<long>(l.owned[a]) * (t + 1) / l.tiles[a]);
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

__device__ __forceinline__ unsigned long long word_of(unsigned number, unsigned turn) {
  return number | static_cast<unsigned long long>(turn) << 32;
}
__device__ __forceinline__ void store_word(char* to, unsigned long long word) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}
__device__ __forceinline__ unsigned long long load_word(const char* from) {
  unsigned long long word;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  return word;
}

// The number in a word of the mail, which has been looked at once, when it has come; whatever is there where the run
// gives up.
__device__ __forceinline__ unsigned await_word(unsigned long long word, const char* from, unsigned turn,
                                               const TiledLaunch& l, int take, bool& come) {
  unsigned long long start = 0;
  for (unsigned looks = 1; static_cast<unsigned>(word >> 32) != turn && come; ++looks) {
    word = load_word(from);
    if ((looks & 1023u) != 0) continue;
    come = *l.watch.give_up == 0;
    const unsigned long long now = cuda::nanoseconds();
    if (start == 0) start = now;
    if (now - start < l.watch.bound) continue;
    atomicCAS_system(l.watch.whom, 0, l.take_rank[take] + 1);
    *l.watch.give_up = 1; // the other waits of this device end as well
    come = false;
  }
  return static_cast<unsigned>(word);
}

// The mail of a tile of numbers of so many bytes, a few cells of a thread at a time, so that their words travel together.
template <int Bytes>
struct Post {
  static constexpr int kAtOnce = 4, kWords = Bytes / 4;
  int put_from, put_to, take_from, take_to; // of this thread; each blockDim.x further

  __device__ Post(const TiledLaunch& l) {
    const int t = static_cast<int>(blockIdx.x), me = static_cast<int>(threadIdx.x);
    put_from = l.put_from[t] + me;
    put_to = l.put_from[t + 1];
    take_from = l.take_from[t] + me;
    take_to = l.take_from[t + 1];
  }

  // A slot's rim cells into the mail.
  __device__ __forceinline__ void put_all(const TiledLaunch& l, const TiledSlot& slot, const char* smem,
                                          const TiledMailbox* boxes, int mail, unsigned turn) const {
    const int threads = static_cast<int>(blockDim.x);
#pragma unroll 1
    for (int first = put_from; first < put_to; first += kAtOnce * threads) {
      int4 put[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        put[k] = __ldg(reinterpret_cast<const int4*>(l.puts) + min(first + k * threads, put_to - 1));
#pragma unroll 1
      for (int c = 0; c < slot.components; ++c)
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          if (first + k * threads >= put_to) break;
          const TiledMailbox& box = boxes[put[k].z];
          char* const to = box.mail[turn & 1u][mail] + (put[k].y + c * box.plane) * (2 * Bytes);
          const auto* from =
              reinterpret_cast<const unsigned*>(smem + slot.offset + (put[k].x + c * l.near_plane) * Bytes);
#pragma unroll
          for (int w = 0; w < kWords; ++w) store_word(to + 8 * w, word_of(from[w], turn));
        }
    }
  }

  // The halo from this rank's mail. False, for this thread, where the run gives up.
  __device__ __forceinline__ bool take_all(const TiledLaunch& l, const TiledSlot& slot, char* smem,
                                           const TiledMailbox* boxes, int mail, unsigned turn) const {
    const int threads = static_cast<int>(blockDim.x);
    bool come = true;
#pragma unroll 1
    for (int first = take_from; first < take_to && come; first += kAtOnce * threads) {
      int2 take[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        take[k] = __ldg(reinterpret_cast<const int2*>(l.takes) + min(first + k * threads, take_to - 1));
#pragma unroll 1
      for (int c = 0; c < slot.components; ++c) {
        const char* const box = boxes[0].mail[turn & 1u][mail] + c * boxes[0].plane * (2 * Bytes);
        unsigned long long word[kAtOnce][kWords];
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k)
#pragma unroll
          for (int w = 0; w < kWords; ++w) word[k][w] = load_word(box + take[k].y * (2l * Bytes) + 8 * w);
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          const int number = first + k * threads;
          if (number >= take_to) break;
          auto* to = reinterpret_cast<unsigned*>(smem + slot.offset + (take[k].x + c * l.near_plane) * Bytes);
#pragma unroll
          for (int w = 0; w < kWords; ++w)
            to[w] = await_word(word[k][w], box + take[k].y * (2l * Bytes) + 8 * w, turn, l, number, come);
        }
      }
    }
    return come;
  }
};

// An access as a thread of a tile uses it. settle() once, bind() in every phase with where its slot lies in shared
// memory then; a Keep holds what U cells write until they have all been read.
template <class A>
struct TilePart;

template <class E, int K, bool Array>
struct TilePart<TileReads<E, K, Array>> {
  TileInComponents<E> in;
  __device__ void settle(const TiledLaunch& l, int, char*) { in.plane = l.near_plane; }
  __device__ __forceinline__ void bind(char* slot) { in.near = reinterpret_cast<const E*>(slot); }
  struct Keep {};
  template <int D>
  __device__ __forceinline__ void fill(Keep&, const TileCell<D>&) const {}
  template <int D>
  __device__ __forceinline__ void flush(const Keep&, const TileCell<D>&) const {}
  __device__ __forceinline__ auto view(Keep&) const {
    if constexpr (Array)
      return in;
    else
      return in[0];
  }
};

template <class E, int K, bool Array, bool Pinned>
struct TilePart<TileFixed<E, K, Array, Pinned>> {
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
  __device__ __forceinline__ void bind(char*) {}
  struct Keep {};
  template <int D>
  __device__ __forceinline__ void fill(Keep&, const TileCell<D>&) const {}
  template <int D>
  __device__ __forceinline__ void flush(const Keep&, const TileCell<D>&) const {}
  __device__ __forceinline__ auto view(Keep&) const {
    if constexpr (Array)
      return in;
    else
      return in[0];
  }
};

template <class E, int K, bool Array>
struct TilePart<TileWrites<E, K, Array>> {
  E* near;
  int near_plane;
  __device__ void settle(const TiledLaunch& l, int, char*) { near_plane = l.near_plane; }
  __device__ __forceinline__ void bind(char* slot) { near = reinterpret_cast<E*>(slot); }
  struct Keep {
    E value[K];
  };
  template <int D>
  __device__ __forceinline__ void fill(Keep& keep, const TileCell<D>& c) const {
#pragma unroll
    for (int k = 0; k < K; ++k) keep.value[k] = near[static_cast<int>(c.i) + k * near_plane];
  }
  template <int D>
  __device__ __forceinline__ void flush(const Keep& keep, const TileCell<D>& c) const {
#pragma unroll
    for (int k = 0; k < K; ++k) near[static_cast<int>(c.i) + k * near_plane] = keep.value[k];
  }
  __device__ __forceinline__ auto view(Keep& keep) const {
    if constexpr (Array)
      return TileOutComponents<E>{keep.value};
    else
      return TileOut<E>{keep.value};
  }
};

template <class Op>
struct TilePart<TileReduces<Op>> {
  Running<Op> running{Op::identity()};
  __device__ void settle(const TiledLaunch&, int, char*) {}
  __device__ __forceinline__ void bind(char*) {}
  struct Keep {};
  template <int D>
  __device__ __forceinline__ void fill(Keep&, const TileCell<D>&) const {}
  template <int D>
  __device__ __forceinline__ void flush(const Keep&, const TileCell<D>&) const {}
  __device__ __forceinline__ auto view(Keep&) { return Tally<Op, Running<Op>, Count::owned>{&running}; }
};

template <class A>
inline constexpr int slot_bytes = 0; // of a number
template <class E, int K, bool Array>
inline constexpr int slot_bytes<TileReads<E, K, Array>> = sizeof(E);
template <class E, int K, bool Array>
inline constexpr int slot_bytes<TileWrites<E, K, Array>> = sizeof(E);

template <class A>
inline constexpr bool tile_reduces = false;
template <class Op>
inline constexpr bool tile_reduces<TileReduces<Op>> = true;

template <int D>
__device__ __forceinline__ TileCell<D> cell_at(const TiledLaunch& l, const Tile<D>& tile, const int (&x)[D]) {
  TileCell<D> c;
#pragma unroll
  for (int a = 0; a < D; ++a) {
    c.geometry.stride[a] = a == 0 ? 1 : l.near_stride[a];
    c.geometry.origin[a] = l.origin[a];
    c.geometry.extent[a] = l.extent[a];
    c.geometry.owned[a] = l.owned[a];
    c.x[a] = x[a];
  }
  c.counted = tile.has(x);
  c.i = tile.near(l, x);
  c.far = index_in<D>(l.stride, x);
  c.fixed = 0;
#pragma unroll
  for (int a = 0; a < D; ++a)
    c.fixed += (x[a] - tile.lo[a] + l.fixed_halo[a]) * (a == 0 ? 1 : l.fixed_stride[a]);
  return c;
}

// The box of a tile grown by so many steps, where the sweep goes.
template <int D>
__device__ __forceinline__ void grown_box(const TiledLaunch& l, const Tile<D>& tile, int steps, int (&lo)[D],
                                          int (&hi)[D]) {
#pragma unroll
  for (int a = 0; a < D; ++a) {
    lo[a] = max(tile.lo[a] - steps * l.reach[a], l.region_lo[a]);
    hi[a] = min(tile.hi[a] + steps * l.reach[a], l.region_hi[a]);
  }
}

// The cells of a thread, the same in every step, so that nothing is worked out twice: the tile with all that any step
// between two exchanges needs of its surroundings. Steps that need less do the rest in vain, on numbers that nobody
// reads; a thread without a cell of its own does the last one's again, which comes to the same and is not counted.
template <int D, int M>
struct Share {
  static constexpr int kBits = D == 1 ? 31 : D == 2 ? 15 : D == 3 ? 10 : 8; // of a coordinate
  unsigned near[(M + 1) / 2]; // two of them in one: shared memory has less than 2^16 numbers
  unsigned packed[M];         // coordinates from the halo's first cell on
  unsigned counts = 0;
  int chunks; // cells of a thread
  bool whole; // these are all of them

  __device__ Share(const TiledLaunch& l, const Tile<D>& tile) {
    int lo[D], hi[D], n[D];
    grown_box<D>(l, tile, l.depth - 1, lo, hi);
    int cells = 1;
#pragma unroll
    for (int a = 0; a < D; ++a) {
      n[a] = max(hi[a] - lo[a], 0);
      cells *= n[a];
    }
    const int threads = static_cast<int>(blockDim.x);
    chunks = (cells + threads - 1) / threads;
    whole = chunks <= M;
#pragma unroll
    for (int m = 0; m < M; ++m) {
      const int mine = static_cast<int>(threadIdx.x) + m * threads;
      int rest = max(min(mine, cells - 1), 0);
      int x[D];
      packed[m] = 0;
#pragma unroll
      for (int a = 0; a < D; ++a) {
        x[a] = lo[a] + (a + 1 < D ? rest % max(n[a], 1) : rest);
        rest /= max(n[a], 1);
        packed[m] |= static_cast<unsigned>(x[a] - tile.lo[a] + l.halo[a]) << (a * kBits);
      }
      const auto at = static_cast<unsigned>(tile.near(l, x));
      near[m / 2] = m % 2 == 0 ? at : near[m / 2] | at << 16;
      if (mine < cells && tile.has(x)) counts |= 1u << m;
    }
  }
  __device__ __forceinline__ TileCell<D> cell(const TiledLaunch& l, const Tile<D>& tile, int m) const {
    int x[D];
#pragma unroll
    for (int a = 0; a < D; ++a)
      x[a] = static_cast<int>(packed[m] >> (a * kBits) & ((1u << kBits) - 1)) + tile.lo[a] - l.halo[a];
    TileCell<D> c = cell_at<D>(l, tile, x);
    c.i = static_cast<int>(m % 2 == 0 ? near[m / 2] & 0xffffu : near[m / 2] >> 16);
    c.counted = (counts >> m & 1u) != 0;
    return c;
  }
};

template <int D, int M, class F, class... A, std::size_t... K>
__device__ __forceinline__ void do_share(const TiledLaunch& l, const Tile<D>& tile, const Share<D, M>& share,
                                         const F& f, std::index_sequence<K...>, TilePart<A>&... part) {
#pragma unroll
  for (int m = 0; m < M; ++m) {
    if (m >= share.chunks) break; // the same in all threads
    std::tuple<typename TilePart<A>::Keep...> keep;
    const TileCell<D> c = share.cell(l, tile, m);
    (part.fill(std::get<K>(keep), c), ...);
    f(c, part.view(std::get<K>(keep))...);
    (part.flush(std::get<K>(keep), c), ...);
  }
}

// The sweep in the cells of a box, for tiles too large to give each thread its own.
template <int D, class F, class... A, std::size_t... K>
__device__ __forceinline__ void do_box(const TiledLaunch& l, const Tile<D>& tile, const int (&lo)[D],
                                       const int (&hi)[D], const F& f, std::index_sequence<K...>,
                                       TilePart<A>&... part) {
  over_box<D>(lo, hi, [&](const int(&x)[D]) {
    std::tuple<typename TilePart<A>::Keep...> keep;
    const TileCell<D> c = cell_at<D>(l, tile, x);
    (part.fill(std::get<K>(keep), c), ...);
    f(c, part.view(std::get<K>(keep))...);
    (part.flush(std::get<K>(keep), c), ...);
  });
}

// A reduction's value of 4 or 8 bytes and the turn it belongs to, in 16 bytes that tell by themselves whether they are
// complete: half a value and the turn, twice.
template <class V>
__device__ uint4 stamped(const V& value, unsigned turn) {
  unsigned half[2] = {0, 0};
  memcpy(half, &value, sizeof(V) < 8 ? sizeof(V) : 8);
  return {half[0], turn, half[1], turn};
}

// block_fold for blocks of up to 1024 threads.
template <class Op>
__device__ typename Op::Value block_fold_wide(typename Op::Value value) {
  using Value = typename Op::Value;
  __shared__ Value warps[32];
  for (int by = 16; by > 0; by /= 2) value = Op::combine(value, shuffle_down(value, by));
  __syncthreads(); // an earlier fold may still be read
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : Op::identity();
    for (int by = 16; by > 0; by /= 2) value = Op::combine(value, shuffle_down(value, by));
  }
  return value;
}

// Posts the tile's part of the looked-at reduction to every rank.
template <class Op>
__device__ void post(const TiledLaunch& l, const Running<Op>& running, unsigned turn) {
  const typename Op::Value value = block_fold_wide<Op>(running.value);
  __shared__ typename Op::Value mine;
  if (threadIdx.x == 0) mine = value;
  __syncthreads();
  const long at = (static_cast<long>(turn & 1u) * l.ranks + l.rank) * l.blocks + blockIdx.x;
  for (int r = static_cast<int>(threadIdx.x); r < l.ranks; r += static_cast<int>(blockDim.x)) {
    const uint4 entry = stamped(mine, turn);
    asm volatile("st.relaxed.sys.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(l.boards[r] + 16 * at),
                 "r"(entry.x), "r"(entry.y), "r"(entry.z), "r"(entry.w)
                 : "memory");
  }
}

// Of all tiles of all ranks, in an order that depends on nothing but their number; the same in every tile.
// False, in all threads, where the run gives up.
template <class Op>
__device__ bool collect(const TiledLaunch& l, unsigned turn, double& result) {
  using Value = typename Op::Value;
  Value value = Op::identity();
  bool come = true;
  const int entries = l.ranks * l.blocks;
  const char* board = l.boards[l.rank] + 16l * (turn & 1u) * entries;
  for (int k = static_cast<int>(threadIdx.x); k < entries && come; k += static_cast<int>(blockDim.x)) {
    uint4 e;
    unsigned long long start = 0;
    for (unsigned t = 1;; ++t) {
      asm volatile("ld.relaxed.sys.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(e.x), "=r"(e.y), "=r"(e.z), "=r"(e.w)
                   : "l"(board + 16l * k)
                   : "memory");
      if (e.y == turn && e.w == turn) break;
      if ((t & 1023u) != 0) continue;
      come = *l.watch.give_up == 0;
      if (!come) break;
      const unsigned long long now = cuda::nanoseconds();
      if (start == 0) start = now;
      if (now - start < l.watch.bound) continue;
      atomicCAS_system(l.watch.whom, 0, l.world_rank[k / l.blocks] + 1);
      come = false;
      break;
    }
    if (!come) break;
    const unsigned half[2] = {e.x, e.z};
    Value part;
    memcpy(&part, half, sizeof(Value) < 8 ? sizeof(Value) : 8);
    value = Op::combine(value, part);
  }
  if (!__syncthreads_and(come)) return false;
  value = block_fold_wide<Op>(value);
  __shared__ Value all;
  if (threadIdx.x == 0) all = value;
  __syncthreads();
  if constexpr (std::is_arithmetic_v<Value>) result = static_cast<double>(all);
  __syncthreads();
  return true;
}

// The reductions of the last step: a tile leaves its part, the last to come makes them one, in the order of the tiles.
template <class A>
__device__ void leave_part(const TiledLaunch&, TilePart<A>&, int&) {}
template <class Op>
__device__ void leave_part(const TiledLaunch& l, TilePart<TileReduces<Op>>& part, int& number) {
  const auto value = block_fold_wide<Op>(part.running.value);
  if (threadIdx.x == 0)
    reinterpret_cast<typename Op::Value*>(l.partials + 16l * number * l.blocks)[blockIdx.x] = value;
  ++number;
}
template <class A>
__device__ void join_parts(const TiledLaunch&, TilePart<A>&, int&) {}
template <class Op>
__device__ void join_parts(const TiledLaunch& l, TilePart<TileReduces<Op>>&, int& number) {
  using Value = typename Op::Value;
  Value value = Op::identity();
  const auto* parts = reinterpret_cast<const Value*>(l.partials + 16l * number * l.blocks);
  for (int t = static_cast<int>(threadIdx.x); t < l.blocks; t += static_cast<int>(blockDim.x))
    value = Op::combine(value, load_past_l1(parts + t));
  value = block_fold_wide<Op>(value);
  if (threadIdx.x == 0) *reinterpret_cast<Value*>(l.slot_of[number]) = value;
  ++number;
}
template <class A>
__device__ void begin_part(TilePart<A>&) {}
template <class Op>
__device__ void begin_part(TilePart<TileReduces<Op>>& part) {
  part.running.value = Op::identity();
}
// The one of the reductions that `until` looks at.
template <class A>
__device__ void post_part(const TiledLaunch&, const TilePart<A>&, unsigned, int&) {}
template <class Op>
__device__ void post_part(const TiledLaunch& l, const TilePart<TileReduces<Op>>& part, unsigned turn,
                          int& number) {
  if constexpr (std::is_arithmetic_v<typename Op::Value>)
    if (number == l.until.reduce) post<Op>(l, part.running, turn);
  ++number;
}
template <class A>
__device__ bool collect_part(const TiledLaunch&, const TilePart<A>&, unsigned, int&, double&) {
  return true;
}
template <class Op>
__device__ bool collect_part(const TiledLaunch& l, const TilePart<TileReduces<Op>>&, unsigned turn,
                             int& number, double& result) {
  bool come = true;
  if constexpr (std::is_arithmetic_v<typename Op::Value>)
    if (number == l.until.reduce) come = collect<Op>(l, turn, result);
  ++number;
  return come;
}

template <int D, int M, int Threads, class F, class... A>
__global__ void __launch_bounds__(Threads, 1)
    tiled_kernel(const __grid_constant__ TiledLaunch l, const F f, TilePart<A>... part) {
  constexpr int kAccesses = sizeof...(A);
  extern __shared__ __align__(16) char smem[];
  __shared__ int slot_at[kTiledPhases][kAccesses];
  __shared__ TiledMailbox boxes[kTiledBoxes];
  const Tile<D> tile(l, static_cast<int>(blockIdx.x));
  const Post<(slot_bytes<A> | ...)> post(l); // they are all the same, or 0
  const Share<D, M> share(l, tile);
  constexpr std::index_sequence_for<A...> numbers{};
  unsigned turn = *l.turn;

  // What the tile holds: its cells of every slot, what never changes where it has room for it, and the halos.
  for (int k = static_cast<int>(threadIdx.x); k < kAccesses * kTiledPhases;
       k += static_cast<int>(blockDim.x)) {
    const int slot = l.access[k % kAccesses].slot[k / kAccesses];
    slot_at[k / kAccesses][k % kAccesses] = slot >= 0 ? l.slot[slot].offset : 0;
  }
  for (int k = static_cast<int>(threadIdx.x); k < l.box_count; k += static_cast<int>(blockDim.x))
    boxes[k] = l.boxes[k];
#pragma unroll 1
  for (int s = 0; s < l.slots; ++s) {
    const TiledSlot& slot = l.slot[s];
    const int e = slot.element_bytes;
    over_box<D>(tile.lo, tile.hi, [&](const int(&x)[D]) {
      const long index = index_in<D>(l.stride, x);
      char* to = smem + slot.offset + static_cast<long>(tile.near(l, x)) * e;
      for (int k = 0; k < slot.components; ++k)
        copy_element(to + static_cast<long>(k) * l.near_plane * e, slot.origin + (index + k * l.plane) * e,
                     e);
    });
  }
#pragma unroll 1
  for (int k = 0; k < l.accesses; ++k) {
    const TiledAccess& access = l.access[k];
    if (!access.origin || access.offset < 0) continue;
    const int e = access.element_bytes;
    int lo[D], hi[D];
#pragma unroll
    for (int a = 0; a < D; ++a) {
      lo[a] = max(tile.lo[a] - l.fixed_halo[a], l.region_lo[a]);
      hi[a] = min(tile.hi[a] + l.fixed_halo[a], l.region_hi[a]);
    }
    over_box<D>(lo, hi, [&](const int(&x)[D]) {
      const long index = index_in<D>(l.stride, x);
      int at = 0;
#pragma unroll
      for (int a = 0; a < D; ++a)
        at += (x[a] - tile.lo[a] + l.fixed_halo[a]) * (a == 0 ? 1 : l.fixed_stride[a]);
      for (int m = 0; m < access.components; ++m)
        copy_element(smem + access.offset + (at + static_cast<long>(m) * l.fixed_plane) * e,
                     access.origin + (index + m * l.plane) * e, e);
    });
  }
  {
    int k = 0;
    (part.settle(l, k++, smem), ...);
  }
  __syncthreads();
#pragma unroll 1
  for (int s = 0; s < l.slots; ++s) {
    ++turn;
    post.put_all(l, l.slot[s], smem, boxes, 0, turn);
    if (!__syncthreads_and(post.take_all(l, l.slot[s], smem, boxes, 0, turn))) return;
  }

  int phase = 0, done = 0, to_look = l.until.every ? l.first_look : -1;
  int verdict_in = l.verdict_in; // steps until the value that was posted is looked at; -1: none was
  unsigned look = l.looks;
  bool waiting = false; // for mail
  bool reached = false;
#pragma unroll 1
  while (done < l.steps) {
    int n = min(l.depth, l.steps - done);
    if (to_look > 0) n = min(n, to_look);
    if (verdict_in > 0) n = min(n, verdict_in);
#pragma unroll 1
    for (int j = 0; j < n; ++j) {
      {
        int k = 0;
        (part.bind(smem + slot_at[phase][k++]), ...);
      }
      (begin_part(part), ...);
      const auto take = [&] {
        bool come = true;
#pragma unroll 1
        for (int m = 0; m < l.mails; ++m)
          come = post.take_all(l, l.slot[l.access[l.mailed[m]].slot[phase]], smem, boxes, m, turn) && come;
        waiting = false;
        return __syncthreads_and(come) != 0;
      };
      const bool split = waiting && l.split;
      if (waiting && !split && !take()) return;
      if (share.whole && !split) {
        do_share<D, M, F, A...>(l, tile, share, f, numbers, part...);
      } else {
        // In one piece, or, while mail is under way, the interior first and then the slabs around it.
        int outer_lo[D], outer_hi[D], inner_lo[D], inner_hi[D];
        grown_box<D>(l, tile, n - 1 - j, outer_lo, outer_hi);
#pragma unroll
        for (int a = 0; a < D; ++a) {
          inner_lo[a] = min(max(tile.lo[a] + l.reach[a], outer_lo[a]), outer_hi[a]);
          inner_hi[a] = max(min(tile.hi[a] - l.reach[a], outer_hi[a]), inner_lo[a]);
        }
        const int pieces = split ? 2 * D + 1 : 1;
#pragma unroll 1
        for (int piece = 0; piece < pieces; ++piece) {
          if (waiting && piece == 1 && !take()) return;
          const int axis = D - 1 - (piece - 1) / 2; // of a slab
          int lo[D], hi[D];
#pragma unroll
          for (int a = 0; a < D; ++a) {
            const bool inner = split && (piece == 0 || a > axis);
            lo[a] = inner ? inner_lo[a] : outer_lo[a];
            hi[a] = inner ? inner_hi[a] : outer_hi[a];
            if (split && piece > 0 && a == axis) {
              if ((piece - 1) % 2 == 0)
                hi[a] = inner_lo[a];
              else
                lo[a] = inner_hi[a];
            }
          }
          do_box<D, F, A...>(l, tile, lo, hi, f, numbers, part...);
        }
      }
      __syncthreads();
      if (++phase == l.phases) phase = 0;
    }
    done += n;
    if (done < l.steps) {
      ++turn;
#pragma unroll 1
      for (int m = 0; m < l.mails; ++m)
        post.put_all(l, l.slot[l.access[l.mailed[m]].slot[phase]], smem, boxes, m, turn);
      waiting = true;
    }
    // A value that was posted is looked at before the next is: an entry of a board is then never overwritten unread.
    if (verdict_in > 0) verdict_in -= n;
    if (to_look > 0) to_look -= n;
    const bool posts = to_look == 0;
#pragma unroll 1
    for (int pass = 0; pass < 2 && !reached; ++pass) {
      if (verdict_in == 0) {
        verdict_in = -1;
        int number = 0;
        double value = 0;
        bool come = true;
        ((come = collect_part(l, part, look, number, value) && come), ...);
        if (!come) return;
        reached = l.until.below ? value < l.until.threshold : value > l.until.threshold;
      }
      if (pass == 0 && posts && !reached) {
        to_look = l.until.every;
        ++look;
        int number = 0;
        (post_part(l, part, look, number), ...);
        verdict_in = l.until.late;
      }
    }
    if (reached) break;
  }

#pragma unroll 1
  for (int s = 0; s < l.slots; ++s) {
    const TiledSlot& slot = l.slot[s];
    const int e = slot.element_bytes;
    over_box<D>(tile.lo, tile.hi, [&](const int(&x)[D]) {
      const long index = index_in<D>(l.stride, x);
      const char* from = smem + slot.offset + static_cast<long>(tile.near(l, x)) * e;
      for (int k = 0; k < slot.components; ++k)
        copy_element(slot.origin + (index + k * l.plane) * e, from + static_cast<long>(k) * l.near_plane * e,
                     e);
    });
  }
  // The last tile to come makes the parts of the last step's reductions one, in the order of the tiles, and leaves word
  // for the next launch: all have read what the last one left.
  int number = 0;
  (leave_part(l, part, number), ...);
  if (!last_to_come(l.counter, static_cast<unsigned>(l.blocks))) return;
  if (threadIdx.x == 0) {
    *l.turn = turn;
    l.result[0] = done;
    l.result[1] = reached;
    l.result[2] = verdict_in;
    l.result[3] = static_cast<int>(look);
  }
  number = 0;
  (join_parts(l, part, number), ...);
}

} // namespace detail
} // namespace tasuki
