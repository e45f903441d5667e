// Groups on a GPU: a thread block per item; each slot of a thread is a lane.
#pragma once

#include <tasuki/device/cuda_check.hpp>
#include <tasuki/device/group/group_shape.hpp>

#include <cuda_runtime.h>

namespace tasuki::detail {

extern __shared__ float4 group_memory[]; // float4 for its alignment

// Threads of a block, in whole warps. Slot s of thread t is lane i = s * threads + t.
inline int group_threads(int lanes, int slots) { return (lanes + slots * 32 - 1) / (slots * 32) * 32; }

template <int Slots>
class CudaGroup {
public:
  static constexpr int kChunk = 32; // a warp
  using Index = std::uint16_t;      // 16 bits: half the memory traffic
  // Several marks that a list stores together: read and written in one access.
  struct alignas(8) Marks {
    static constexpr int kCount = 4;
    std::uint32_t word[2];
    __device__ __forceinline__ std::uint32_t operator[](int k) const {
      return k % 2 == 0 ? word[k / 2] & 0xffffu : word[k / 2] >> 16;
    }
    __device__ __forceinline__ void push(std::uint32_t mark) { // drops the first
      word[0] = word[0] >> 16 | word[1] << 16;
      word[1] = word[1] >> 16 | mark << 16;
    }
  };
  template <class T>
  class Own {
  public:
    __device__ __forceinline__ T& operator[](int slot) { return values_[slot]; }
    __device__ __forceinline__ T& operator()(int, int slot) { return values_[slot]; }

  private:
    T values_[Slots];
  };

  // Elements of K words stored contiguously: one load per element.
  template <int K>
  class Words {
  public:
    __device__ __forceinline__ explicit Words(Element<K>* elements) : elements_(elements) {}
    __device__ __forceinline__ Element<K> operator[](int i) const { return elements_[i]; }
    __device__ __forceinline__ void put(int i, const Element<K>& e) const { elements_[i] = e; }
    // The mark of element i in a list: its byte offset. For up to 65536 / (4 K) elements.
    __device__ __forceinline__ static std::uint32_t mark(int i) {
      return static_cast<std::uint32_t>(i) * (4 * K);
    }
    __device__ __forceinline__ Element<K> at(std::uint32_t mark) const {
      return *reinterpret_cast<const Element<K>*>(reinterpret_cast<const char*>(elements_) + mark);
    }

  private:
    Element<K>* elements_;
  };

  __device__ CudaGroup(int lanes, char* scratch) : lanes_(lanes), scratch_(scratch) {}

  __device__ __forceinline__ int lanes() const { return lanes_; }
  __device__ __forceinline__ int chunks() const { return (lanes_ + kChunk - 1) / kChunk; }
  __device__ __forceinline__ char* scratch() const { return scratch_; }

  template <class T>
  __device__ __forceinline__ T* shared(int count) {
    T* at = reinterpret_cast<T*>(reinterpret_cast<char*>(group_memory) + kFolds + used_);
    used_ += (static_cast<unsigned>(count) * static_cast<unsigned>(sizeof(T)) + 15u) / 16u * 16u;
    return at;
  }
  template <class T>
  __device__ __forceinline__ Own<T> own() {
    return {};
  }

  // A value per lane that is used rarely: kept in shared memory, which reduces register pressure.
  template <class T>
  class Kept {
  public:
    __device__ __forceinline__ explicit Kept(T* values) : values_(values) {}
    __device__ __forceinline__ T& operator()(int i, int) const { return values_[i]; }

  private:
    T* values_;
  };
  template <class T>
  __device__ __forceinline__ Kept<T> kept() {
    return Kept<T>(shared<T>(lanes_));
  }

  template <int K>
  __device__ __forceinline__ Words<K> words(int count) {
    return Words<K>(shared<Element<K>>(count));
  }

  template <class F>
  __device__ __forceinline__ void each(const F& f) {
    mine(f);
    __syncthreads();
  }
  template <class F>
  __device__ __forceinline__ void each_of(int count, const F& f) {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) f(i);
    __syncthreads();
  }
  template <class F>
  __device__ __forceinline__ void once(const F& f) {
    if (threadIdx.x == 0) f();
    __syncthreads();
  }
  template <class F>
  __device__ __forceinline__ bool any(const F& f) {
    bool found = false;
    mine([&](int i, int slot) { found |= f(i, slot); });
    return __syncthreads_or(found);
  }
  // Sums over the slots of a thread, the threads of a warp, the warps of the block. All lanes get the result.
  template <class F>
  __device__ __forceinline__ double sum(const F& f) {
    double total = 0;
    mine([&](int i, int slot) { total += static_cast<double>(f(i, slot)); });
    for (int by = 16; by > 0; by /= 2) total += __shfl_down_sync(0xffffffffu, total, by);
    double* warps = reinterpret_cast<double*>(group_memory);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = total;
    __syncthreads();
    total = 0;
    for (unsigned w = 0; w < blockDim.x / 32; ++w) total += warps[w];
    __syncthreads();
    return total;
  }

