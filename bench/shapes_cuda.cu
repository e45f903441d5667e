// The shapes by hand on a GPU: one cell a thread, 32 x 8 threads, every point read where it lies.
#include <bench/plain_cuda.hpp>
#include <bench/shapes.hpp>

namespace tasuki::bench {
namespace {

template <class T>
struct PlainIn {
  const T* __restrict__ p;
  long row, plane;
  __device__ __forceinline__ T operator()(long i, int x, int y = 0, int z = 0) const {
    return p[i + z * plane + y * row + x];
  }
};
template <class T>
struct PlainOut {
  T* p;
  __device__ __forceinline__ T& operator()(long i) const { return p[i]; }
};

template <class Shape, class T>
__global__ void shape_kernel(Shape shape, const T* __restrict__ u, T* __restrict__ v, int nx, int ny,
                             int nz) {
  constexpr int kY = Shape::D > 1 ? Shape::R : 0, kZ = Shape::D > 2 ? Shape::R : 0;
  const int x = blockIdx.x * blockDim.x + threadIdx.x + Shape::R,
            y = blockIdx.y * blockDim.y + threadIdx.y + kY, z = blockIdx.z + kZ;
  if (x >= nx - Shape::R || y >= ny - kY) return;
  const long row = nx, plane = row * ny;
  shape(z * plane + y * row + x, PlainIn<T>{u, row, plane}, PlainOut<T>{v});
}

struct AddPlain {
  template <class Shape>
  void operator()(const std::array<long, Shape::D>& extents) const {
    add(shape_name<Shape>("plain", extents), 3, [=](benchmark::State& state) {
      using T = typename Shape::T;
      world_on(DeviceKind::cuda);
      int n[3] = {1, 1, 1}, inner[3] = {1, 1, 1};
      long cells = 1;
      for (int a = 0; a < Shape::D; ++a) {
        n[a] = static_cast<int>(extents[static_cast<std::size_t>(a)]);
        inner[a] = n[a] - 2 * Shape::R;
        cells *= n[a];
      }
      const CudaArray<T> one(cells), other(cells);
      T *u = one.get(), *v = other.get();
      const dim3 threads = Shape::D == 1 ? dim3(256) : dim3(32, 8);
      const dim3 grid(blocks(inner[0], threads.x), blocks(inner[1], threads.y),
                      static_cast<unsigned>(inner[2]));
      time_launches(state, [&] {
        shape_kernel<<<grid, threads>>>(Shape{static_cast<T>(0.1)}, u, v, n[0], n[1], n[2]);
        std::swap(u, v);
      });
      count(state, static_cast<double>(cells), 2 * sizeof(T));
    });
  }
};

} // namespace

void register_plain_shapes() {
  for_flat_shapes(AddPlain{});
  for_deep_shapes(AddPlain{});
}

} // namespace tasuki::bench
