// Several devices: copies between them, and what a program does where kernels do not reach over.
#include <vector>

#include "check.cuh"

__global__ void add(int* x, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += by;
}

int main() {
  const int n = 3 << 20;
  int count = 0;
  OK(cudaGetDeviceCount(&count));
  std::vector<int*> x(count);
  for (int d = 0; d < count; ++d) {
    OK(cudaSetDevice(d));
    OK(cudaMalloc(&x[d], n * sizeof(int)));
    OK(cudaMemset(x[d], 0, n * sizeof(int)));
  }
  for (int d = 1; d < count; ++d) {
    int reaches = -1, value = -1;
    OK(cudaSetDevice(d));
    OK(cudaDeviceCanAccessPeer(&reaches, d, 0));
    OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, d, 0));
    IS(reaches == value);
    if (reaches) {
      OK(cudaDeviceEnablePeerAccess(0, 0));
      OK(cudaDeviceDisablePeerAccess(0));
    } else {
      FAILS(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
      FAILS(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
    }
  }
  // A number goes round, and each device adds its own to it.
  for (int d = 0; d < count; ++d) {
    OK(cudaSetDevice(d));
    add<<<(n + 255) / 256, 256>>>(x[d], n, d + 1);
    const int next = (d + 1) % count;
    if (d % 2)
      OK(cudaMemcpyPeer(x[next], next, x[d], d, n * sizeof(int)));
    else
      OK(cudaMemcpyPeerAsync(x[next], next, x[d], d, n * sizeof(int), 0));
  }
  std::vector<int> here(n);
  OK(cudaMemcpy(here.data(), x[0], n * sizeof(int), cudaMemcpyDefault)); // the address says whose it is
  for (int i = 0; i < n; i += 1001) IS(here[i] == count * (count + 1) / 2);

  cudaMemcpy3DPeerParms box = {};
  box.srcDevice = 0;
  box.dstDevice = count - 1;
  box.srcPtr = make_cudaPitchedPtr(x[0], 4096, 4096, 16);
  box.dstPtr = make_cudaPitchedPtr(x[count - 1] + (1 << 20), 8192, 8192, 16);
  box.extent = make_cudaExtent(100, 7, 3);
  OK(cudaMemcpy3DPeer(&box));
  OK(cudaMemcpy3DPeerAsync(&box, 0));
  OK(cudaDeviceSynchronize());
  std::puts("peers: well");
}
