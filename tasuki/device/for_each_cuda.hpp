// for_each on a GPU: one kernel for all boxes, tiles of cells over thread blocks.
#pragma once

#include <tasuki/device/for_each.hpp>

#include <cuda_runtime.h>

namespace tasuki::detail {

inline constexpr int kTileBoxes = 8; // boxes of one launch
inline constexpr int kLogBlock = 8;
inline constexpr unsigned kEnoughBlocks = 256; // for every processor to have some
static_assert(1 << kLogBlock == kBlock);

// A box cut into tiles. Threads of a block lie 2^log along each axis.
template <int D>
struct TiledBox {
  int lo[D], n[D]; // cells
  int skip;        // cells before lo along x, so that warps begin where cache lines do
  int tiles[D];
  int log[D];
  unsigned first_block;
};

template <int D>
struct Tiling {
  TiledBox<D> box[kTileBoxes];
  int boxes;
  unsigned blocks;
};

// Cells that one thread walks along the slowest axis: enough loads in flight for the memory, and rows that it has
// read already serve the next cell from registers.
constexpr int cells_a_thread(int read_bytes) {
  return read_bytes <= 0 ? 4 : read_bytes <= 4 ? 8 : read_bytes <= 8 ? 4 : read_bytes <= 16 ? 2 : 1;
}

// Thread blocks that a processor shall have at once, where a cell function says so (kBlocksAtOnce): one that waits for
// many short loads needs more threads than the compiler leaves registers for.
template <class F>
constexpr int blocks_at_once() {
  if constexpr (requires { F::kBlocksAtOnce; })
    return F::kBlocksAtOnce;
  else
    return 1;
}

template <class B>
struct CudaPart;

template <class View, int Bytes>
struct CudaPart<BoundView<View, Bytes>> {
  View view;
  __device__ CudaPart(const BoundView<View, Bytes>& b, long long*) : view(b.view) {}
  template <Count>
  __device__ __forceinline__ const View& pass() const {
    return view;
  }
  __device__ void finish(const BoundView<View, Bytes>&) {}
  __device__ void find(const BoundView<View, Bytes>&) {}
  __device__ void fold(const BoundView<View, Bytes>&) {}
};

template <class V>
__device__ V shuffle_down(V value, int by) {
  static_assert(sizeof(V) % 4 == 0);
  int words[sizeof(V) / 4];
  memcpy(words, &value, sizeof(V));
  for (int& word : words) word = __shfl_down_sync(0xffffffffu, word, by);
  memcpy(&value, words, sizeof(V));
  return value;
}

// Of all threads of the block, in an order that depends on nothing but their number; thread 0 has the result.
template <class Op>
__device__ typename Op::Value block_fold(typename Op::Value value) {
  using Value = typename Op::Value;
  __shared__ Value warps[kBlock / 32];
  for (int by = 16; by > 0; by /= 2) value = Op::combine(value, shuffle_down(value, by));
  __syncthreads(); // an earlier fold may still be read
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < kBlock / 32; ++w) value = Op::combine(value, warps[w]);
  return value;
}

// True in all threads of the block that is the last of `of` to come here. Resets the counter.
__device__ inline bool last_to_come(unsigned* counter, unsigned of) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicInc(counter, of - 1) == of - 1;
    __threadfence();
  }
  __syncthreads();
  return last;
}

// Past the L1 cache, where another block's value would not show.
template <class V>
__device__ V load_past_l1(const V* p) {
  V value;
  int words[sizeof(V) / 4];
  for (unsigned k = 0; k < sizeof(V) / 4; ++k) words[k] = __ldcg(reinterpret_cast<const int*>(p) + k);
  memcpy(&value, words, sizeof(V));
  return value;
}

template <class Op>
struct CudaPart<BoundTally<Op, false>> {
  Running<Op> running;
  __device__ CudaPart(const BoundTally<Op, false>&, long long*) : running{Op::identity()} {}
  template <Count count>
  __device__ __forceinline__ Tally<Op, Running<Op>, count> pass() {
    return {&running};
  }

  // One value a warp, no waiting for other warps: fold() or fold_kernel makes them one.
  __device__ void finish(const BoundTally<Op, false>& b) {
    typename Op::Value value = running.value;
    for (int by = 16; by > 0; by /= 2) value = Op::combine(value, shuffle_down(value, by));
    if (threadIdx.x % 32 == 0) b.partials[blockIdx.x * (kBlock / 32) + threadIdx.x / 32] = value;
  }

