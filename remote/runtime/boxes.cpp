// Memory of rows and planes: pitched allocations, and copies and fills of boxes in them.
#include <remote/runtime/captures.hpp>
#include <remote/runtime/copies.hpp>
#include <remote/runtime/managed.hpp>

#include <served.hpp>

#include <algorithm>
#include <vector>

namespace tasuki::remote {

namespace {

// The rows of a box, packed, and back: what travels holds nothing that lies between rows.
template <class Row>
void each_row(const Place& place, const Box& box, Row row) {
  for (u64 z = 0; z < box.depth; ++z)
    for (u64 y = 0; y < box.height; ++y) row(place.address + z * place.slice + y * place.pitch);
}
std::vector<unsigned char> packed(const Place& from, const Box& box) {
  std::vector<unsigned char> bytes(box.bytes());
  unsigned char* at = bytes.data();
  each_row(from, box, [&](u64 row) {
    std::memcpy(at, reinterpret_cast<const void*>(row), box.width);
    at += box.width;
  });
  return bytes;
}
void unpack(const std::vector<unsigned char>& bytes, const Place& to, const Box& box) {
  const unsigned char* at = bytes.data();
  each_row(to, box, [&](u64 row) {
    std::memcpy(reinterpret_cast<void*>(row), at, box.width);
    at += box.width;
  });
}

void in(VirtualDevice& device, const Place& to, const Place& from, const Box& box, u64 stream) {
  device.busy();
  in_parts(box, [&](u64 x, u64 y, u64 z, const Box& part) {
    const auto bytes = packed(moved(from, x, y, z), part);
    const Place at = moved(to, x, y, z);
    device.calls().post(
        call::CopyInBox{at.address, at.pitch, at.slice, part.width, part.height, part.depth, stream},
        {bytes.data(), bytes.size()});
  });
}

void out(VirtualDevice& device, const Place& to, const Place& from, const Box& box, u64 stream) {
  in_parts(box, [&](u64 x, u64 y, u64 z, const Box& part) {
    std::vector<unsigned char> bytes;
    const Place at = moved(from, x, y, z);
    device.calls().ask<answer::Bytes>(
        call::CopyOutBox{at.address, at.pitch, at.slice, part.width, part.height, part.depth, stream}, {},
        &bytes);
    if (bytes.size() != part.bytes()) throw Failure(devices_unavailable);
    unpack(bytes, moved(to, x, y, z), part);
  });
}

void copy_box(const Place& to, const Place& from, const Box& box, cudaMemcpyKind kind, const On& on,
              Wait wait) {
  if (!box.width || !box.height || !box.depth) return;
  const bool rows = box.height > 1 || box.depth > 1;
  if (rows && (box.width > to.pitch || box.width > from.pitch))
    throw Failure(static_cast<Status>(cudaErrorInvalidPitchValue));
  const Sides sides =
      sides_of(reinterpret_cast<void*>(to.address), reinterpret_cast<const void*>(from.address), kind, on);
  give_mirrored(on, {extent_of(to, box), extent_of(from, box)});
  const auto stream_of = [&](VirtualDevice& device) {
    if (&device == &on.device) return on.stream;
    not_captured(on);
    on.device.calls().ask<answer::Done>(call::WaitStream{on.stream});
    return u64{0};
  };
  if (const auto capture = capture_of(on); capture && !(sides.to.device && sides.from.device)) {
    VirtualDevice* device = &on.device;
    const bool inwards = sides.to.device, outwards = sides.from.device;
    if ((inwards && sides.to.device != device) || (outwards && sides.from.device != device)) not_captured(on);
    capture->functions.push_back(device->captured_copy(on.stream, [=](u64 now) {
      if (inwards)
        in(*device, to, from, box, now);
      else if (outwards)
        out(*device, to, from, box, now);
      else
        unpack(packed(from, box), to, box);
    }));
  } else if (!sides.to.device && !sides.from.device) {
    on.device.calls().ask<answer::Done>(call::WaitStream{on.stream});
    unpack(packed(from, box), to, box);
  } else if (!sides.from.device) {
    VirtualDevice& device = *sides.to.device;
    const u64 stream = stream_of(device);
    if (pinned(reinterpret_cast<const void*>(from.address)) && VirtualDevice::unsettled())
      device.copy_in_order(stream, [&device, to, from, box](u64 now) { in(device, to, from, box, now); });
    else
      in(device, to, from, box, stream);
    if (wait == Wait::yes &&
        device.near().shared()) // another device may look once the program takes the copy to be done
      device.calls().ask<answer::Done>(call::WaitStream{stream});
  } else if (!sides.to.device) {
    out(*sides.from.device, to, from, box, stream_of(*sides.from.device));
  } else if (sides.to.device == sides.from.device) {
    sides.to.device->busy();
    sides.to.device->calls().post(call::CopyBox{to.address, to.pitch, to.slice, from.address, from.pitch,
                                                from.slice, box.width, box.height, box.depth,
                                                stream_of(*sides.to.device)});
  } else if (!copy_alone(*sides.to.device, to, *sides.from.device, from, box, on, wait)) {
    std::vector<unsigned char> between(box.bytes());
    const Place here{reinterpret_cast<u64>(between.data()), box.width, box.width * box.height};
    out(*sides.from.device, here, from, box, stream_of(*sides.from.device));
    in(*sides.to.device, to, here, box, stream_of(*sides.to.device));
    if (sides.to.device != &on.device) sides.to.device->calls().ask<answer::Done>(call::WaitStream{0});
  }
}

Place place_of(const cudaPitchedPtr& p, const cudaPos& at) {
  const u64 slice = p.pitch * p.ysize;
  return {reinterpret_cast<u64>(p.ptr) + at.x + at.y * p.pitch + at.z * slice, p.pitch, slice};
}

cudaError_t copy_2d(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                    size_t height, cudaMemcpyKind kind, const On& on, Wait wait) {
  if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
  copy_box({reinterpret_cast<u64>(to), to_pitch, to_pitch * height},
           {reinterpret_cast<u64>(from), from_pitch, from_pitch * height}, {width, height, 1}, kind, on,
           wait);
  return cudaSuccess;
}

cudaError_t copy_3d(const cudaMemcpy3DParms* p, const On& on, Wait wait) {
  if (!p) return cudaErrorInvalidValue;
  if (p->srcArray || p->dstArray)
    return refuse("cudaMemcpy3D of a cudaArray", "use linear memory (cudaMalloc3D)");
  copy_box(place_of(p->dstPtr, p->dstPos), place_of(p->srcPtr, p->srcPos),
           {p->extent.width, p->extent.height, p->extent.depth}, p->kind, on, wait);
  return cudaSuccess;
}

cudaError_t copy_3d_peer(const cudaMemcpy3DPeerParms* p, const On& on, Wait wait) {
  if (!p) return cudaErrorInvalidValue;
  if (p->srcArray || p->dstArray)
    return refuse("cudaMemcpy3DPeer of a cudaArray", "use linear memory (cudaMalloc3D)");
  copy_box(place_of(p->dstPtr, p->dstPos), place_of(p->srcPtr, p->srcPos),
           {p->extent.width, p->extent.height, p->extent.depth}, cudaMemcpyDeviceToDevice, on, wait);
  return cudaSuccess;
}

constexpr u64 row_alignment = 512; // of cudaMallocPitch on every device since 3.0

} // namespace

namespace served {

cudaError_t cudaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height) {
  if (!devPtr || !pitch) return cudaErrorInvalidValue;
  *pitch = (width + row_alignment - 1) / row_alignment * row_alignment;
  if (height && *pitch > ~size_t{0} / height) return cudaErrorMemoryAllocation;
  return served::cudaMalloc(devPtr, *pitch * height);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitchedDevPtr, cudaExtent extent) {
  if (!pitchedDevPtr) return cudaErrorInvalidValue;
  void* at = nullptr;
  size_t pitch = 0;
  const cudaError_t status = served::cudaMallocPitch(&at, &pitch, extent.width, extent.height * extent.depth);
  if (status == cudaSuccess) *pitchedDevPtr = {at, pitch, extent.width, extent.height};
  return status;
}

cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return copy_2d(dst, dpitch, src, spitch, width, height, kind, resolve(nullptr), Wait::yes);
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_2d(dst, dpitch, src, spitch, width, height, kind, resolve(stream), Wait::no);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) { return copy_3d(p, resolve(nullptr), Wait::yes); }
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return copy_3d(p, resolve(stream), Wait::no);
}
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  return copy_3d_peer(p, resolve(nullptr), Wait::yes);
}
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  return copy_3d_peer(p, resolve(stream), Wait::no);
}

