// Loops by hand: what an expert would write first for one device, without Tasuki.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <memory>

namespace tasuki::bench {

inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Free {
  void operator()(void* p) const { std::free(p); }
};
// n numbers, aligned, first touched by the threads that use them.
template <class T>
class HostArray {
public:
  explicit HostArray(long n)
      : data_(static_cast<T*>(
            std::aligned_alloc(4096, (static_cast<std::size_t>(n) * sizeof(T) + 4095) / 4096 * 4096))) {
    if (!data_) throw std::bad_alloc();
    T* p = data_.get();
#pragma omp parallel for
    for (long i = 0; i < n; ++i) p[i] = T(1);
  }
  T* get() const { return data_.get(); }

private:
  std::unique_ptr<T, Free> data_;
};

void stream_cuda(benchmark::State& state, long bytes, bool triad);

namespace plain {

void copy(double* a, const double* b, long n);
void triad(double* a, const double* b, const double* c, long n);

// v = the mean of u's four neighbours, rim left alone. nx is the fastest axis.
void laplace(const float* u, float* v, long nx, long ny);

// Himeno's arrays, each imax * jmax * kmax, k fastest.
struct HimenoArrays {
  const float *a[4], *b[3], *c[3], *bnd, *wrk1;
};
void himeno(const HimenoArrays& m, const float* p, float* wrk2, long imax, long jmax, long kmax);
// As the benchmark has it: gosa summed, and wrk2 copied back to p.
float himeno_original(const HimenoArrays& m, float* p, float* wrk2, long imax, long jmax, long kmax);

// Seven points, periodic. nx is the fastest axis.
void diffusion(const double* u, double* v, long nx, long ny, long nz, double r);

} // namespace plain
} // namespace tasuki::bench
