// Functions of the driver by their names: streams that wait for words and write them, and where memory lies.
#include <cuda.h>
#include <cudaTypedefs.h>

#include "check.cuh"

__global__ void store(unsigned* to, unsigned value) { *reinterpret_cast<volatile unsigned*>(to) = value; }

template <class Function>
Function entry(const char* name, unsigned version) {
  void* at = nullptr;
  cudaDriverEntryPointQueryResult found;
  OK(cudaGetDriverEntryPointByVersion(name, &at, version, cudaEnableDefault, &found));
  IS(found == cudaDriverEntryPointSuccess && at);
  return reinterpret_cast<Function>(at);
}

int main() {
  unsigned *words, here[4] = {};
  OK(cudaMalloc(&words, 64));
  OK(cudaMemset(words, 0, 64));
  cudaStream_t waits, writes;
  OK(cudaStreamCreateWithFlags(&waits, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&writes, cudaStreamNonBlocking));
  store<<<1, 1, 0, writes>>>(
      words + 12, 0); // a kernel is loaded at its first launch, which a stream that stands would hold up
  OK(cudaDeviceSynchronize());
  const auto at = reinterpret_cast<CUdeviceptr>(words);
  const auto wait32 = entry<PFN_cuStreamWaitValue32_v11070>("cuStreamWaitValue32", 11070);
  const auto wait64 = entry<PFN_cuStreamWaitValue64_v11070>("cuStreamWaitValue64", 11070);
  const auto write32 = entry<PFN_cuStreamWriteValue32_v11070>("cuStreamWriteValue32", 11070);
  const auto write64 = entry<PFN_cuStreamWriteValue64_v11070>("cuStreamWriteValue64", 11070);
  const auto batch = entry<PFN_cuStreamBatchMemOp_v11070>("cuStreamBatchMemOp", 11070);

  IS(wait32(waits, at, 7, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS);
  store<<<1, 1, 0, waits>>>(words + 8, 1);
  IS(cudaStreamQuery(waits) == cudaErrorNotReady); // it stands
  cudaGetLastError();
  IS(write32(writes, at, 9, 0) == CUDA_SUCCESS);
  OK(cudaStreamSynchronize(waits));
  IS(wait64(waits, at + 8, 1ull << 40, CU_STREAM_WAIT_VALUE_EQ) == CUDA_SUCCESS);
  store<<<1, 1, 0, waits>>>(words + 9, 2);
  IS(write64(writes, at + 8, 1ull << 40, 0) == CUDA_SUCCESS);
  OK(cudaStreamSynchronize(waits));
  CUstreamBatchMemOpParams several[2] = {};
  several[0].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  several[0].waitValue.address = at + 40; // what a kernel writes
  several[0].waitValue.value = 4;
  several[0].waitValue.flags = CU_STREAM_WAIT_VALUE_AND;
  several[1].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  several[1].writeValue.address = at + 44;
  several[1].writeValue.value = 11;
  IS(batch(waits, 2, several, 0) == CUDA_SUCCESS);
  store<<<1, 1, 0, writes>>>(words + 10, 6);
  OK(cudaStreamSynchronize(waits));
  OK(cudaMemcpy(here, words + 8, sizeof here, cudaMemcpyDeviceToHost));
  IS(here[0] == 1 && here[1] == 2 && here[2] == 6 && here[3] == 11);

  const auto range = entry<PFN_cuMemGetAddressRange_v3020>("cuMemGetAddressRange", 3020);
  CUdeviceptr base = 0;
  size_t bytes = 0;
  IS(range(&base, &bytes, at + 20) == CUDA_SUCCESS);
  IS(base == at && bytes >= 64);
  const auto attribute = entry<PFN_cuPointerGetAttribute_v4000>("cuPointerGetAttribute", 4000);
  CUmemorytype type = CU_MEMORYTYPE_HOST;
  int ordinal = -1;
  IS(attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at) == CUDA_SUCCESS && type == CU_MEMORYTYPE_DEVICE);
  IS(attribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at) == CUDA_SUCCESS && ordinal == 0);
  void* none = words;
  cudaDriverEntryPointQueryResult found;
  OK(cudaGetDriverEntryPointByVersion("cuNoSuchCall", &none, 12000, cudaEnableDefault, &found));
  IS(found == cudaDriverEntryPointSymbolNotFound && !none);
  OK(cudaGetDriverEntryPointByVersion("cuNoSuchCall", &none, 12000, cudaEnableDefault, nullptr));
  OK(cudaGetDriverEntryPointByVersion("cuStreamWaitValue32", &none, 7000, cudaEnableDefault, &found));
  IS(found == cudaDriverEntryPointVersionNotSufficent && !none);
  none = words; // and by the older call, which takes the runtime's version
  OK(cudaGetDriverEntryPoint("cuNoSuchCall", &none, cudaEnableDefault, &found));
  IS(found == cudaDriverEntryPointSymbolNotFound && !none);
  OK(cudaGetDriverEntryPoint("cuStreamWaitValue32", &none, cudaEnableDefault, &found));
  IS(found == cudaDriverEntryPointSuccess && none == reinterpret_cast<void*>(wait32));
  std::puts("entries: well");
}
