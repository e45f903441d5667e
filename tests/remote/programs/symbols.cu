// Variables of the module: device and constant memory, by name and by address.
#include "check.cuh"

__device__ int table[100];
__device__ double one = 1.5;
__constant__ int factor[4] = {1, 2, 3, 4};

__global__ void scale() {
  table[threadIdx.x] = table[threadIdx.x] * factor[threadIdx.x % 4] + static_cast<int>(2 * one);
}

int main() {
  int here[100], there[100];
  for (int i = 0; i < 100; ++i) here[i] = i;
  size_t bytes = 0;
  OK(cudaGetSymbolSize(&bytes, table));
  IS(bytes == sizeof here);
  OK(cudaMemcpyToSymbol(table, here, sizeof here));
  scale<<<1, 100>>>();
  OK(cudaMemcpyFromSymbol(there, table, sizeof there));
  for (int i = 0; i < 100; ++i) IS(there[i] == i * (i % 4 + 1) + 3);

  const int other[2] = {10, 20};
  const double two = 2;
  OK(cudaMemcpyToSymbolAsync(factor, other, sizeof other, sizeof(int), cudaMemcpyHostToDevice, 0));
  OK(cudaMemcpyToSymbolAsync(one, &two, sizeof two, 0, cudaMemcpyHostToDevice, 0));
  OK(cudaMemcpyToSymbol(table, here, sizeof here));
  scale<<<1, 100>>>();
  OK(cudaMemcpyFromSymbolAsync(there, table, sizeof there, 0, cudaMemcpyDeviceToHost, 0));
  OK(cudaDeviceSynchronize());
  const int factors[4] = {1, 10, 20, 4};
  for (int i = 0; i < 100; ++i) IS(there[i] == i * factors[i % 4] + 4);

  void *address, *copy;
  OK(cudaGetSymbolAddress(&address, table));
  OK(cudaMalloc(&copy, sizeof here));
  OK(cudaMemcpy(copy, address, sizeof here, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpy(here, copy, sizeof here, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 100; ++i) IS(here[i] == there[i]);
  OK(cudaMemcpyFromSymbol(copy, table, 40, 40, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpy(here, copy, 40, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 10; ++i) IS(here[i] == there[i + 10]);
  FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(table, here, sizeof here, 8));
  FAILS(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&address, (const void*)&bytes));
  std::puts("symbols: well");
}