  // In the order of a fold_kernel of one block, by the block that comes last: what each thread finds, for all sums
  // before the threads' findings become one for any, so that their loads are on their way together.
  __device__ void find(const BoundTally<Op, false>& b) {
    running.value = Op::identity();
    for (unsigned k = threadIdx.x; k < gridDim.x * (kBlock / 32); k += kBlock)
      running.value = Op::combine(running.value, load_past_l1(b.partials + k));
  }
  __device__ void fold(const BoundTally<Op, false>& b) {
    const typename Op::Value value = block_fold<Op>(running.value);
    if (threadIdx.x == 0) *b.slot = b.first ? value : Op::combine(*b.slot, value);
  }
};

// Folds n partial results into the slot: blocks fold their shares, the last to come folds those, all in an order that
// depends on nothing but n.
template <class Op>
__device__ void fold_partials(const BoundTally<Op, false>& b, long n) {
  using Value = typename Op::Value;
  Value* const shares = b.partials + n;
  const long from = n * blockIdx.x / gridDim.x, to = n * (blockIdx.x + 1) / gridDim.x;
  Value value = Op::identity();
  for (long k = from + threadIdx.x; k < to; k += kBlock) value = Op::combine(value, b.partials[k]);
  value = block_fold<Op>(value);
  if (threadIdx.x == 0) shares[blockIdx.x] = value;
  if (!last_to_come(b.counters, gridDim.x)) return;
  value = Op::identity();
  if (threadIdx.x < gridDim.x) value = load_past_l1(shares + threadIdx.x);
  value = block_fold<Op>(value);
  if (threadIdx.x == 0) *b.slot = b.first ? value : Op::combine(*b.slot, value);
}

// A row of blocks for each reduction.
template <class... T>
__global__ void __launch_bounds__(kBlock) fold_kernel(long n, T... tallies) {
  unsigned number = 0;
  ((number++ == blockIdx.y ? fold_partials(tallies, n) : void()), ...);
}

template <class Op>
struct CudaPart<BoundTally<Op, true>> {
  long long* block_digits; // shared memory: one set a warp, so that warps do not queue for a digit
  RunningExact running;
  __device__ CudaPart(const BoundTally<Op, true>&, long long* shared)
      : block_digits(shared), running{shared + threadIdx.x / 32 * ExactSum::kSize} {
    for (int k = threadIdx.x; k < kBlock / 32 * ExactSum::kSize; k += kBlock) block_digits[k] = 0;
    __syncthreads();
  }
  template <Count count>
  __device__ __forceinline__ Tally<Op, RunningExact, count> pass() {
    return {&running};
  }

  __device__ void finish(const BoundTally<Op, true>& b) {
    __syncthreads();
    const int k = threadIdx.x;
    if (k >= ExactSum::kSize) return;
    long long sum = 0;
    for (int w = 0; w < kBlock / 32; ++w) sum += block_digits[w * ExactSum::kSize + k];
    if (sum == 0) return;
    const auto add = [&](int digit, long long amount) {
      atomicAdd(reinterpret_cast<unsigned long long*>(b.digits + digit),
                static_cast<unsigned long long>(amount));
    };
    if (k >= ExactSum::kDigits - 1) {
      add(k, sum);
    } else { // what exceeds 32 bits goes to the next digit: then as many blocks can add as a launch can have
      add(k, sum & 0xffffffffll);
      add(k + 1, sum >> 32);
    }
  }
  __device__ void find(const BoundTally<Op, true>&) {}
  __device__ void fold(const BoundTally<Op, true>&) {}
};

template <class B>
inline constexpr bool has_partials = false;
template <class Op>
inline constexpr bool has_partials<BoundTally<Op, false>> = true;

template <class B>
constexpr int exact_sets() {
  if constexpr (B::tallies)
    return B::exact ? 1 : 0;
  else
    return 0;
}

