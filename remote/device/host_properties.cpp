#include <remote/device/host_properties.hpp>

#include <algorithm>

namespace tasuki::remote {
namespace {

constexpr int kThreads = 2048, kBlocks = 32, kSharedOfAll = 233472, kSharedKept = 1024; // per multiprocessor

} // namespace

Properties host_properties(std::uint64_t memory, int threads) {
  Properties p;
  p.name = "Tasuki host, PTX interpreted";
  p.memory = memory;
  const std::pair<int, int> rows[] = {
      // by the public number of cudaDeviceAttr
      {1, 1024},
      {2, 1024},
      {3, 1024},
      {4, 64}, // threads per block
      {5, 2147483647},
      {6, 65535},
      {7, 65535}, // blocks per grid
      {8, static_cast<int>(kHostShared)},
      {9, 65536}, // shared memory per block, constant memory
      {10, 32},
      {11, 2147483647},
      {12, 65536}, // warp, pitch, registers per block
      {13, 1000000},
      {14, 512},
      {15, 1}, // kHz, alignment of textures, copies beside kernels
      {16, threads},
      {31, 1}, // multiprocessors, concurrent kernels
      {36, 1000000},
      {37, 64},
      {38, 1 << 20}, // memory: kHz, bits; cache
      {39, kThreads},
      {40, 1},
      {41, 1}, // threads per multiprocessor, engines, unified addresses
      {51, 32},
      {75, kHostGeneration / 10},
      {76, kHostGeneration % 10},
      {78, 1}, // generation, priorities
      {79, 1},
      {80, 1},
      {81, kSharedOfAll},
      {82, 65536},
      {95, 1},
      {97, static_cast<int>(kHostSharedMost)}, // cooperative launches, shared memory if asked for
      {106, kBlocks},
      {111, kSharedKept},
  };
  for (const auto& [number, value] : rows) p.attributes[static_cast<std::size_t>(number)] = value;
  return p;
}

int host_occupancy(int threads, std::uint64_t shared) {
  if (threads < 1 || threads > 1024 || shared > kHostSharedMost) return 0;
  const int warps = (threads + 31) / 32;
  const auto by_shared = static_cast<int>(kSharedOfAll / (shared + kSharedKept));
  return std::min({kThreads / 32 / warps, kBlocks, by_shared});
}

} // namespace tasuki::remote
