// Kernels with a race on shared memory, and the same without.
__global__ void reversed(int* x, int with_barrier) { // reads what another warp has written
  __shared__ int part[128];
  part[threadIdx.x] = x[threadIdx.x];
  if (with_barrier) __syncthreads();
  x[threadIdx.x] = part[127 - threadIdx.x];
}

__global__ void overwritten(int* x, int with_barrier) { // writes what another warp still reads
  __shared__ int part[128];
  part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  int v = part[127 - threadIdx.x];
  if (with_barrier) __syncthreads();
  part[threadIdx.x] = v + 1;
  __syncthreads();
  x[threadIdx.x] = part[threadIdx.x];
}

__global__ void last(int* x) { // all write one word
  __shared__ int one;
  one = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = one;
}

__global__ void counted(int* x) { // by atomics, and by volatile reads: meant so
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  while (*reinterpret_cast<volatile int*>(&count) != static_cast<int>(blockDim.x)) {}
  x[threadIdx.x] = *reinterpret_cast<volatile int*>(&count);
}
