#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/host_reach.hpp>
#include <tasuki/device/signal/watch.hpp>

#include <string>

namespace tasuki {
namespace {

constexpr double kLongest =
    1e9; // seconds, without --patience: effectively no bound, so that only the host can make a kernel give up

} // namespace

Watch::Watch(World& world) : world_(world) {
  Device& device = world.part<Device>();
  if (!device.cuda()) return; // a host waits through World::wait_until
  // Without access to host memory, kernels cannot see the host's request to give up, and end at the bound only.
  words_ = Buffer(device, 2 * sizeof(int), reaches_host(device) ? Memory::pinned : Memory::device);
  auto* words = reinterpret_cast<int*>(words_.data());
  const double patience = world.settings().patience;
  handle_ = {words, words + 1, static_cast<unsigned long long>((patience > 0 ? patience : kLongest) * 1e9)};
}

void Watch::give_up() {
  if (handle_.give_up && reaches_host(world_.part<Device>())) *handle_.give_up = 1;
}

void Watch::check() const {
  if (!handle_.whom) return;
  auto& device = world_.part<Device>();
  int whom = 0;
  if (reaches_host(device))
    whom = *static_cast<volatile int*>(handle_.whom);
  else if (world_.settings().patience > 0) // without --patience no kernel gives up by itself
    cuda::copy(device.stream().handle(), &whom, handle_.whom, sizeof whom);
  if (whom == 0) return;
  const std::string who = whom < 0 ? "a message" : "rank " + std::to_string(whom - 1);
  throw Error(who + " did not come: the GPU of rank " + std::to_string(world_.rank()) + " waited " +
                  std::to_string(static_cast<long>(static_cast<double>(handle_.bound) * 1e-9)) + " s for it",
              "look for its message above, or give --patience more seconds if it may be that late");
}

void Watch::wait_until(const std::function<bool()>& done) {
  try {
    world_.wait_until(done, "its GPU, which waits for its neighbours");
  } catch (const Error&) {
    give_up();
    throw;
  }
  check();
}

} // namespace tasuki