template <bool Tallied, int D, int U, class F, class... P>
__device__ __forceinline__ void walk_tile(const Geometry<D>& g, const TiledBox<D>& box, unsigned tile,
                                          const F& f, P&... parts) {
  // The cells of this thread: x, y from its place in the block, U of them along the last axis.
  constexpr int last = D - 1;
  int at[D];
  int thread = threadIdx.x;
  bool within = true; // this thread has cells
  bool whole = true;  // all U of them lie in the box
  bool owned = true;  // so does the whole tile, and in the block
#pragma unroll
  for (int a = 0; a < D; ++a) {
    const int t = static_cast<int>(tile % box.tiles[a]);
    tile /= box.tiles[a];
    const int cells = (a == last ? U : 1) << box.log[a];
    const int in = (thread & ((1 << box.log[a]) - 1)) * (a == last && D > 1 ? U : 1);
    thread >>= box.log[a];
    const int start = t * cells - (a == 0 ? box.skip : 0);
    at[a] = start + in;
    within = within && at[a] >= 0 && at[a] < box.n[a];
    if (a == last) whole = start + cells <= box.n[a];
    if constexpr (Tallied)
      owned = owned && start >= 0 && box.lo[a] + start >= 0 && start + cells <= box.n[a] &&
              box.lo[a] + start + cells <= g.owned[a];
  }
  if (!within || thread != 0) return;
  const int step = D == 1 ? kBlock : 1;
  Cell<D> c{g, 0, {}};
  long base = 0;
#pragma unroll
  for (int a = 0; a < D; ++a) {
    c.x[a] = box.lo[a] + at[a];
    base += c.x[a] * (a == 0 ? 1 : g.stride[a]);
  }
  const long stride = (last == 0 ? 1 : g.stride[last]) * step;
  const auto cell = [&](int k) {
    Cell<D> here = c;
    here.x[last] += k * step;
    here.i = base + k * stride;
    return here;
  };
  if (whole && owned) {
#pragma unroll
    for (int k = 0; k < U; ++k) f(cell(k), parts.template pass<Count::all>()...);
    return;
  }
#pragma unroll 1
  for (int k = 0; k < U && at[last] + k * step < box.n[last]; ++k)
    f(cell(k), parts.template pass<Count::owned>()...);
}

template <class B>
struct WithPart {
  const B& bound;
  CudaPart<B> part;
  __device__ WithPart(const B& b, long long* shared) : bound(b), part(b, shared) {}
  template <Count count>
  __device__ __forceinline__ decltype(auto) pass() {
    return part.template pass<count>();
  }
  __device__ void finish() { part.finish(bound); }
  __device__ void find() { part.find(bound); }
  __device__ void fold() { part.fold(bound); }
  // Of a sweep whose last block folds, which all of its reductions agree on: what blocks are counted by. Else null.
  __device__ unsigned* counter() const {
    if constexpr (has_partials<B>)
      return bound.folds ? bound.counters : nullptr;
    else
      return nullptr;
  }
};

template <bool Tallied, int D, int U, class F, class... W>
__device__ __forceinline__ void block_work(const Geometry<D>& g, const Tiling<D>& tiling, const F& f,
                                           W&&... with) {
  int b = 0;
  while (b + 1 < tiling.boxes && blockIdx.x >= tiling.box[b + 1].first_block) ++b;
  walk_tile<Tallied, D, U>(g, tiling.box[b], blockIdx.x - tiling.box[b].first_block, f, with...);
  (with.finish(), ...);
  unsigned* counter = nullptr;
  ((counter = counter ? counter : with.counter()), ...);
  if (!counter || !last_to_come(counter, gridDim.x)) return;
  (with.find(), ...);
  (with.fold(), ...);
}

template <int D, int U, class F, class... B>
__global__ void __launch_bounds__(kBlock, blocks_at_once<F>())
    sweep_kernel(const __grid_constant__ Geometry<D> g, const __grid_constant__ Tiling<D> tiling, F f,
                 B... bound) {
  constexpr int sets = (exact_sets<B>() + ... + 0);
  __shared__ long long digits[sets > 0 ? sets * (kBlock / 32) * ExactSum::kSize : 1];
  int next = 0; // each exact tally has its own digits
  const auto set = [&](bool exact) {
    long long* mine = digits + next * (kBlock / 32) * ExactSum::kSize;
    next += exact;
    return mine;
  };
  block_work<(B::tallies || ...), D, U>(g, tiling, f, WithPart<B>{bound, set(exact_sets<B>() != 0)}...);
}

template <int D>
Tiling<D> tiling_of(const Box* boxes, int count, int unroll) {
  Tiling<D> t{};
  for (int b = 0; b < count; ++b) {
    if (boxes[b].empty()) continue;
    TiledBox<D>& box = t.box[t.boxes++];
    // Whole warps along x, wider where the rows are long; threads that find no cells along an axis go to the next.
    int left = kLogBlock;
    for (int a = 0; a < D; ++a) {
      const int each = a == D - 1 ? unroll : 1;
      const long cells = (boxes[b].extent(a) + each - 1) / each;
      int log = std::min(left, a > 0 || D == 1 ? left : D == 2 ? 7 : 6);
      while (D > 1 && log > 0 && (1L << (log - 1)) >= cells) --log;
      box.log[a] = log;
      left -= log;
    }
    box.first_block = t.blocks;
    // The first owned cell of every row begins a line (Layout).
    box.skip = D > 1 && box.log[0] >= 5 ? static_cast<int>(boxes[b].lo[0] & 31) : 0;
    const auto cut = [&] {
      unsigned tiles = 1;
      for (int a = 0; a < D; ++a) {
        box.lo[a] = static_cast<int>(boxes[b].lo[a]);
        box.n[a] = static_cast<int>(boxes[b].extent(a));
        const int cells = (a == D - 1 ? unroll : 1) << box.log[a];
        box.tiles[a] = (box.n[a] + (a == 0 ? box.skip : 0) + cells - 1) / cells;
        tiles *= static_cast<unsigned>(box.tiles[a]);
      }
      return tiles;
    };
    unsigned tiles = cut();
    // Few cells are better spread over all processors than packed into full blocks.
    for (int a = D - 1; a > 1; --a)
      for (; tiles < kEnoughBlocks && box.log[a] > 0; tiles = cut()) --box.log[a];
    t.blocks += tiles;
  }
  return t;
}

