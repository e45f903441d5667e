// Memory, plain copies and fills; pinned memory of the host; addresses; memory that is out.
#include <cstring>
#include <vector>

#include "check.cuh"

struct Node {
  int value;
  Node* next;
};

__global__ void chain(Node* nodes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) nodes[i] = {i, i + 1 < n ? nodes + i + 1 : nullptr};
}

__global__ void walk(Node* first, int* sum) {
  for (Node* at = first; at; at = at->next) *sum += at->value;
}

int main() {
  size_t free = 0, total = 0, later = 0;
  OK(cudaMemGetInfo(&free, &total));
  IS(free <= total && free > 0);
  const size_t n = 9u << 20;
  unsigned char *x, *y;
  OK(cudaMalloc(&x, n));
  OK(cudaMalloc(&y, n));
  IS(reinterpret_cast<size_t>(x) % 256 == 0);
  std::vector<unsigned char> a(n), b(n);
  for (size_t i = 0; i < n; ++i) a[i] = static_cast<unsigned char>(i * 2654435761u >> 13);
  OK(cudaMemcpy(x, a.data(), n, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(y, x, n, cudaMemcpyDeviceToDevice));
  OK(cudaMemset(y + 100, 7, 50));
  OK(cudaMemsetAsync(y + 200, 9, 50, 0));
  OK(cudaMemcpy(b.data(), y, n, cudaMemcpyDeviceToHost));
  std::memset(&a[100], 7, 50);
  std::memset(&a[200], 9, 50);
  IS(a == b);
  OK(cudaMemcpy(b.data(), a.data(), 10, cudaMemcpyHostToHost));

  unsigned char *p, *q;
  cudaError_t (*const of_c)(void**, size_t) = cudaMallocHost; // by its name C++ calls cudaHostAlloc
  OK(of_c(reinterpret_cast<void**>(&p), n));
  OK(cudaHostAlloc(&q, n, cudaHostAllocPortable));
  unsigned flags = 0;
  OK(cudaHostGetFlags(&flags, q));
  IS(flags & cudaHostAllocPortable);
  std::memcpy(p, a.data(), n);
  std::memset(q, 0, n);
  OK(cudaMemcpyAsync(x, p, n, cudaMemcpyHostToDevice, 0));
  OK(cudaMemcpyAsync(q, x, n, cudaMemcpyDeviceToHost, 0));
  OK(cudaStreamSynchronize(0));
  IS(!std::memcmp(p, q, n));
  OK(cudaHostRegister(b.data(), n, cudaHostRegisterDefault));
  FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(b.data(), n, cudaHostRegisterDefault));

  cudaPointerAttributes about;
  OK(cudaPointerGetAttributes(&about, y + 5));
  IS(about.type == cudaMemoryTypeDevice && about.device == 0 && about.devicePointer == y + 5);
  OK(cudaPointerGetAttributes(&about, q));
  IS(about.type == cudaMemoryTypeHost);
  OK(cudaPointerGetAttributes(&about, &about));
  IS(about.type == cudaMemoryTypeUnregistered);
  OK(cudaHostUnregister(b.data()));
  OK(cudaFreeHost(p));
  OK(cudaFreeHost(q));

  Node* nodes; // addresses that kernels store are addresses
  int *sum, result = 0;
  OK(cudaMalloc(&nodes, 1000 * sizeof(Node)));
  OK(cudaMalloc(&sum, sizeof(int)));
  OK(cudaMemset(sum, 0, sizeof(int)));
  chain<<<8, 128>>>(nodes, 1000);
  walk<<<1, 1>>>(nodes, sum);
  OK(cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost));
  IS(result == 999 * 1000 / 2);

  const cudaChannelFormatDesc pair = cudaCreateChannelDesc(16, 32, 0, 8, cudaChannelFormatKindSigned);
  IS(pair.x == 16 && pair.y == 32 && pair.z == 0 && pair.w == 8 && pair.f == cudaChannelFormatKindSigned);

  void* much = &much;
  FAILS(cudaErrorMemoryAllocation, cudaMalloc(&much, total + (1u << 20)));
  OK(cudaMalloc(&much, 0));
  IS(much == nullptr);
  OK(cudaFree(x));
  OK(cudaFree(y));
  FAILS(cudaErrorInvalidValue, cudaFree(y));
  OK(cudaDeviceSynchronize());
  OK(cudaMemGetInfo(&later, &total));
  IS(later + (64u << 20) > free); // but for what the driver keeps
  std::puts("memory: well");
}
