// Peer access: kernels of one device cannot access the memory of another; copies can.
#include <remote/runtime/copies.hpp>

#include <served.hpp>

namespace tasuki::remote::served {

cudaError_t cudaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice) {
  device_at(device);
  device_at(peerDevice);
  *canAccessPeer = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned) {
  device_at(peerDevice);
  return peerDevice == thread().device ? cudaErrorInvalidDevice : cudaErrorPeerAccessUnsupported;
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
  device_at(peerDevice);
  return cudaErrorPeerAccessNotEnabled;
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int srcDevice, int dstDevice) {
  device_at(srcDevice);
  device_at(dstDevice);
  if (srcDevice == dstDevice) return cudaErrorInvalidDevice;
  *value = 0;
  return cudaSuccess;
}

cudaError_t cudaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count) {
  return served::cudaMemcpyPeerAsync(dst, dstDevice, src, srcDevice, count, nullptr);
}

cudaError_t cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice, size_t count,
                                cudaStream_t stream) {
  const On on = resolve(stream);
  VirtualDevice &to = device_at(dstDevice), &from = device_at(srcDevice);
  if (count == 0) return cudaSuccess;
  if (&to == &from && &to == &on.device)
    copy(dst, src, count, cudaMemcpyDeviceToDevice, on, Wait::no);
  else
    copy_across(to, reinterpret_cast<u64>(dst), from, reinterpret_cast<u64>(src), count, on);
  return cudaSuccess;
}

} // namespace tasuki::remote::served
