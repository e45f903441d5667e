// Kernels that come close behind each other: the launch of one overlaps the end of the one before.
//
//   __global__ void kernel(..) { follow(); .. }                        // the first thing that every thread does
//   launch_next<&kernel>(blocks, threads, shared_bytes, stream, arguments..);   // launch_next_cuda.hpp
//
// Otherwise a GPU begins to launch a kernel when the one before it in the stream has ended and its stores are visible. Here
// the launch begins when its blocks have ended, and the new blocks wait in follow() for the stores. (Programmatic dependent
// launch, CUDA C++ Programming Guide; from compute capability 9.0 on. Elsewhere a kernel begins after the one before.) In a
// graph it is the same, since stream capture keeps the property.
//
// griddepcontrol.launch_dependents at the beginning of a kernel would let the next one come earlier still. On an H200 small
// 3-D grids gained 3 to 5 % more by it, but an iteration of wilson on 16^3 x 32 took 142 us, where it takes 133 without any
// of this: its kernels have 256 blocks, which may crowd on the multiprocessors that are free first.
#pragma once

#include <tasuki/base/macros.hpp>

namespace tasuki::detail {

// Waits until the kernel before has ended.
TS_DEVICE void follow() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

} // namespace tasuki::detail
