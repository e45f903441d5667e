// Variables of the program's modules, at the addresses at which each device has loaded them.
#include <remote/runtime/copies.hpp>

#include <served.hpp>

#include <map>
#include <mutex>

namespace tasuki::remote {

answer::Variable variable(VirtualDevice& device, const Symbol& symbol) {
  static std::mutex mutex;
  static auto* known = new std::map<std::pair<VirtualDevice*, const Symbol*>, answer::Variable>;
  std::lock_guard hold(mutex);
  auto& found = (*known)[{&device, &symbol}];
  if (!found.address) found = device.variable(*symbol.module, symbol.name);
  return found;
}

namespace {
// The address of the part of a variable that is copied.
void* part(const void* symbol, size_t count, size_t offset, const On& on) {
  const answer::Variable found = variable(on.device, symbol_of(symbol));
  if (offset > found.bytes || count > found.bytes - offset) throw Failure(Status::invalid_value);
  return reinterpret_cast<void*>(found.address + offset);
}
} // namespace

namespace served {

cudaError_t cudaGetSymbolAddress(void** devPtr, const void* symbol) {
  *devPtr = reinterpret_cast<void*>(variable(current(), symbol_of(symbol)).address);
  return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  *size = variable(current(), symbol_of(symbol)).bytes;
  return cudaSuccess;
}

// The address of a variable is not in any arena, so the direction is always given explicitly.
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset,
                               cudaMemcpyKind kind) {
  return served::cudaMemcpyToSymbolAsync(symbol, src, count, offset, kind, nullptr);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  const On on = resolve(stream);
  if (kind == cudaMemcpyDefault)
    kind = session().owner(reinterpret_cast<u64>(src)) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice)
    return cudaErrorInvalidMemcpyDirection;
  copy(part(symbol, count, offset, on), src, count, kind, on, Wait::no);
  return cudaSuccess;
}

cudaError_t cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset,
                                 cudaMemcpyKind kind) {
  const On on = resolve(nullptr);
  if (kind == cudaMemcpyDefault)
    kind = session().owner(reinterpret_cast<u64>(dst)) ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
  if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice)
    return cudaErrorInvalidMemcpyDirection;
  copy(dst, part(symbol, count, offset, on), count, kind, on, Wait::yes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  const On on = resolve(stream);
  if (kind == cudaMemcpyDefault)
    kind = session().owner(reinterpret_cast<u64>(dst)) ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
  if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice)
    return cudaErrorInvalidMemcpyDirection;
  copy(dst, part(symbol, count, offset, on), count, kind, on, Wait::no);
  return cudaSuccess;
}

} // namespace served
} // namespace tasuki::remote
