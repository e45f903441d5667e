/* Watches what a program asks of its GPU: preloaded before CUDA's runtime, it writes a line to the file WATCH_GPU for each
 * time that the host waits, and for each launch its blocks and threads: `wait`, `launch 8 1 1 64 2 1`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct size {
  unsigned x, y, z;
};
typedef int (*launcher)(void*, struct size, struct size, void**, size_t, void*);

static FILE* out(void) {
  static FILE* file;
  if (!file) file = fopen(getenv("WATCH_GPU"), "a");
  setlinebuf(file);
  return file;
}

int cudaStreamSynchronize(void* stream) {
  fprintf(out(), "wait\n");
  return ((int (*)(void*))dlsym(RTLD_NEXT, "cudaStreamSynchronize"))(stream);
}

int cudaMemcpy(void* to, const void* from, size_t bytes, int kind) {
  fprintf(out(), "wait\n");
  return ((int (*)(void*, const void*, size_t, int))dlsym(RTLD_NEXT, "cudaMemcpy"))(to, from, bytes, kind);
}

static void launch(struct size grid, struct size block) {
  fprintf(out(), "launch %u %u %u %u %u %u\n", grid.x, grid.y, grid.z, block.x, block.y, block.z);
}

int cudaLaunchKernel(void* kernel, struct size grid, struct size block, void** values, size_t shared,
                     void* stream) {
  launch(grid, block);
  return ((launcher)dlsym(RTLD_NEXT, "cudaLaunchKernel"))(kernel, grid, block, values, shared, stream);
}
int __cudaLaunchKernel(void* kernel, struct size grid, struct size block, void** values, size_t shared,
                       void* stream) {
  launch(grid, block); /* of CUDA 13 */
  return ((launcher)dlsym(RTLD_NEXT, "__cudaLaunchKernel"))(kernel, grid, block, values, shared, stream);
}
