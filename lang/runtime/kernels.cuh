// The building blocks of kernels for OpenACC loops: the only include of the CUDA files that `tasuki cc` generates.
//
//     for (int j = 1; j < n; j++)                     static __global__ void tsk_grid_3(tsk_steps tsk_0, tsk_steps tsk_1, ..)
//       for (int i = 1; i < n; i++) ..            ->    for (tsk_tile ..) if (..) { int j = .., i = ..; .. }
//                                                     extern "C" const char* tsk_kernel_3(const tsk_launch*, const tsk_run*, ..)
//
// The innermost loop runs along x of the thread blocks, so that memory access is coalesced. Blocks are tiles of 256
// or 64 x 4 threads. A block reduces its values in a fixed tree, and another block the results of all, likewise.
// The number of blocks depends on the loop only, so a sum has the same bits on every GPU and in every run.
#pragma once

#include "translated.h"

#define restrict __restrict__
#define _Bool bool
#define _Static_assert static_assert

// The iterations of a parallel loop: its variable has the values first + turn * step.
struct tsk_steps {
  long first, last, step, turns;
};

static inline tsk_steps tsk_steps_of(tsk_run run) {
  const long way = run.step > 0 ? 1 : -1, span = (run.last - run.first) * way, step = run.step * way;
  return {run.first, run.last, run.step, span <= 0 ? 0 : (span + step - 1) / step};
}

// tsk_local of translated.h, for device code.
static __device__ inline long tsk_own(const tsk_array& a, int d, long g) {
  const long o = g - a.origin[d];
  return a.linear[d] ? g : o / a.cycle[d] * a.width[d] + o % a.width[d];
}

#define TSK_FIRST(axis) ((long)blockIdx.axis * blockDim.axis + threadIdx.axis)
#define TSK_ALL_BLOCKS ((long)gridDim.x * gridDim.y * gridDim.z)
#define TSK_STRIDE(axis) ((long)gridDim.axis * blockDim.axis)
// The iterations along an axis: a thread does every TSK_STRIDE-th, or one (TSK_ONCE) if there are as many threads. Not
// unrolled: most threads have one iteration, and the division that counts iterations takes longer than a cell.
#define TSK_FOR(axis, turn, turns) \
  _Pragma("unroll 1") for (long turn = TSK_FIRST(axis); turn < (turns); turn += TSK_STRIDE(axis))
#define TSK_ONCE(axis, turn, turns) for (long turn = TSK_FIRST(axis); turn < (turns); turn = (turns))
// Over several axes blocks are tiles of cells. Without sums there is a thread a cell, and no loop in a kernel, which would take
// more registers. For sums, few blocks process all tiles, which are numbered along x, y and z, in one loop.
#define TSK_IN_TILE(number, axis) ((long)(number)*blockDim.axis + threadIdx.axis)
struct tsk_tiles {
  unsigned x, y, z;
};

constexpr int kTskThreads = 256, TSK_MOST = 1024; // threads of a block: of ours; the most that one may have
constexpr long kTskBlocks = TSK_BLOCKS, kTskBlocksOfArrays = TSK_BLOCKS_OF_ARRAYS,
               kTskMostBlocks = 0x7fffffff; // of a grid

struct tsk_shape {
  dim3 grid, block;
  const char* wrong = nullptr;
  tsk_tiles tiles = {}; // over several axes
  long blocks() const { return (long)grid.x * grid.y * grid.z; }
  // The grid of a launch that begins with these tiles along y and z, of which a grid has few.
  static constexpr unsigned kMostAlong = 65535;
  dim3 grid_from(unsigned y, unsigned z) const {
    const auto rest = [](unsigned all, unsigned from) {
      return all - from < kMostAlong ? all - from : kMostAlong;
    };
    return dim3(tiles.x, rest(tiles.y, y), rest(tiles.z, z));
  }
};
#define TSK_EACH_GRID(from_y, from_z, shape)                                           \
  for (unsigned from_z = 0; from_z < (shape).tiles.z; from_z += tsk_shape::kMostAlong) \
    for (unsigned from_y = 0; from_y < (shape).tiles.y; from_y += tsk_shape::kMostAlong)

// x, y, z: iterations along each axis; axes: the number of axes. With 0 axes, one thread does all iterations in order.
// Without iterations there are no blocks. The grid is one-dimensional, of at most `most` blocks.
static inline tsk_shape tsk_shape_of(int axes, long x, long y, long z, long most) {
  if (axes == 0) return {dim3(1), dim3(1)};
  if (x == 0 || y == 0 || z == 0) return {dim3(0), dim3(1)};
  // Rows of several warps: what two of them share of a line is loaded once.
  const long wide = axes > 1 ? 64 : kTskThreads, high = kTskThreads / wide;
  const tsk_tiles tiles = {(unsigned)((x + wide - 1) / wide), (unsigned)((y + high - 1) / high), (unsigned)z};
  const long all = (long)tiles.x * tiles.y * tiles.z;
  return {dim3(all < most ? all : most), dim3(wide, high), nullptr, tiles};
}

