// Groups of lanes that work on one item together: a thread block on a GPU, a thread with vector lanes on the host.
//
// The work on an item is a struct, the body, written once for both:
//
//   struct Body {
//     template <class Group>
//     TS_HD void operator()(Group& g, long item) const {
//       float* x = g.template shared<float>(g.lanes());      // fast memory, shared by the group
//       auto v = g.template own<float>();                    // a value per lane, in registers between phases;
//                                                            // or kept<float>(): v(i, slot), to save registers
//       g.each([&](int i, int slot) { x[i] = ..; v[slot] = ..; });
//     }
//   };
//   Groups<Body, 4> groups(device, {.lanes = 256, .shared = 256 * 4}, items_at_most);
//   groups.launch("move", items, body);
//
// A call on g with a function is a phase. In a phase, the function of one lane must not read what another lane writes
// in this phase; it sees everything written in earlier phases. Every lane executes every phase: a phase must not stand
// in a branch that differs between lanes. A lane has a number i < lanes(), and a slot that indexes its own values.
// The order of all folds depends only on the number of lanes: every run on one kind of device gives the same bits.
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

// Launches groups of one body on a device, and owns the memory that they need. Slots: the lanes of a group per GPU
// thread, whose values it holds in registers.
template <class Body, int Slots>
class Groups {
public:
  // `most`: the most items of one launch. Throws Error if there is not enough memory for the scratch.
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

  // Enqueues body(group, item) for items 0 .. count - 1 on the device's stream. `name` is used in error messages.
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
  long groups_ = 0; // that run at once on a GPU
  Buffer scratch_;
  std::vector<detail::HostArena> arenas_;
};

} // namespace tasuki
