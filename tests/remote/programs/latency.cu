// What calls cost as a program sees them: microseconds of a launch, of a small copy each way; GB/s of a large one, pageable
// and pinned. Prints, and checks nothing but that the calls succeed and the bytes come back.
//
//   latency          on the first device
//   latency pairs    copies between the first two
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

__global__ void touch(int* x) { *x += 1; }

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class F>
static double best_of(int times, F f) {
  double best = 1e9;
  for (int n = 0; n < times; ++n) {
    const double start = now();
    f();
    const double t = now() - start;
    if (t < best) best = t;
  }
  return best;
}

static const size_t large = 256u << 20;

// From the first device to the second, on a stream of the first.
static int pairs() {
  char* d[2];
  cudaStream_t stream;
  int reaches = 0;
  for (int n = 1; n >= 0; --n)
    if (cudaSetDevice(n) || cudaMalloc(&d[n], large) || cudaMemset(d[n], n + 1, large)) return 1;
  if (cudaDeviceCanAccessPeer(&reaches, 0, 1)) return 1;
  if (reaches) cudaDeviceEnablePeerAccess(1, 0);
  cudaStreamCreate(&stream);
  cudaMemcpyPeerAsync(d[1], 1, d[0], 0, large, stream);
  cudaStreamSynchronize(stream);
  std::printf("D2D 1 KiB us %.2f\n", 1e6 / 200 * best_of(5, [&] {
                                       for (int n = 0; n < 200; ++n) {
                                         cudaMemcpyPeerAsync(d[1], 1, d[0], 0, 1024, stream);
                                         cudaStreamSynchronize(stream);
                                       }
                                     }));
  std::printf("D2D GB/s %.2f\n", large * 1e-9 / best_of(5, [&] {
                                   cudaMemcpyPeerAsync(d[1], 1, d[0], 0, large, stream);
                                   cudaStreamSynchronize(stream);
                                 }));
  std::vector<char> there(large);
  cudaSetDevice(1);
  cudaMemcpy(there.data(), d[1], large, cudaMemcpyDeviceToHost);
  for (size_t n = 0; n < large; n += 4097)
    if (there[n] != 1) return std::printf("wrong byte %zu\n", n), 1;
  return cudaGetLastError() != cudaSuccess;
}

int main(int argc, char** argv) {
  if (argc > 1 && !std::strcmp(argv[1], "pairs")) return pairs();
  int* x;
  char *d, *pinned;
  if (cudaMalloc(&x, 4096) || cudaMalloc(&d, large) || cudaMallocHost(&pinned, large)) return 1;
  std::vector<char> pageable(large, 1), small(1024, 2);
  std::memset(pinned, 3, large);
  cudaMemset(x, 0, 4096);
  touch<<<1, 1>>>(x);
  cudaDeviceSynchronize();
  const int many = 2000;
  std::printf("launch us %.2f\n", 1e6 / many * best_of(5, [&] {
                                    for (int n = 0; n < many; ++n) touch<<<1, 1>>>(x);
                                  }));
  std::printf("launch, all waited for us %.2f\n", 1e6 / many * best_of(5, [&] {
                                                    for (int n = 0; n < many; ++n) touch<<<1, 1>>>(x);
                                                    cudaDeviceSynchronize();
                                                  }));
  std::printf("launch and wait us %.2f\n", 1e6 / 200 * best_of(5, [&] {
                                             for (int n = 0; n < 200; ++n) {
                                               touch<<<1, 1>>>(x);
                                               cudaStreamSynchronize(0);
                                             }
                                           }));
  std::printf("H2D 1 KiB us %.2f\n", 1e6 / 1000 * best_of(5, [&] {
                                       for (int n = 0; n < 1000; ++n)
                                         cudaMemcpy(d, small.data(), 1024, cudaMemcpyHostToDevice);
                                     }));
  std::printf("D2H 1 KiB us %.2f\n", 1e6 / 1000 * best_of(5, [&] {
                                       for (int n = 0; n < 1000; ++n)
                                         cudaMemcpy(small.data(), d, 1024, cudaMemcpyDeviceToHost);
                                     }));
  // The same copy in each round, asked for once the kernel is long done: one that was read ahead is there.
  std::vector<double> late;
  const int rounds = 500;
  for (int n = 0; n < rounds; ++n) {
    touch<<<1, 1>>>(x);
    const double until = now() + 200e-6;
    while (now() < until) {}
    late.push_back(best_of(1, [&] { cudaMemcpy(small.data(), d, 1024, cudaMemcpyDeviceToHost); }));
  }
  std::sort(late.begin(), late.end());
  std::printf("D2H 1 KiB, 200 us behind a launch us %.2f median\n", 1e6 * late[rounds / 2]);
  // A device that has done nothing for a while may have fallen asleep (serve --keep-alive).
  std::vector<double> idle;
  for (int n = 0; n < 200; ++n) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    idle.push_back(best_of(1, [&] { cudaMemcpy(small.data(), d, 4, cudaMemcpyDeviceToHost); }));
  }
  std::sort(idle.begin(), idle.end());
  std::printf("D2H 4 B after 10 ms us %.2f median, %.2f of nine tenths\n", 1e6 * idle[100], 1e6 * idle[180]);
  const double gb = large * 1e-9;
  cudaDeviceSynchronize();
  std::printf("H2D pageable GB/s %.2f\n", gb / best_of(4, [&] {
                                            cudaMemcpy(d, pageable.data(), large, cudaMemcpyHostToDevice);
                                            cudaDeviceSynchronize();
                                          }));
  std::printf("D2H pageable GB/s %.2f\n",
              gb / best_of(4, [&] { cudaMemcpy(pageable.data(), d, large, cudaMemcpyDeviceToHost); }));
  std::printf("H2D pinned GB/s %.2f\n", gb / best_of(4, [&] {
                                          cudaMemcpy(d, pinned, large, cudaMemcpyHostToDevice);
                                          cudaDeviceSynchronize();
                                        }));
  std::printf("D2H pinned GB/s %.2f\n",
              gb / best_of(4, [&] { cudaMemcpy(pinned, d, large, cudaMemcpyDeviceToHost); }));
  for (size_t n = 0; n < large; n += 4097)
    if (pinned[n] != 3) return std::printf("wrong byte %zu\n", n), 1;
  int count = 0;
  cudaMemcpy(&count, x, 4, cudaMemcpyDeviceToHost);
  std::printf("launches %d\n", count);
  return cudaGetLastError() != cudaSuccess || count != 1 + 10 * many + 1000 + rounds;
}
