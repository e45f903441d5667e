// Parameters of all sizes, and more than 4 KB of them: made into parameters.fatbin by
// nvcc -fatbin -arch=sm_90 -Xfatbin --compress-mode=size
struct Big {
  int v[2000];
};
__global__ void big(Big b, float* out, char c, short s, double d) {
  out[threadIdx.x] = b.v[threadIdx.x] + c + s + d;
}
__global__ void little(char c, float* out, short s, double d, int3 q) { out[threadIdx.x] = c + s + d + q.y; }
