// Errors: the last error of each thread, error names, and messages about calls that are not supported.
#include <remote/client/session.hpp>
#include <remote/runtime/made.hpp>
#include <remote/runtime/program.hpp>

#include <served.hpp>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

namespace tasuki::remote {

thread_local bool OwnDefaultStream::on = false;

namespace {
thread_local cudaError_t last_error = cudaSuccess;

static_assert(static_cast<int>(Status::invalid_value) == cudaErrorInvalidValue);
static_assert(static_cast<int>(Status::memory_allocation) == cudaErrorMemoryAllocation);
static_assert(static_cast<int>(Status::invalid_configuration) == cudaErrorInvalidConfiguration);
static_assert(static_cast<int>(Status::not_ready) == cudaErrorNotReady);
static_assert(static_cast<int>(Status::not_supported) == cudaErrorNotSupported);
static_assert(static_cast<int>(Status::peer_access_unsupported) == cudaErrorPeerAccessUnsupported);
static_assert(static_cast<int>(devices_unavailable) == cudaErrorDevicesUnavailable);

// A fault of the current device, which no call clears.
cudaError_t fault() {
  Session* session = Session::there();
  const int device = thread().device;
  if (!session || device >= session->count()) return cudaSuccess;
  return static_cast<cudaError_t>(session->device(device).fault());
}
} // namespace

cudaError_t kept(int, cudaError_t status) {
  if (status != cudaSuccess) last_error = status;
  return status;
}

cudaError_t refuse(const char* name, const char* mend) {
  static std::mutex mutex;
  static std::set<std::string> said;
  std::lock_guard hold(mutex);
  if (said.insert(name).second)
    std::fprintf(stderr, "tasuki: %s: not served on remote GPUs; %s\n", name, mend);
  return last_error = cudaErrorNotSupported;
}

cudaError_t surprised(const char* name, const char* what) {
  std::fprintf(stderr, "tasuki: %s: %s\n", name, what);
  return cudaErrorUnknown;
}

namespace served {

cudaError_t cudaGetLastError() {
  const cudaError_t last = last_error;
  last_error = fault();
  return last != cudaSuccess ? last : last_error;
}

cudaError_t cudaPeekAtLastError() { return last_error != cudaSuccess ? last_error : fault(); }

// Names and descriptions as in the public header; programs print them, and do not compare them.
#define TASUKI_ERRORS(E)                                                                        \
  E(Success, "no error")                                                                        \
  E(InvalidValue, "invalid argument")                                                           \
  E(MemoryAllocation, "out of memory")                                                          \
  E(InitializationError, "initialization error")                                                \
  E(CudartUnloading, "driver shutting down")                                                    \
  E(InvalidConfiguration, "invalid configuration argument")                                     \
  E(InvalidPitchValue, "invalid pitch argument")                                                \
  E(InvalidSymbol, "invalid device symbol")                                                     \
  E(InvalidMemcpyDirection, "invalid copy direction for memcpy")                                \
  E(InsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version")         \
  E(DevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable")                    \
  E(InvalidDeviceFunction, "invalid device function")                                           \
  E(NoDevice, "no CUDA-capable device is detected")                                             \
  E(InvalidDevice, "invalid device ordinal")                                                    \
  E(InvalidKernelImage, "device kernel image is invalid")                                       \
  E(NoKernelImageForDevice, "no kernel image is available for execution on the device")         \
  E(ECCUncorrectable, "uncorrectable ECC error encountered")                                    \
  E(PeerAccessUnsupported, "peer access is not supported between these two devices")            \
  E(InvalidPtx, "a PTX JIT compilation failed")                                                 \
  E(UnsupportedPtxVersion, "the provided PTX was compiled with an unsupported toolchain.")      \
  E(FileNotFound, "file not found")                                                             \
  E(InvalidResourceHandle, "invalid resource handle")                                           \
  E(SymbolNotFound, "named symbol not found")                                                   \
  E(NotReady, "device not ready")                                                               \
  E(IllegalAddress, "an illegal memory access was encountered")                                 \
  E(LaunchOutOfResources, "too many resources requested for launch")                            \
  E(LaunchTimeout, "the launch timed out and was terminated")                                   \
  E(PeerAccessAlreadyEnabled, "peer access is already enabled")                                 \
  E(PeerAccessNotEnabled, "peer access has not been enabled")                                   \
  E(Assert, "device-side assert triggered")                                                     \
  E(HostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped") \
  E(HostMemoryNotRegistered, "pointer does not correspond to a registered memory region")       \
  E(IllegalInstruction, "an illegal instruction was encountered")                               \
  E(MisalignedAddress, "misaligned address")                                                    \
  E(LaunchFailure, "unspecified launch failure")                                                \
  E(CooperativeLaunchTooLarge, "too many blocks in cooperative launch")                         \
  E(NotPermitted, "operation not permitted")                                                    \
  E(NotSupported, "operation not supported")                                                    \
  E(StreamCaptureUnsupported, "operation not permitted when stream is capturing")               \
  E(Unknown, "unknown error")

const char* cudaGetErrorName(cudaError_t error) {
  if (error == cudaSuccess) return "cudaSuccess";
  switch (error) {
#define TASUKI_ERROR(name, words) \
  case cudaError##name:           \
    return "cudaError" #name;
#define cudaErrorSuccess cudaSuccess
    TASUKI_ERRORS(TASUKI_ERROR)
#undef TASUKI_ERROR
    default: return "unrecognized error code";
  }
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define TASUKI_ERROR(name, words) \
  case cudaError##name: return words;
    TASUKI_ERRORS(TASUKI_ERROR)
#undef TASUKI_ERROR
    default: return "unrecognized error code";
  }
}

} // namespace served
} // namespace tasuki::remote
