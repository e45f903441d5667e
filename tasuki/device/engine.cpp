#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/engine.hpp>

namespace tasuki {

EngineCopies::EngineCopies(Device& device, std::vector<CopyPair> pairs) {
  if (device.cuda())
    pairs_ = folded_alike(std::move(pairs));
  else
    host_ = CopyPlan(device, std::move(pairs));
}

void EngineCopies::enqueue(Stream& stream) const {
  host_.enqueue(stream);
  for (const CopyPair& pair : pairs_) cuda::enqueue_pitched(stream.handle(), pair);
}

} // namespace tasuki
