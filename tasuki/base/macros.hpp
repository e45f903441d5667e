// Macros with which one source is compiled both for the host and for CUDA.
//
//   struct Double {
//     TS_CELL void operator()(auto c, auto u) const { u(c) *= 2; }
//   };
#pragma once

#if defined(__CUDACC__)
#define TS_CELL __host__ __device__ __forceinline__ // a cell function: inlined on both devices
#define TS_HD __host__ __device__ __forceinline__
#define TS_DEVICE __device__ __forceinline__ // only in kernels
#else
#define TS_CELL inline __attribute__((always_inline))
#define TS_HD inline __attribute__((always_inline))
#define TS_DEVICE inline __attribute__((always_inline))
#endif
