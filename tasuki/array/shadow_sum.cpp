#include <tasuki/array/shadow_sum.hpp>

#include <tasuki/array/together.hpp>

#include <vector>

namespace tasuki {
namespace {

// Calls visit(address) for every element of a box, in the order in which it is packed.
template <class Visit>
void each_element(const Strided& box, const Visit& visit) {
  const auto walk = [&](const auto& self, int level, char* at) -> void {
    if (level < 0) return visit(at);
    for (long k = 0; k < box.count[level]; ++k) self(self, level - 1, at + k * box.stride[level]);
  };
  walk(walk, box.levels - 1, box.base);
}

} // namespace

void add_shadows(const Reflected& reflected, Side side, AddElement add) {
  Array& array = *reflected.array;
  World& world = array.world();
  const auto ranks = together(world, {&array.nodes()});
  if (!ranks) return;
  ArrayMemory& memory = array.memory(side);
  Device& device = memory.device();
  ShadowPlan plan{&array.alignment(), &array.shadows(), array.size(), reflected.widths, reflected.corners};
  plan.widths.resize(static_cast<std::size_t>(array.dims()));
  check_widths(plan, array.name());

  // The shares of this rank's elements, from the shadows of all nodes, packed consecutively in the order of the nodes.
  const Nodes& nodes = array.nodes();
  const int here = array.node(), me = world.rank();
  long bytes = 0;
  for (int node = 0; node < nodes.size(); ++node)
    each_shadow_move(plan, node, here, [&](const ShadowMove& move) {
      bytes += array.holding().box(nullptr, move.owned).bytes();
    });
  Buffer shares(device, static_cast<std::size_t>(bytes));
  std::vector<Parcel> parcels;
  std::vector<Strided> targets, parts;
  char* end = shares.data();
  for (int node = 0; node < nodes.size(); ++node) {
    const int other = nodes.rank(node);
    const Route route{node == here ? ChannelKind::self : ChannelKind::mpi};
    each_shadow_move(plan, node, here, [&](const ShadowMove& move) {
      const Strided target = array.holding().box(memory.data(), move.owned);
      const Strided part = packed(target, end);
      end += target.bytes();
      targets.push_back(target);
      parts.push_back(part);
      Parcel parcel{other, me, route, {}, part};
      if (node == here) parcel.sent = array.holding().box(memory.data(), move.shadow);
      parcels.push_back(parcel);
    });
    if (node != here)
      each_shadow_move(plan, here, node, [&](const ShadowMove& move) {
        parcels.push_back({me, other, route, array.holding().box(memory.data(), move.shadow), {}});
      });
  }
  Transfer transfer(device, *ranks, parcels);
  transfer.whole(device.stream());
  device.stream().synchronize();

  if (device.cuda()) { // added on the host, since elements may have any type; this case is rare
    const auto all = static_cast<std::size_t>(array.holding().bytes());
    std::vector<char> own(all), came(static_cast<std::size_t>(bytes));
    copy_to_host(device, own.data(), memory.data(), all);
    copy_to_host(device, came.data(), shares.data(), came.size());
    for (std::size_t k = 0; k < targets.size(); ++k) {
      targets[k].base = own.data() + (targets[k].base - memory.data());
      const char* share = came.data() + (parts[k].base - shares.data());
      each_element(targets[k], [&](char* element) {
        add(element, share);
        share += array.size();
      });
    }
    copy_to_device(device, memory.data(), own.data(), all);
    return;
  }
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const char* share = parts[k].base;
    each_element(targets[k], [&](char* element) {
      add(element, share);
      share += array.size();
    });
  }
}

} // namespace tasuki
