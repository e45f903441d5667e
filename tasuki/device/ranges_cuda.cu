// NVTX 3 is header-only: without a profiler in the process, a range is a call that does nothing.
#include <tasuki/device/cuda_backend.hpp>

#include <nvtx3/nvToolsExt.h>

namespace tasuki::cuda {
namespace {

nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t made = nvtxDomainCreateA("tasuki");
  return made;
}

} // namespace

void begin_range(const char* name) {
  nvtxEventAttributes_t range = {};
  range.version = NVTX_VERSION;
  range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  range.messageType = NVTX_MESSAGE_TYPE_ASCII;
  range.message.ascii = name;
  nvtxDomainRangePushEx(domain(), &range);
}

void end_range() { nvtxDomainRangePop(domain()); }

} // namespace tasuki::cuda
