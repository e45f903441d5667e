// Memory that kernels take for themselves, by malloc and by new.
#include "check.cuh"

__global__ void take(int** at) {
  const int i = threadIdx.x;
  at[i] = i % 2 ? new int : static_cast<int*>(malloc(sizeof(int)));
  if (at[i]) *at[i] = i;
}

__global__ void give_back(int** at, int* sum) {
  const int i = threadIdx.x;
  if (at[i]) atomicAdd(sum, *at[i]);
  if (i % 2)
    delete at[i];
  else
    free(at[i]);
}

int main() {
  int **at, *sum, got = 0;
  OK(cudaMalloc(&at, 64 * sizeof(int*)));
  OK(cudaMalloc(&sum, sizeof(int)));
  OK(cudaMemset(sum, 0, sizeof(int)));
  take<<<1, 64>>>(at);
  OK(cudaGetLastError());
  give_back<<<1, 64>>>(at, sum);
  OK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
  IS(got == 63 * 64 / 2);
  std::puts("heap: well");
}
