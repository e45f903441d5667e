// Memory in the order of a stream, pools, and several copies by one call.
#include <cstdint>
#include <vector>

#include "check.cuh"

__global__ void set(int* x, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value;
}

int main() {
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  const int n = 100000;
  std::vector<int> here(n);
  for (int round = 0; round < 50; ++round) {
    int* x;
    OK(cudaMallocAsync(&x, n * sizeof(int), stream));
    set<<<(n + 255) / 256, 256, 0, stream>>>(x, n, round);
    OK(cudaMemcpyAsync(here.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    OK(cudaFreeAsync(x, stream));
    OK(cudaStreamSynchronize(stream));
    IS(here[0] == round && here[n - 1] == round);
  }
  cudaMemPool_t pool, mine, got;
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  OK(cudaDeviceGetMemPool(&got, 0));
  IS(got == pool);
  cudaMemLocation location = {};
  location.type = cudaMemLocationTypeDevice;
  OK(cudaMemGetDefaultMemPool(&got, &location, cudaMemAllocationTypePinned));
  IS(got == pool);
  std::uint64_t threshold = 1 << 20, back = 0;
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &back));
  IS(back == threshold);
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location = location;
  OK(cudaMemPoolCreate(&mine, &props));
  cudaMemAccessFlags access;
  OK(cudaMemPoolGetAccess(&access, mine, &location));
  IS(access == cudaMemAccessFlagsProtReadWrite);
  cudaMemAccessDesc description = {location, cudaMemAccessFlagsProtReadWrite};
  OK(cudaMemPoolSetAccess(mine, &description, 1));
  OK(cudaDeviceSetMemPool(0, mine));
  OK(cudaMemSetMemPool(&location, cudaMemAllocationTypePinned, mine));
  OK(cudaMemGetMemPool(&got, &location, cudaMemAllocationTypePinned));
  IS(got == mine);
  int *a, *b;
  OK(cudaMallocFromPoolAsync(&a, n * sizeof(int), mine, stream));
  OK(cudaMallocAsync(&b, n * sizeof(int), stream));
  std::vector<int> ones(n, 1), twos(n, 2);
  void* to[] = {a, b};
  const void* from[] = {ones.data(), twos.data()};
  size_t sizes[] = {n * sizeof(int), n * sizeof(int)}, first = 0;
  cudaMemcpyAttributes how = {};
  how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  OK(cudaMemcpyBatchAsync(to, from, sizes, 2, &how, &first, 1, stream));
  OK(cudaMemcpyAsync(here.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  IS(here == twos);
  OK(cudaFreeAsync(a, stream));
  OK(cudaFreeAsync(b, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaMemPoolTrimTo(mine, 0));
  OK(cudaDeviceSetMemPool(0, pool));
  OK(cudaMemPoolDestroy(mine));
  std::puts("pools: well");
}
