#include <tasuki/array/redistribution.hpp>

#include <tasuki/base/subset.hpp>
#include <tasuki/transfer/transfer.hpp>

#include <algorithm>

namespace tasuki {
namespace {

std::vector<int> members_of(const Ranks& ranks) {
  std::vector<int> members;
  for (int place = 0; place < ranks.size(); ++place) members.push_back(ranks.rank(place));
  return members;
}

SectionSide side_of(const Section& section, const Ranks& executing) {
  if (section.array)
    return {section.array->alignment(), section.array->shadows(), section.array->size(), section.slices};
  // Memory that every rank has for itself counts as an array with a full copy on each rank.
  Template everything({{0, 1}});
  everything.distribute(Nodes({executing.size()}, members_of(executing)), {block()});
  const Alignment copies(section.extents, everything,
                         std::vector<Along>(section.extents.size(), not_aligned()));
  return {copies, std::vector<Shadow>(section.extents.size()), section.size, section.slices};
}

Device& device_of(const Section& section) {
  return section.array ? section.array->memory(section.side).device() : *section.device;
}
char* memory_of(const Section& section) {
  return section.array ? section.array->memory(section.side).data() : section.memory;
}

Strided placed(Strided box, char* memory) {
  box.base = memory + reinterpret_cast<long>(box.base);
  return box;
}

} // namespace

Section section(Array& array, std::vector<Slice> slices, Side side) {
  Section made;
  made.array = &array;
  made.side = side;
  made.slices = std::move(slices);
  return made;
}

Section section(Device& device, void* memory, long size, std::vector<long> extents,
                std::vector<Slice> slices) {
  Section made;
  made.device = &device;
  made.memory = static_cast<char*>(memory);
  made.size = size;
  made.extents = std::move(extents);
  made.slices = std::move(slices);
  return made;
}

void assign(const Section& to, const Section& from, const Ranks& executing) {
  World& world = executing.world();
  Device& device = device_of(to);
  const SectionMoves moves(side_of(to, executing), side_of(from, executing));
  const Nodes &receivers = moves.to().alignment.nodes(), &senders = moves.from().alignment.nodes();

  // A rank that holds no element of either array takes no part, and need not make this call.
  std::vector<int> members;
  for (const int rank : members_of(executing))
    if (receivers.number_of(rank) || senders.number_of(rank)) members.push_back(rank);
  const int me = world.rank();
  if (!std::binary_search(members.begin(), members.end(), me)) return;
  const Ranks ranks =
      static_cast<int>(members.size()) == world.size() ? Ranks(world) : subset(world, members);

  const auto receiver = receivers.number_of(me), sender = senders.number_of(me);
  char* const landing = memory_of(to);
  char* sent = memory_of(from);
  Buffer before; // if both sections are of one array: a copy of its previous elements
  if (to.array && to.array == from.array && sender) {
    const long bytes = to.array->holding().bytes();
    before = Buffer(device, static_cast<std::size_t>(bytes));
    if (bytes > 0) {
      Strided all;
      all.base = sent;
      all.run = bytes;
      CopyPlan(device, {{all, packed(all, before.data())}}).enqueue(device.stream());
    }
    sent = before.data();
  }

  std::vector<Parcel> parcels;
  for (const int other : members) {
    if (sender)
      if (const auto node = receivers.number_of(other))
        moves.each(*node, *sender, [&](const SectionMove& move) {
          Parcel parcel{
              me, other, {other == me ? ChannelKind::self : ChannelKind::mpi}, placed(move.from, sent), {}};
          if (other == me) parcel.landing = placed(move.to, landing);
          parcels.push_back(parcel);
        });
    if (receiver && other != me)
      if (const auto node = senders.number_of(other))
        moves.each(*receiver, *node, [&](const SectionMove& move) {
          parcels.push_back({other, me, {ChannelKind::mpi}, {}, placed(move.to, landing)});
        });
  }
  Transfer transfer(device, ranks, parcels);
  transfer.whole(device.stream());
  device.stream().synchronize();
}

} // namespace tasuki
