// Peer access: kernels of one device access the memory of another on the same host, as far as its GPU does; copies go anywhere.
#include <remote/runtime/copies.hpp>

#include <served.hpp>

namespace tasuki::remote {

static cudaError_t copy_peer(void* to, int to_device, const void* from, int from_device, size_t bytes,
                             const On& on, Wait wait) {
  VirtualDevice &there = device_at(to_device), &here = device_at(from_device);
  if (bytes == 0) return cudaSuccess;
  if (&there == &here && &there == &on.device)
    copy(to, from, bytes, cudaMemcpyDeviceToDevice, on, Wait::no);
  else
    copy_across(there, reinterpret_cast<u64>(to), here, reinterpret_cast<u64>(from), bytes, on, wait);
  return cudaSuccess;
}

namespace served {

cudaError_t cudaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice) {
  *canAccessPeer = device_at(device).near().can_reach(device_at(peerDevice).near());
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned flags) {
  VirtualDevice &device = current(), &peer = device_at(peerDevice);
  if (flags) return cudaErrorInvalidValue;
  if (&peer == &device) return cudaErrorInvalidDevice;
  if (device.near().is_open(peer.near())) return cudaErrorPeerAccessAlreadyEnabled;
  device.near().open(peer.near());
  return cudaSuccess;
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
  VirtualDevice &device = current(), &peer = device_at(peerDevice);
  if (!device.near().is_open(peer.near())) return cudaErrorPeerAccessNotEnabled;
  device.near().close(peer.near());
  return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attr, int srcDevice, int dstDevice) {
  VirtualDevice &device = device_at(srcDevice), &peer = device_at(dstDevice);
  if (&device == &peer) return cudaErrorInvalidDevice;
  *value = attr == cudaDevP2PAttrAccessSupported && device.near().can_reach(peer.near());
  return cudaSuccess;
}

cudaError_t cudaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count) {
  return copy_peer(dst, dstDevice, src, srcDevice, count, resolve(nullptr), Wait::yes);
}

cudaError_t cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice, size_t count,
                                cudaStream_t stream) {
  return copy_peer(dst, dstDevice, src, srcDevice, count, resolve(stream), Wait::no);
}

} // namespace served
} // namespace tasuki::remote
