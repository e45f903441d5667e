// Groups of lanes that work on one item together: a thread block of a GPU, a thread with its vectors on the host.
//
// What an item needs done is a struct, the body, written once:
//
//   struct Body {
//     template <class Group>
//     TS_HD void operator()(Group& g, long item) const {
//       float* x = g.template shared<float>(g.lanes());      // memory of the group, fast
//       auto v = g.template own<float>();                    // a value a lane, in registers between phases; or
//                                                            // kept<float>(): v(i, slot), where a phase needs registers
//       g.each([&](int i, int slot) { x[i] = ..; v[slot] = ..; });
//     }
//   };
//   Groups<Body, 4> groups(device, {.lanes = 256, .shared = 256 * 4}, items_at_most);
//   groups.launch("move", items, body);
//
// A call on g that is given a function is a phase: the function of one lane must not read what that of another writes
// in the same phase, and sees all that was written in phases before. Every lane calls every phase, so no phase stands
// in a branch that differs by lane. A lane is a number i < lanes(); own values are found by its slot.
// All folds have an order that depends on nothing but the number of lanes: the same bits in every run on one kind of device.
#pragma once

#include <tasuki/device/buffer.hpp>
#include <tasuki/device/fast.hpp>
#include <tasuki/device/group/group_host.hpp>
#include <tasuki/device/group/group_shape.hpp>

#if defined(__CUDACC__)
#include <tasuki/device/group/group_cuda.hpp>
#endif

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tasuki {

// How groups of one body are launched on a device, and the memory that they need for it. Slots: lanes that a thread of
// a GPU takes, whose values it holds in registers side by side.
template <class Body, int Slots>
class Groups {
public:
  // `most`: items that are launched together at most. Throws Error where the scratch does not fit.
  Groups(Device& device, const GroupShape& shape, [[maybe_unused]] long most)
      : device_(device), shape_(shape) {
    if (!device.cuda()) return;
#if defined(__CUDACC__)
    groups_ = detail::resident_groups<Body, Slots>(shape, most);
    scratch_ = Buffer(device, static_cast<std::size_t>(groups_) * shape.scratch);
#else
    throw Error("groups were compiled without CUDA",
                "compile their source with nvcc, or run with --device host");
#endif
  }

  // Enqueues body(group, item) for items 0 .. count - 1 on the device's stream. `name` is for errors.
  void launch(const char* name, long count, const Body& body) {
    if (count == 0) return;
    if (!device_.cuda()) {
      detail::launch_groups_host(shape_, arenas_, count, body);
      return;
    }
#if defined(__CUDACC__)
    detail::launch_groups_cuda<Body, Slots>(static_cast<cudaStream_t>(device_.stream().handle()), name,
                                            shape_, std::min(groups_, count), scratch_.data(), count, body);
#else
    (void)name;
#endif
  }

private:
  Device& device_;
  GroupShape shape_;
  long groups_ = 0; // of a GPU at a time
  Buffer scratch_;
  std::vector<detail::HostArena> arenas_;
};

} // namespace tasuki
