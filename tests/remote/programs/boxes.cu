// Rows and planes: pitched memory, copies and fills of boxes in it, held against loops on the host.
#include <vector>

#include "check.cuh"

using Bytes = std::vector<unsigned char>;

int main() {
  const size_t width = 100, height = 37, depth = 11;
  unsigned char* flat;
  size_t pitch = 0;
  OK(cudaMallocPitch(&flat, &pitch, width, height));
  IS(pitch >= width && pitch % 32 == 0);
  Bytes a(width * height), b(width * height, 0);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<unsigned char>(i * 31 + i / 100);
  OK(cudaMemcpy2D(flat, pitch, a.data(), width, width, height, cudaMemcpyHostToDevice));
  OK(cudaMemset2D(flat + 3, pitch, 200, 10, 5));
  OK(cudaMemset2DAsync(flat + 3 * pitch + 50, pitch, 100, 20, 30, 0));
  OK(cudaMemcpy2DAsync(b.data(), width, flat, pitch, width, height, cudaMemcpyDeviceToHost, 0));
  OK(cudaDeviceSynchronize());
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x) {
      unsigned char expected = a[y * width + x];
      if (x >= 3 && x < 13 && y < 5) expected = 200;
      if (x >= 50 && x < 70 && y >= 3 && y < 33) expected = 100;
      IS(b[y * width + x] == expected);
    }

  cudaPitchedPtr box, other;
  OK(cudaMalloc3D(&box, make_cudaExtent(width, height, depth)));
  OK(cudaMalloc3D(&other, make_cudaExtent(width, height, depth)));
  OK(cudaMemset3D(other, 1, make_cudaExtent(width, height, depth)));
  Bytes c(width * height * depth), d(c.size());
  for (size_t i = 0; i < c.size(); ++i) c[i] = static_cast<unsigned char>(i * 17 + i / 1000);
  cudaMemcpy3DParms in = {};
  in.srcPtr = make_cudaPitchedPtr(c.data(), width, width, height);
  in.dstPtr = box;
  in.extent = make_cudaExtent(width, height, depth);
  in.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&in));
  cudaMemcpy3DParms within = {};
  within.srcPtr = box;
  within.srcPos = make_cudaPos(10, 5, 2);
  within.dstPtr = other;
  within.dstPos = make_cudaPos(20, 7, 4);
  within.extent = make_cudaExtent(30, 20, 6);
  within.kind = cudaMemcpyDeviceToDevice;
  OK(cudaMemcpy3DAsync(&within, 0));
  OK(cudaMemset3DAsync(other, 2, make_cudaExtent(5, 5, 5), 0));
  cudaMemcpy3DParms out = {};
  out.srcPtr = other;
  out.dstPtr = make_cudaPitchedPtr(d.data(), width, width, height);
  out.extent = in.extent;
  out.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&out));
  for (size_t z = 0; z < depth; ++z)
    for (size_t y = 0; y < height; ++y)
      for (size_t x = 0; x < width; ++x) {
        unsigned char expected = 1;
        if (x >= 20 && x < 50 && y >= 7 && y < 27 && z >= 4 && z < 10)
          expected = c[((z - 2) * height + y - 2) * width + x - 10];
        if (x < 5 && y < 5 && z < 5) expected = 2;
        IS(d[(z * height + y) * width + x] == expected);
      }
  const size_t wide = 9u << 20; // rows that are longer than what travels at once
  Bytes e(2 * wide), g(2 * wide);
  for (size_t i = 0; i < e.size(); ++i) e[i] = static_cast<unsigned char>(i * 13 + i / 5000);
  unsigned char* rows;
  OK(cudaMalloc(&rows, 2 * (wide + 512)));
  OK(cudaMemcpy2D(rows, wide + 512, e.data(), wide, wide, 2, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2D(g.data(), wide, rows, wide + 512, wide, 2, cudaMemcpyDeviceToHost));
  IS(e == g);
  IS(cudaMemcpy2D(flat, 10, a.data(), width, width, height, cudaMemcpyHostToDevice) ==
     cudaErrorInvalidPitchValue);
  cudaGetLastError();
  OK(cudaFree(flat));
  OK(cudaFree(box.ptr));
  OK(cudaFree(other.ptr));
  std::puts("boxes: well");
}
