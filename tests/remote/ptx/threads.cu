// What threads of a warp and of a block do together.
#include <cstdio>

__global__ void collatz(const int* from, int* steps, int n) { // loops of different length
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long v = from[i];
  int count = 0;
  while (v != 1) {
    v = v % 2 ? 3 * v + 1 : v / 2;
    ++count;
  }
  steps[i] = count;
}

__global__ void block_sum(const float* x,
                          float* sums) { // a tree in shared memory, whose size the launch gives
  extern __shared__ float part[];
  int t = threadIdx.x;
  part[t] = x[blockIdx.x * blockDim.x + t];
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) part[t] += part[t + half];
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

__global__ void transpose(const double* from, double* to, int n) {
  __shared__ double tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = from[y * n + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  if (x < n && y < n) to[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void warp_sum(const int* x, int* sums,
                         unsigned* odd) { // shuffles and votes, after lanes have parted
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i];
  unsigned seen = 0;
  if (v & 1) {
    v = v * 3;
    seen = __activemask();
    seen = __ballot_sync(seen, v > 50);
  }
  __syncwarp();
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) sums[i / 32] = v;
  odd[i] = __ballot_sync(~0u, x[i] & 1) + seen * 0;
}

__global__ void halves(int* out) { // each half of a warp for itself, at different places
  int lane = threadIdx.x % 32;
  int v = lane;
  if (lane < 16) {
    for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(0xffffu, v, d, 16);
  } else {
    for (int d = 8; d > 0; d /= 2) v = max(v, __shfl_xor_sync(0xffff0000u, v, d, 16));
  }
  out[threadIdx.x] = v;
}

__global__ void histogram(const unsigned char* bytes, unsigned* counts, int n) {
  __shared__ unsigned local[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) local[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[bytes[i]], 1u);
  __syncthreads();
  for (int k = threadIdx.x; k < 256; k += blockDim.x) atomicAdd(&counts[k], local[k]);
}

__global__ void counted(int* out, int limit) { // barriers that count, in a loop
  int total = 0;
  for (int k = 0; k < limit; ++k) {
    total += __syncthreads_count(static_cast<int>(threadIdx.x) % (k + 2) == 0);
    total += 1000 * __syncthreads_and(threadIdx.x < 64);
    total += 100000 * __syncthreads_or(static_cast<int>(threadIdx.x) == k);
  }
  out[threadIdx.x] = total;
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursive(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }

struct Node {
  int value;
  Node* next;
};
__global__ void link(Node* nodes, int n) {
  int i = threadIdx.x;
  if (i < n) nodes[i] = {i * i, i + 1 < n ? nodes + i + 1 : nullptr};
}
__global__ void walk(Node* first, int* sum) {
  int total = 0;
  for (Node* at = first; at; at = at->next) total += at->value;
  *sum = total;
}

__device__ int add(int a, int b) { return a + b; }
__device__ int take(int a, int b) { return a - b; }
typedef int (*Binary)(int, int);
__device__ Binary table[2] = {add, take};
__device__ int scale = 7;
__constant__ float weights[4] = {0.5f, 0.25f, 0.125f, 2.0f};
__global__ void through_table(int* out, float* weighted) {
  int t = threadIdx.x;
  out[t] = scale * table[t & 1](t, 3);
  weighted[t] = weights[t & 3] * t;
}

__global__ void local_array(int* out, int n) { // an array that no register can hold
  int own[32];
  for (int k = 0; k < 32; ++k) own[k] = threadIdx.x * k;
  for (int k = 0; k < n; ++k) own[(k * 7 + threadIdx.x) & 31] += own[(k * 3) & 31];
  int sum = 0;
  for (int k = 0; k < 32; ++k) sum += own[k];
  out[threadIdx.x] = sum;
}

__global__ void says(int n) {
  if (threadIdx.x < n)
    printf("thread %d of %s: %.3f %llu\n", static_cast<int>(threadIdx.x), "says", threadIdx.x / 8.0,
           1ull << 40);
}

__global__ void wild(int* p) { p[threadIdx.x] = 1; }

__global__ void ticket(int* next, int* out) { // each block waits for the one before it
  if (threadIdx.x == 0) {
    while (atomicAdd(next, 0) != static_cast<int>(blockIdx.x)) {}
    out[blockIdx.x] = blockIdx.x == 0 ? 1 : out[blockIdx.x - 1] + static_cast<int>(blockIdx.x);
    __threadfence();
    atomicAdd(next, 1);
  }
}

__global__ void spin(int* lock, int* count) { // lanes of one warp wait for each other
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *count = *count + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
