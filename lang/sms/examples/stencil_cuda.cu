/* The stencil of stencil.c on GPUs: its arrays lie over the memories of all of them, and each process takes its planes and bt of
 * either neighbour from there, does bt steps, and puts its own back. Without a GPU processors do the same cells.
 *
 *   nvcc -fmad=false stencil_cuda.cu ..
 *   sms-stencil_cuda [--27] [--bt STEPS] [--planes N]
 *
 * Prints what stencil.c prints. */
#define CELL static __host__ __device__ inline
#include "digest.h"
#include "stencil.h"

#include <sms.h>

#include <cstdio>

static int gpu = -1; /* of this process; -1: none */

static void check(cudaError_t fault) {
  if (fault == cudaSuccess) return;
  std::fprintf(stderr, "process %d: CUDA says: %s\n", sms_rank, cudaGetErrorString(fault));
  std::abort();
}

static __global__ void step_on_gpu(const Plane* u, Plane* v, long from, long to, long first, long planes,
                                   int points) {
  const long cell = (long)blockIdx.x * blockDim.x + threadIdx.x;
  const long x = cell % NX, y = cell / NX % NY, z = from + cell / NX / NY;
  if (z < to) v[z - first][y][x] = next_value(u + (z - first), z, y, x, planes, points);
}

static void step(const Plane* u, Plane* v, long from, long to, long first, long planes, int points) {
  if (gpu >= 0) {
    const long cells = (to - from) * NY * NX;
    step_on_gpu<<<(unsigned)((cells + 255) / 256), 256>>>(u, v, from, to, first, planes, points);
    return check(cudaGetLastError());
  }
  for (long z = from; z < to; z++)
    for (long y = 0; y < NY; y++)
      for (long x = 0; x < NX; x++) v[z - first][y][x] = next_value(u + (z - first), z, y, x, planes, points);
}

/* Planes of this process: on its GPU, or on the host. */
static Plane* planes_of(long count) {
  void* at = nullptr;
  if (gpu < 0) return (Plane*)std::malloc(sizeof(Plane) * (size_t)count);
  check(cudaMalloc(&at, sizeof(Plane) * (size_t)count));
  return (Plane*)at;
}

int main(int argc, char** argv) {
  sms_startup(&argc, &argv);
  gpu = sms_gpu();
  if (gpu >= 0) check(cudaSetDevice(gpu));
  const Options o = options_of(argc, argv);
  const long nz = o.planes, bt = o.bt;
  int dim[] = {(int)nz, NY, NX, -1}, div[] = {sms_nprocs, 1, 1, -1};
  Plane* a = (Plane*)sms_mapalloc_on(dim, div, sizeof(double), 0, sms_nprocs, SMS_GPU);
  Plane* b = (Plane*)sms_mapalloc_on(dim, div, sizeof(double), 0, sms_nprocs, SMS_GPU);
  const long from = nz * sms_rank / sms_nprocs, to = nz * (sms_rank + 1) / sms_nprocs, own = to - from;
  const long first = from - bt < 0 ? 0 : from - bt, end = to + bt > nz ? nz : to + bt, count = end - first;
  Plane* host = (Plane*)std::malloc(sizeof(Plane) * (size_t)nz);
  for (long z = from; z < to; z++)
    for (long y = 0; y < NY; y++)
      for (long x = 0; x < NX; x++) host[z - from][y][x] = first_value(z, y, x);
  sms_copy(a[from], host, sizeof(Plane) * (size_t)own);
  sms_sync();

  Plane *u = planes_of(count), *v = planes_of(count);
  for (long done = 0; done < STEPS; done += bt) {
    const long steps = STEPS - done < bt ? STEPS - done : bt;
    sms_copy(u, a[first], sizeof(Plane) * (size_t)count); /* wherever these planes lie */
    for (long s = 1; s <= steps; s++) {
      const long low = first == 0 ? 0 : first + s, high = end == nz ? nz : end - s;
      step(u, v, low, high, first, nz, o.points);
      Plane* swap = u;
      u = v;
      v = swap;
    }
    if (gpu >= 0) check(cudaDeviceSynchronize());
    sms_copy(b[from], u[from - first], sizeof(Plane) * (size_t)own);
    sms_sync();
    Plane* swap = a;
    a = b;
    b = swap;
  }
  if (sms_rank == 0) {
    sms_copy(host, a, sizeof(Plane) * (size_t)nz);
    std::printf("%d points, bt %ld: digest %016llx\n", o.points, bt,
                digest_of(&host[0][0][0], (size_t)nz * NY * NX));
  }
  sms_sync(); /* nobody ends while planes are taken from it */
  if (gpu >= 0) {
    check(cudaFree(u));
    check(cudaFree(v));
  } else {
    std::free(u);
    std::free(v);
  }
  std::free(host);
  sms_shutdown();
  return 0;
}
