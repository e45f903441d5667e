// Launches: what is wrong with a configuration is returned at once, as CUDA does; what a kernel does wrong comes later.
#include <remote/runtime/managed.hpp>

#include <served.hpp>

#include <vector>

namespace tasuki::remote {

namespace {

void check_configuration(VirtualDevice& device, const Kernel& kernel, dim3 grid, dim3 block,
                         std::size_t shared) {
  const auto most = [&](int attribute) { return static_cast<unsigned>(device.attribute(attribute)); };
  const auto inside = [](unsigned n, unsigned limit) { return n > 0 && n <= limit; };
  if (!inside(grid.x, most(cudaDevAttrMaxGridDimX)) || !inside(grid.y, most(cudaDevAttrMaxGridDimY)) ||
      !inside(grid.z, most(cudaDevAttrMaxGridDimZ)) || !inside(block.x, most(cudaDevAttrMaxBlockDimX)) ||
      !inside(block.y, most(cudaDevAttrMaxBlockDimY)) || !inside(block.z, most(cudaDevAttrMaxBlockDimZ)) ||
      static_cast<u64>(block.x) * block.y * block.z > most(cudaDevAttrMaxThreadsPerBlock))
    throw Failure(Status::invalid_value); // as the runtime of CUDA 13.0 says on an H200
  if (block.x * block.y * block.z > kernel.info.max_threads) throw Failure(Status::launch_out_of_resources);
  if (shared > kernel.max_dynamic_shared) throw Failure(Status::invalid_value);
}

// A launch takes a cudaKernel_t too: what is neither is a bad handle, as the runtime of CUDA 13.0 says.
Entry& launched(const void* function) {
  try {
    return entry_of(function);
  } catch (const Failure& failure) {
    if (failure.status() == Status::invalid_device_function) throw Failure(Status::invalid_resource_handle);
    throw;
  }
}

} // namespace

cudaError_t launch(Entry& entry, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   cudaStream_t stream, bool cooperative, dim3 cluster) {
  const On on = resolve(stream);
  const Kernel& kernel = entry.at(on.device);
  check_configuration(on.device, kernel, grid, block, shared);
  thread_local std::vector<unsigned char> parameters;
  parameters.assign(kernel.parameter_bytes, 0);
  for (std::size_t n = 0; n < kernel.parameters.size(); ++n)
    std::memcpy(parameters.data() + kernel.parameters[n].first, arguments[n], kernel.parameters[n].second);
  own_mirrored(on.device, {parameters.data(), parameters.size()});
  give_mirrored(on);
  on.device.busy();
  on.device.calls().post(
      call::Launch{kernel.number, grid.x, grid.y, grid.z, block.x, block.y, block.z, cluster.x, cluster.y,
                   cluster.z, static_cast<u32>(shared), cooperative ? 1u : 0u, on.stream},
      {parameters.data(), parameters.size()});
  return cudaSuccess;
}

namespace served {

cudaError_t cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
                             cudaStream_t stream) {
  return launch(launched(func), gridDim, blockDim, args, sharedMem, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                                        size_t sharedMem, cudaStream_t stream) {
  Entry& entry = launched(func);
  const On on = resolve(stream);
  const Kernel& kernel = entry.at(on.device);
  check_configuration(on.device, kernel, gridDim, blockDim, sharedMem);
  const auto blocks = on.device.calls().ask<answer::Number>(
      call::Occupancy{kernel.number, blockDim.x * blockDim.y * blockDim.z, sharedMem, 0});
  if (static_cast<u64>(gridDim.x) * gridDim.y * gridDim.z >
      blocks.value * static_cast<u64>(on.device.attribute(cudaDevAttrMultiProcessorCount)))
    return cudaErrorCooperativeLaunchTooLarge;
  return launch(entry, gridDim, blockDim, args, sharedMem, stream, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func, void** args) {
  if (!config) return cudaErrorInvalidValue;
  bool cooperative = false;
  dim3 cluster(0, 0, 0);
  for (unsigned n = 0; n < config->numAttrs; ++n) {
    const cudaLaunchAttribute& a = config->attrs[n];
    switch (a.id) {
      case cudaLaunchAttributeIgnore:
      case cudaLaunchAttributePriority:
      case cudaLaunchAttributeAccessPolicyWindow: // advice
      case cudaLaunchAttributeClusterSchedulingPolicyPreference:
      case cudaLaunchAttributePreferredSharedMemoryCarveout: break;
      case cudaLaunchAttributeCooperative: cooperative = a.val.cooperative != 0; break;
      case cudaLaunchAttributeClusterDimension:
        cluster = dim3(a.val.clusterDim.x, a.val.clusterDim.y, a.val.clusterDim.z);
        break;
      // A launch that may begin before its forerunner ends may as well begin behind it.
      case cudaLaunchAttributeProgrammaticStreamSerialization: break;
      default:
        return refuse("a launch attribute of cudaLaunchKernelExC",
                      "leave out all but cooperative and cluster dimension");
    }
  }
  if (cooperative)
    return served::cudaLaunchCooperativeKernel(func, config->gridDim, config->blockDim, args,
                                               config->dynamicSmemBytes, config->stream);
  return launch(launched(func), config->gridDim, config->blockDim, args, config->dynamicSmemBytes,
                config->stream, false, cluster);
}

} // namespace served
} // namespace tasuki::remote
