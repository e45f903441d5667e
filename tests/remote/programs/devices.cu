// The list of devices, and what they say of themselves.
#include <cuda_profiler_api.h>

#include <cstring>
#include <thread>

#include "check.cuh"

int main() {
  int count = 0, device = -1, value = 0;
  OK(cudaGetDeviceCount(&count));
  IS(count >= 1);
  OK(cudaGetDevice(&device));
  IS(device == 0);
  OK(cudaSetDevice(count - 1));
  OK(cudaGetDevice(&device));
  IS(device == count - 1);
  std::thread([] {
    int mine = -1;
    OK(cudaGetDevice(&mine));
    IS(mine == 0); // each thread begins with the first
  }).join();
  OK(cudaInitDevice(0, 0, 0));
  OK(cudaSetDevice(0));
  cudaDeviceProp all;
  for (int d = 0; d < count; ++d) {
    OK(cudaGetDeviceProperties(&all, d));
    IS(all.name[0] && all.totalGlobalMem > 0 && all.multiProcessorCount > 0 && all.warpSize == 32);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, d));
    IS(value == all.multiProcessorCount);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, d));
    IS(value == all.maxThreadsPerBlock && value >= 512);
    char bus[32];
    OK(cudaDeviceGetPCIBusId(bus, sizeof bus, d));
    OK(cudaDeviceGetByPCIBusId(&device, bus));
    IS(device == d);
  }
  IS(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, count) == cudaErrorInvalidDevice);
  cudaGetLastError();
  OK(cudaGetDeviceProperties(&all, 0));
  OK(cudaChooseDevice(&device, &all));
  IS(device >= 0 && device < count);
  int first = 0;
  OK(cudaSetValidDevices(&first, 1));
  unsigned flags = 0;
  OK(cudaSetDeviceFlags(cudaDeviceScheduleYield));
  OK(cudaGetDeviceFlags(&flags));
  IS(flags & cudaDeviceScheduleYield);
  int least = 1, greatest = 1;
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  IS(least == 0 && greatest <= 0);
  cudaFuncCache cache;
  OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferNone));
  OK(cudaDeviceGetCacheConfig(&cache));
  cudaSharedMemConfig banks;
  OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeFourByte));
  OK(cudaDeviceGetSharedMemConfig(&banks));
  size_t stack = 0;
  OK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
  OK(cudaDeviceSetLimit(cudaLimitStackSize, stack));
  IS(stack >= 512);
  OK(cudaCtxResetPersistingL2Cache());
  int runtime = 0, driver = 0;
  OK(cudaRuntimeGetVersion(&runtime));
  OK(cudaDriverGetVersion(&driver));
  IS(runtime >= 13000 && driver >= 12000);
  OK(cudaProfilerStart());
  OK(cudaProfilerStop());
  OK(cudaDeviceSynchronize());
  OK(cudaDeviceReset());
  std::puts("devices: well");
}
