#include <tasuki/device/signal/watch.hpp>

#include <tasuki/base/variables.hpp>

namespace tasuki {
namespace {

// TASUKI_PATIENCE=5: seconds that a kernel waits for a neighbour. A neighbour may be busy writing a checkpoint.
double patience() { return variable_number<double>("TASUKI_PATIENCE").value_or(60); }

} // namespace

Watch::Watch(World& world) : world_(world) {
  Device& device = world.part<Device>();
  if (!device.cuda()) return; // a host waits through World::wait_until
  words_ = Buffer(device, 2 * sizeof(int), Memory::pinned);
  auto* words = reinterpret_cast<int*>(words_.data());
  handle_ = {words, words + 1, static_cast<unsigned long long>(patience() * 1e9)};
}

void Watch::give_up() {
  if (handle_.give_up) *handle_.give_up = 1;
}

void Watch::check() const {
  const int whom = handle_.whom ? *static_cast<volatile int*>(handle_.whom) : 0;
  if (whom == 0) return;
  const std::string who = whom < 0 ? "a message" : "rank " + std::to_string(whom - 1);
  throw Error(who + " did not come: the GPU of rank " + std::to_string(world_.rank()) + " waited " +
                  std::to_string(static_cast<long>(static_cast<double>(handle_.bound) * 1e-9)) + " s for it",
              "look for its message above, or set TASUKI_PATIENCE to more seconds if it may be that late");
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