  // All slots of a thread advance together: what add() reads for k is read once for all of them.
  template <class Begin, class Add, class End>
  __device__ __forceinline__ void accumulate(int trips, const Begin& begin, const Add& add, const End& end) {
    using State = decltype(begin(0, 0));
    State state[Slots];
#pragma unroll
    for (int s = 0; s < Slots; ++s) state[s] = begin(min(lane(s), lanes_ - 1), s);
#pragma unroll 2
    for (int k = 0; k < trips; ++k) {
#pragma unroll
      for (int s = 0; s < Slots; ++s) add(state[s], k, lane(s));
    }
#pragma unroll
    for (int s = 0; s < Slots; ++s)
      if (lane(s) < lanes_) end(lane(s), s, state[s]);
    __syncthreads();
  }
  // One chunk after the other, each with its own number of trips. load() for k + 1 overlaps add() for k; after the last
  // trip, load() is called once more, for 0.
  template <class Trips, class Begin, class Load, class Add, class End>
  __device__ __forceinline__ void gather(const Trips& trips, const Begin& begin, const Load& load,
                                         const Add& add, const End& end) {
#pragma unroll
    for (int s = 0; s < Slots; ++s) {
      const int i = lane_now(s);
      if (i >= lanes_) continue;
      const int count = trips(i / kChunk);
      auto next = load(i, 0);
      begin(i, s);
#pragma unroll 1
      for (int k = 1; k <= count; ++k) {
        const auto now = next;
        next = load(i, k < count ? k : 0);
        add(i, s, k - 1, now);
      }
      end(i, s);
    }
    __syncthreads();
  }

  template <class Keep, class Take, class Done>
  __device__ __forceinline__ void filter(int count, const Keep& keep, const Take& take, const Done& done) {
    const int own = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int s = 0; s < Slots; ++s) {
      const int chunk = lane(s) / kChunk;
      if (chunk >= chunks()) continue;
      int found = 0;
      for (int base = 0; base < count; base += 32) {
        const int k = base + own;
        const bool keeps = k < count && keep(chunk, k);
        const unsigned all = __ballot_sync(0xffffffffu, keeps);
        if (keeps) take(chunk, found + __popc(all & ((1u << own) - 1)), k);
        found += __popc(all);
      }
      if (own == 0) done(chunk, found);
    }
    __syncthreads();
  }

  static constexpr unsigned kFolds = 32 * sizeof(double); // of shared memory, for sums: one number per warp

private:
  __device__ __forceinline__ int lane(int slot) const {
    return static_cast<int>(static_cast<unsigned>(slot) * blockDim.x + threadIdx.x);
  }
  template <class F>
  __device__ __forceinline__ void mine(const F& f) {
#pragma unroll
    for (int s = 0; s < Slots; ++s) {
      const int i = lane_now(s);
      if (i < lanes_) f(i, s);
    }
  }
  // Recomputes the lane number, so that values derived from it do not occupy registers between phases.
  __device__ __forceinline__ int lane_now(int slot) const {
    unsigned thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return static_cast<int>(static_cast<unsigned>(slot) * blockDim.x + thread);
  }

  int lanes_;
  unsigned used_ = 0;
  char* scratch_;
};

// A body may define the most threads per block and the least resident blocks per multiprocessor, which bounds its
// registers: static constexpr int kThreads, kBlocks.
template <class Body>
constexpr int most_threads() {
  if constexpr (requires { Body::kThreads; })
    return Body::kThreads;
  else
    return 1024;
}
template <class Body>
constexpr int least_blocks() {
  if constexpr (requires { Body::kBlocks; })
    return Body::kBlocks;
  else
    return 1;
}

template <class Body, int Slots>
__global__ void __launch_bounds__(most_threads<Body>(), least_blocks<Body>())
    group_kernel(int lanes, char* scratch, std::size_t scratch_bytes, long count, Body body) {
  for (long item = blockIdx.x; item < count; item += gridDim.x) {
    CudaGroup<Slots> group(lanes, scratch + blockIdx.x * scratch_bytes);
    body(group, item);
    __syncthreads();
  }
}

template <class Body, int Slots>
long resident_groups(const GroupShape& shape, long most) {
  const int threads = group_threads(shape.lanes, Slots);
  const std::size_t shared = shape.shared + CudaGroup<Slots>::kFolds;
  if (threads > most_threads<Body>())
    throw Error("a group of " + std::to_string(shape.lanes) + " lanes takes " + std::to_string(threads) +
                    " threads, its body allows " + std::to_string(most_threads<Body>()),
                "give it more slots");
  int device = 0, processors = 0, blocks = 0;
  TASUKI_CUDA(cudaGetDevice(&device));
  TASUKI_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  TASUKI_CUDA(cudaFuncSetAttribute(reinterpret_cast<const void*>(group_kernel<Body, Slots>),
                                   cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  TASUKI_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, reinterpret_cast<const void*>(group_kernel<Body, Slots>), threads, shared));
  if (blocks == 0)
    throw Error(
        "a group of " + std::to_string(shape.lanes) + " lanes does not fit into a processor of the GPU",
        "give it fewer lanes, or less shared memory");
  return std::min<long>(most, static_cast<long>(processors) * blocks);
}

template <class Body, int Slots>
void launch_groups_cuda(cudaStream_t stream, const char* name, const GroupShape& shape, long groups,
                        char* scratch, long count, const Body& body) {
  const int threads = group_threads(shape.lanes, Slots);
  group_kernel<Body, Slots>
      <<<static_cast<unsigned>(groups), static_cast<unsigned>(threads),
         shape.shared + CudaGroup<Slots>::kFolds, stream>>>(shape.lanes, scratch, shape.scratch, count, body);
  const cudaError_t fault = cudaGetLastError();
  if (fault != cudaSuccess)
    throw Error(std::string("groups '") + name + "' cannot be launched: " + cudaGetErrorString(fault),
                cuda::mend_of(fault));
}

} // namespace tasuki::detail