cudaError_t cudaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height) {
  return served::cudaMemset2DAsync(devPtr, pitch, value, width, height, nullptr);
}

cudaError_t cudaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return served::cudaMemset3DAsync({devPtr, pitch, width, height}, value, {width, height, 1}, stream);
}

cudaError_t cudaMemset3D(cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent) {
  return served::cudaMemset3DAsync(pitchedDevPtr, value, extent, nullptr);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent,
                              cudaStream_t stream) {
  const On on = resolve(stream);
  if (!extent.width || !extent.height || !extent.depth) return cudaSuccess;
  if (extent.width > pitchedDevPtr.pitch && extent.height * extent.depth > 1) return cudaErrorInvalidValue;
  const auto address = reinterpret_cast<u64>(pitchedDevPtr.ptr);
  VirtualDevice* owner = session().owner(address);
  if (owner && owner != &on.device) return cudaErrorInvalidValue;
  const Place at{address, pitchedDevPtr.pitch, pitchedDevPtr.pitch * pitchedDevPtr.ysize};
  give_mirrored(on, {extent_of(at, {extent.width, extent.height, extent.depth})});
  on.device.busy();
  on.device.calls().post(call::FillBox{address, pitchedDevPtr.pitch,
                                       pitchedDevPtr.pitch * pitchedDevPtr.ysize, extent.width, extent.height,
                                       extent.depth, static_cast<u32>(value & 0xff), on.stream});
  return cudaSuccess;
}

} // namespace served
} // namespace tasuki::remote
