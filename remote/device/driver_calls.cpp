#include <remote/device/driver_calls.hpp>

#include <remote/device/driver_places.hpp>

#include <dlfcn.h>

#include <cstdlib>

namespace tasuki::remote {

namespace {

#define TASUKI_TEXT_(name) #name
#define TASUKI_TEXT(name) TASUKI_TEXT_(name)

DriverCalls look_up() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw DeviceError(Status::no_device, "this host has no CUDA driver",
                      "install one, or serve with --device host");
  DriverCalls calls;
#define TASUKI_DRIVER_CALL(name)                                                                   \
  calls.name = reinterpret_cast<decltype(calls.name)>(dlsym(library, TASUKI_TEXT(name)));          \
  if (!calls.name)                                                                                 \
    throw DeviceError(Status::no_device, "the CUDA driver of this host has no " TASUKI_TEXT(name), \
                      "install one of CUDA 12.4 or newer");
  TASUKI_DRIVER_CALLS(TASUKI_DRIVER_CALL)
#undef TASUKI_DRIVER_CALL
  // A variable gets its address when its module is loaded, and not when somebody asks for it first.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  take_high_addresses();
  const CUresult result = calls.cuInit(0);
  if (result != CUDA_SUCCESS)
    throw DeviceError(static_cast<Status>(result),
                      "the CUDA driver of this host does not start (error " + std::to_string(result) + ")",
                      "look at nvidia-smi");
  return calls;
}

} // namespace

const DriverCalls& driver() {
  static const DriverCalls calls = look_up();
  return calls;
}

} // namespace tasuki::remote
