#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/cuda_check.hpp>
#include <tasuki/device/signal/watch_device.hpp>

#include <cuda.h>
#include <cudaTypedefs.h>

#include <algorithm>
#include <string>

namespace tasuki::cuda {
namespace {

constexpr int kFlags = 32; // per warp: one per thread

struct FlagList {
  Flag* flag[kFlags];
};
struct AwaitedList {
  Awaited awaited[kFlags];
};

__device__ __forceinline__ void raise_all(const FlagList& list, int count, Flag value) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= count) return;
  // Stores of earlier kernels into a peer's memory become visible before the flag.
  __threadfence_system();
  store_flag(list.flag[i], value);
}

__device__ __forceinline__ void await_all(const AwaitedList& list, int count, Flag value,
                                          const WatchHandle& watch) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= count) return;
  spin_until(list.awaited[i].flag, value, watch, list.awaited[i].rank);
  __threadfence_system();
}

__global__ void raise_kernel(FlagList list, int count, Flag value) { raise_all(list, count, value); }

__global__ void await_kernel(AwaitedList list, int count, Flag value, WatchHandle watch) {
  await_all(list, count, value, watch);
}

// The next turn is the last turn + 1, which is read from device memory.
__global__ void raise_next_kernel(FlagList list, int count, const Flag* turn) {
  raise_all(list, count, *turn + 1);
}

__global__ void await_next_kernel(AwaitedList list, int count, Flag* turn, bool last, WatchHandle watch) {
  const Flag next = *turn + 1;
  await_all(list, count, next, watch);
  __syncwarp();
  if (last && threadIdx.x == 0) *turn = next;
}

// Calls launch(list, count, last) for every 32 flags; `last` is true for the last list.
template <class List, class Item, class Launch>
void by_warp(Item (List::*items)[kFlags], const std::vector<Item>& flags, const Launch& launch) {
  for (std::size_t first = 0; first < flags.size(); first += kFlags) {
    List list = {};
    const int count = static_cast<int>(std::min<std::size_t>(kFlags, flags.size() - first));
    std::copy_n(flags.begin() + static_cast<long>(first), count, list.*items);
    launch(list, count, first + kFlags >= flags.size());
    TASUKI_CUDA(cudaGetLastError());
  }
}

PFN_cuStreamBatchMemOp_v11070 batch_mem_op() {
  static const auto call = [] {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    // Remote GPUs have no local driver: there, a kernel waits.
    if (cudaGetDriverEntryPointByVersion("cuStreamBatchMemOp", &entry, 11070, cudaEnableDefault, &found) !=
        cudaSuccess)
      cudaGetLastError();
    return found == cudaDriverEntryPointSuccess ? reinterpret_cast<PFN_cuStreamBatchMemOp_v11070>(entry)
                                                : nullptr;
  }();
  return call;
}

CUresult enqueue_waits(void* stream, const std::vector<Awaited>& flags, Flag value) {
  constexpr std::size_t kMost =
      64; // operations a call: the driver refuses long lists (256 are refused on an H100)
  std::vector<CUstreamBatchMemOpParams> waits;
  for (std::size_t first = 0; first < flags.size(); first += waits.size()) {
    waits.assign(std::min(kMost, flags.size() - first), CUstreamBatchMemOpParams{});
    for (std::size_t i = 0; i < waits.size(); ++i) {
      auto& wait = waits[i].waitValue;
      wait.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
      wait.address = reinterpret_cast<CUdeviceptr>(flags[first + i].flag);
      wait.value = value;
      wait.flags = CU_STREAM_WAIT_VALUE_GEQ; // cyclic, so a sequence number may wrap around
    }
    const auto on = static_cast<CUstream>(stream);
    const CUresult fault = batch_mem_op()(on, static_cast<unsigned>(waits.size()), waits.data(), 0);
    if (fault != CUDA_SUCCESS) return fault;
  }
  return CUDA_SUCCESS;
}

// Tested by a call: a driver may export the function and still refuse it for this GPU.
bool try_stream_gate() {
  if (!batch_mem_op()) return false;
  Flag* zero = nullptr;
  TASUKI_CUDA(cudaMalloc(&zero, sizeof(Flag)));
  TASUKI_CUDA(cudaMemset(zero, 0, sizeof(Flag)));
  TASUKI_CUDA(cudaStreamSynchronize(nullptr));
  void* const stream = make_stream(true);
  const bool accepted = enqueue_waits(stream, {{zero}}, 0) == CUDA_SUCCESS;
  synchronize_stream(stream);
  free_stream(stream);
  TASUKI_CUDA(cudaFree(zero));
  return accepted;
}

} // namespace

bool has_stream_gate() {
  static const bool has = try_stream_gate();
  return has;
}

void raise_flags(void* stream, const std::vector<Flag*>& flags, Flag value) {
  by_warp(&FlagList::flag, flags, [&](const FlagList& list, int count, bool) {
    raise_kernel<<<1, kFlags, 0, static_cast<cudaStream_t>(stream)>>>(list, count, value);
  });
}

void await_flags(void* stream, const std::vector<Awaited>& flags, Flag value, Gate gate,
                 const WatchHandle& watch) {
  if (gate == Gate::kernel) {
    by_warp(&AwaitedList::awaited, flags, [&](const AwaitedList& list, int count, bool) {
      await_kernel<<<1, kFlags, 0, static_cast<cudaStream_t>(stream)>>>(list, count, value, watch);
    });
    return;
  }
  const CUresult fault = enqueue_waits(stream, flags, value);
  if (fault != CUDA_SUCCESS)
    throw Error("cuStreamBatchMemOp failed with CUDA driver error " + std::to_string(static_cast<int>(fault)),
                "set TASUKI_GATE=kernel to wait by a kernel");
}

void raise_next(void* stream, const std::vector<Flag*>& flags, const Flag* turn) {
  by_warp(&FlagList::flag, flags, [&](const FlagList& list, int count, bool) {
    raise_next_kernel<<<1, kFlags, 0, static_cast<cudaStream_t>(stream)>>>(list, count, turn);
  });
}

void await_next(void* stream, const std::vector<Awaited>& flags, Flag* turn, bool last,
                const WatchHandle& watch) {
  const auto launch = [&](const AwaitedList& list, int count, bool final) {
    await_next_kernel<<<1, kFlags, 0, static_cast<cudaStream_t>(stream)>>>(list, count, turn, last && final,
                                                                           watch);
  };
  if (flags.empty() && last) { // the turn must still be incremented
    launch({}, 0, true);
    TASUKI_CUDA(cudaGetLastError());
  }
  by_warp(&AwaitedList::awaited, flags, launch);
}

} // namespace tasuki::cuda
