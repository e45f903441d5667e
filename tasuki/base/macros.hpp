// What lets one source be compiled for the host and for CUDA.
#pragma once

#if defined(__CUDACC__)
#define TS_CELL __host__ __device__ __forceinline__ // what happens in one cell: inlined on both devices
#define TS_HD __host__ __device__ __forceinline__
#define TS_DEVICE __device__ __forceinline__ // of a kernel alone
#else
#define TS_CELL inline __attribute__((always_inline))
#define TS_HD inline __attribute__((always_inline))
#define TS_DEVICE inline __attribute__((always_inline))
#endif