// --acc-mapping asked: `gangs` blocks of `workers` x `length` threads, where 0 is none asked for. turns: those of the
// loops of gangs, and all others'. The flags: which levels the nest uses, and which of them the loops of gangs are shared
// among too.
static inline tsk_shape tsk_asked_shape(long gangs, long workers, long length, long turns, long others,
                                        bool has_workers, bool has_vector, bool worker_too, bool vector_too,
                                        long sums) {
  const long high = !has_workers ? 1 : workers > 0 ? workers : 4;
  const long wide = !has_vector ? 1 : length > 0 ? length : 128;
  if (high * wide > TSK_MOST)
    return {dim3(0), dim3(1),
            "num_workers times vector_length is more than 1024, the most threads of a block"};
  if (turns <= 0 || others <= 0) return {dim3(0), dim3(1)};
  const long each = (worker_too ? high : 1) * (vector_too ? wide : 1);
  const long blocks = gangs > 0 ? gangs : (turns + each - 1) / each;
  const long most = sums > 0 ? sums : kTskMostBlocks;
  return {dim3(blocks < most ? blocks : most), dim3(wide, high)};
}
// The first of a thread's turns in a loop that is shared among gangs, workers, lanes, and how far its turns are apart.
template <bool kGang, bool kWorker, bool kVector>
static __device__ inline long tsk_first() {
  const long row = kGang ? blockIdx.x : 0, place = kWorker ? row * blockDim.y + threadIdx.y : row;
  return kVector ? place * blockDim.x + threadIdx.x : place;
}
template <bool kGang, bool kWorker, bool kVector>
static __device__ inline long tsk_apart() {
  return (long)(kGang ? gridDim.x : 1) * (kWorker ? blockDim.y : 1) * (kVector ? blockDim.x : 1);
}
#define TSK_ASKED(turn, turns, gang, worker, vector)                                      \
  _Pragma("unroll 1") for (long turn = tsk_first<gang, worker, vector>(); turn < (turns); \
                           turn += tsk_apart<gang, worker, vector>())

struct tsk_plus {
  template <class T>
  static __host__ __device__ T of(T a, T b) {
    return a + b;
  }
};
struct tsk_times {
  template <class T>
  static __host__ __device__ T of(T a, T b) {
    return a * b;
  }
};
struct tsk_most {
  template <class T>
  static __host__ __device__ T of(T a, T b) {
    return a > b ? a : b;
  }
};
struct tsk_least {
  template <class T>
  static __host__ __device__ T of(T a, T b) {
    return a < b ? a : b;
  }
};
struct tsk_bits_and {
  template <class T>
  static __host__ __device__ T of(T a, T b) {
    return a & b;
  }
};
struct tsk_bits_or {
  template <class T>
  static __host__ __device__ T of(T a, T b) {
    return a | b;
  }
};
struct tsk_bits_xor {
  template <class T>
  static __host__ __device__ T of(T a, T b) {
    return a ^ b;
  }
};
struct tsk_both {
  template <class T>
  static __host__ __device__ T of(T a, T b) {
    return a && b;
  }
};
struct tsk_either {
  template <class T>
  static __host__ __device__ T of(T a, T b) {
    return a || b;
  }
};