inline int boxes_of_launch(const std::vector<Box>& boxes, std::size_t at) {
  return static_cast<int>(std::min<std::size_t>(kTileBoxes, boxes.size() - at));
}

void check_launch(const char* what); // throws Error with CUDA's own words

template <class Op>
__global__ void empty_slot_kernel(typename Op::Value* slot) {
  *slot = Op::identity();
}

template <class B>
void start_slot_cuda(cudaStream_t stream, const B& b, bool empty) {
  if constexpr (B::tallies) {
    if (!b.first) return;
    if constexpr (B::exact) cudaMemsetAsync(b.digits, 0, sizeof(ExactSum), stream);
    if (empty && !B::exact) {
      empty_slot_kernel<typename B::Operation><<<1, 1, 0, stream>>>(b.slot);
      check_launch("a sweep of no cells");
    }
  }
}

// Blocks of the largest launch over these boxes: how many parts a reduction can have.
template <int D>
long most_blocks(const std::vector<Box>& boxes, int unroll) {
  unsigned most = 0;
  for (std::size_t at = 0; at < boxes.size(); at += kTileBoxes)
    most = std::max(most, tiling_of<D>(&boxes[at], boxes_of_launch(boxes, at), unroll).blocks);
  return most;
}

template <class B>
auto partials_of(const B& b) {
  if constexpr (has_partials<B>)
    return std::tuple<B>(b);
  else
    return std::tuple<>();
}
// What a sweep of so many blocks has left of its reductions, where its last block has not done it.
template <class... B>
void fold(cudaStream_t stream, unsigned blocks, const B&... bound) {
  std::apply(
      [&](const auto&... tallies) {
        constexpr unsigned kTallies = sizeof...(tallies);
        if constexpr (kTallies > 0) {
          if ((tallies.folds || ...)) return;
          const long n = static_cast<long>(blocks) * (kBlock / 32);
          const auto folders =
              static_cast<unsigned>(std::clamp(n / (8 * kBlock), 1L, static_cast<long>(kBlock)));
          fold_kernel<<<dim3(folders, kTallies), kBlock, 0, stream>>>(n, tallies...);
        }
      },
      std::tuple_cat(partials_of(bound)...));
}

// A kernel after the sweep costs more than a few hundred values, and less than a wait of every block of many.
template <class B>
B folding(B b, unsigned blocks) {
  constexpr unsigned kFewBlocks = 256;
  if constexpr (B::tallies) b.folds = !B::exact && blocks <= kFewBlocks;
  return b;
}

template <class B>
B continued(B b) {
  if constexpr (B::tallies) b.first = false;
  return b;
}

template <int D, class F, class... B>
void for_each_cuda(Stream& stream, const Geometry<D>& g, const std::vector<Box>& boxes, const F& f,
                   const B&... bound) {
  constexpr int unroll = cells_a_thread((B::read_bytes + ... + 0));
  auto* handle = static_cast<cudaStream_t>(stream.handle());
  long cells = 0;
  for (const Box& box : boxes) cells += box.cells();
  (start_slot_cuda(handle, bound, cells == 0), ...);
  bool first = true;
  for (std::size_t at = 0; at < boxes.size(); at += kTileBoxes) {
    const Tiling<D> tiling = tiling_of<D>(&boxes[at], boxes_of_launch(boxes, at), unroll);
    if (tiling.blocks == 0) continue;
    const auto launch = [&](const B&... with) {
      sweep_kernel<D, unroll, F, B...><<<tiling.blocks, kBlock, 0, handle>>>(g, tiling, f, with...);
      fold(handle, tiling.blocks, with...);
    };
    if (first)
      launch(folding(bound, tiling.blocks)...);
    else
      launch(folding(continued(bound), tiling.blocks)...);
    check_launch("a sweep");
    first = false;
  }
}

} // namespace tasuki::detail