// Reduces the values of a block's threads, in a fixed tree, and returns the result to all of them. Every thread of the
// block must call it.
template <class Op, int kMost = kTskThreads, class T>
static __device__ T tsk_all(T mine) {
  __shared__ T all[kMost];
  const int me = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  all[me] = mine;
  __syncthreads();
  for (int left = blockDim.x * blockDim.y * blockDim.z; left > 1;) {
    const int half = (left + 1) / 2;
    if (me + half < left) all[me] = Op::of(all[me], all[me + half]);
    __syncthreads();
    left = half;
  }
  const T made = all[0];
  __syncthreads();
  return made;
}
// The same, into part[block].
template <class Op, int kMost = kTskThreads, class T>
static __device__ void tsk_fold(T mine, T* part) {
  const T made = tsk_all<Op, kMost>(mine);
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0)
    part[((long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = made;
}

// The scratch memory of a launch, from which pieces are allocated: for sums, and for scalars that the kernel writes.
struct tsk_pieces {
  const tsk_launch* launch;
  char* next;
  explicit tsk_pieces(const tsk_launch* l) : launch(l), next((char*)l->scratch) {}
  cudaStream_t stream() const { return (cudaStream_t)launch->stream; }
  template <class T>
  T* take(long count) {
    T* const piece = (T*)next;
    next += (count * (long)sizeof(T) + 15) / 16 * 16;
    return piece;
  }
};

template <class T>
static T* tsk_lend(tsk_pieces& pieces, const T* value) {
  T* const there = pieces.take<T>(1);
  cudaMemcpyAsync(there, value, sizeof(T), cudaMemcpyHostToDevice, pieces.stream());
  return there;
}
template <class T>
static void tsk_return(tsk_pieces& pieces, T* value, const T* there) {
  cudaMemcpyAsync(value, there, sizeof(T), cudaMemcpyDeviceToHost, pieces.stream());
  cudaStreamSynchronize(pieces.stream());
}
// One block adds what all blocks have summed to the `count` values in a cell, which begins as `start` where it is new.
template <class Op, class T>
static __global__ void tsk_gather(T* cell, const bool is_new, const T start, const T* parts, const long count,
                                  const long blocks) {
  for (long k = 0; k < count; ++k) {
    T mine = parts[k * blocks + threadIdx.x];
    for (long b = threadIdx.x + blockDim.x; b < blocks; b += blockDim.x)
      mine = Op::of(mine, parts[k * blocks + b]);
    mine = tsk_all<Op, TSK_MOST>(mine);
    if (threadIdx.x == 0) cell[k] = Op::of(is_new ? start : cell[k], mine);
  }
}
template <class Op, class T>
static void tsk_collect(tsk_pieces& pieces, T* value, const T* parts, long count, long blocks) {
  const tsk_cell cell = tsk_acc_cell(pieces.launch, value, count * (long)sizeof(T));
  const bool is_new = !cell.held && count == 1;
  if (!cell.held && count > 1)
    cudaMemcpyAsync(cell.at, value, count * sizeof(T), cudaMemcpyHostToDevice, pieces.stream());
  const int threads = (int)(blocks < TSK_MOST ? blocks : TSK_MOST);
  tsk_gather<Op><<<1, threads, 0, pieces.stream()>>>((T*)cell.at, is_new, value[0], parts, count, blocks);
}

static inline const char* tsk_wrong() {
  const cudaError_t fault = cudaGetLastError();
  return fault == cudaSuccess ? nullptr : cudaGetErrorString(fault);
}

template <int kBytes>
struct tsk_word {
  using type = unsigned int;
};
template <>
struct tsk_word<8> {
  using type = unsigned long long;
};

// x = op(x), atomically; returns the previous x. For types of 4 and 8 bytes.
template <class T, class Op>
static __device__ T tsk_atomic(T* x, const Op& op) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomic takes numbers of 4 and 8 bytes");
  using Word = typename tsk_word<sizeof(T)>::type;
  Word seen = *(volatile Word*)x;
  while (true) {
    T old;
    memcpy(&old, &seen, sizeof(T));
    const T value = op(old);
    Word next;
    memcpy(&next, &value, sizeof(T));
    const Word found = atomicCAS((Word*)x, seen, next);
    if (found == seen) return old;
    seen = found;
  }
}

// Mathematical functions with C's argument types: C++ overloads sqrt for float, which would change the bits.
#define TSK_F1(name)                                                       \
  static __device__ inline double tsk_##name(double x) { return name(x); } \
  static __device__ inline float tsk_##name##f(float x) { return name##f(x); }
#define TSK_F2(name)                                                                    \
  static __device__ inline double tsk_##name(double x, double y) { return name(x, y); } \
  static __device__ inline float tsk_##name##f(float x, float y) { return name##f(x, y); }
// clang-format off
TSK_F1(acos) TSK_F1(asin) TSK_F1(atan) TSK_F1(cbrt) TSK_F1(ceil) TSK_F1(cos) TSK_F1(cosh) TSK_F1(erf) TSK_F1(erfc)
TSK_F1(exp) TSK_F1(exp2) TSK_F1(expm1) TSK_F1(fabs) TSK_F1(floor) TSK_F1(log) TSK_F1(log10) TSK_F1(log1p) TSK_F1(log2)
TSK_F1(round) TSK_F1(sin) TSK_F1(sinh) TSK_F1(sqrt) TSK_F1(tan) TSK_F1(tanh) TSK_F1(trunc) TSK_F1(rint)
TSK_F2(atan2) TSK_F2(fmax) TSK_F2(fmin) TSK_F2(fmod) TSK_F2(hypot) TSK_F2(pow)
    // clang-format on
    static __device__ inline double tsk_fma(double x, double y, double z) {
  return fma(x, y, z);
}
static __device__ inline float tsk_fmaf(float x, float y, float z) { return fmaf(x, y, z); }
static __device__ inline long tsk_lround(double x) { return lround(x); }
static __device__ inline long tsk_lroundf(float x) { return lroundf(x); }
static __device__ inline int tsk_abs(int x) { return x < 0 ? -x : x; }
static __device__ inline long tsk_labs(long x) { return x < 0 ? -x : x; }
#undef TSK_F1
#undef TSK_F2
