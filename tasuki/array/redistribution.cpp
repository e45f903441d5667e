#include <tasuki/array/redistribution.hpp>

#include <tasuki/base/reduce.hpp>
#include <tasuki/base/subset.hpp>
#include <tasuki/route/route.hpp>
#include <tasuki/transfer/ask.hpp>

#include <algorithm>
#include <optional>

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

// Calls ask(one, other, bytes, times, step of one, step of other) for rows of a box at both ends, as long as they can be.
template <class Ask>
void each_row(const Strided& one, const Strided& other, const Ask& ask) {
  const bool rows = one.levels > 0 && one.stride[0] >= one.run && other.stride[0] >= other.run;
  const bool dense = rows && one.stride[0] == one.run && other.stride[0] == other.run;
  const auto walk = [&](const auto& self, int level, long at, long there) -> void {
    if (level < (rows ? 1 : 0)) {
      const long times = rows ? one.count[0] : 1;
      if (dense)
        ask(at, there, one.run * times, 1L, one.run * times, one.run * times);
      else
        ask(at, there, one.run, times, rows ? one.stride[0] : one.run, rows ? other.stride[0] : one.run);
      return;
    }
    for (long k = 0; k < one.count[level]; ++k)
      self(self, level - 1, at + k * one.stride[level], there + k * other.stride[level]);
  };
  walk(walk, one.levels - 1, reinterpret_cast<long>(one.base), reinterpret_cast<long>(other.base));
}

ByteRows byte_rows(long offset, long bytes, long times, long step) {
  return {static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(bytes),
          static_cast<std::uint64_t>(times), static_cast<std::uint64_t>(step)};
}

// Requests under way. There are at most a few hundred, since each may need memory of a courier.
class Requests {
public:
  void add(Ticket ticket) {
    tickets_.push_back(std::move(ticket));
    if (tickets_.size() == kMost) wait();
  }
  void wait() {
    for (Ticket& ticket : tickets_) ticket.wait();
    tickets_.clear();
  }

private:
  static constexpr std::size_t kMost = 256;
  std::vector<Ticket> tickets_;
};

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

Redistribution::Redistribution(const Section& to, const Section& from, const Ranks& executing)
    : device_(device_of(to)) {
  World& world = executing.world();
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

  const auto sender = senders.number_of(me);
  char* const landing = memory_of(to);
  char* sent = memory_of(from);
  if (to.array && to.array == from.array && sender) {
    const long bytes = to.array->holding().bytes();
    before_ = Buffer(device_, static_cast<std::size_t>(bytes));
    if (bytes > 0) {
      Strided all;
      all.base = sent;
      all.run = bytes;
      copied_ =
          std::make_unique<CopyPlan>(device_, std::vector<CopyPair>{{all, packed(all, before_.data())}});
    }
    sent = before_.data();
  }

  // All boxes between two ranks take one way, which both find by the boxes at the sender.
  const bool shared = to.array && to.array->memory(to.side).shared();
  std::optional<Router> router;
  if (ranks.size() == world.size()) router.emplace(device_, 1);
  const auto boxes = [&](int source, int target) {
    std::vector<SectionMove> found;
    const auto here = receivers.number_of(target), there = senders.number_of(source);
    if (here && there) moves.each(*here, *there, [&](const SectionMove& move) { found.push_back(move); });
    return found;
  };
  const auto route = [&](int source, int target, const std::vector<SectionMove>& found) -> Route {
    if (source == target) return {ChannelKind::self};
    if (!router || found.empty()) return {ChannelKind::mpi};
    SentFace face{.direction = {1}, .to = target, .parts = {}, .stored = shared};
    for (const SectionMove& move : found) face.parts.push_back(rows_of(move.from, moves.from().size));
    return router->routes(source, {face})[0];
  };
  std::vector<Parcel> parcels;
  long kept = 0;
  for (const int other : members) {
    const auto going = boxes(me, other);
    const Route way = route(me, other, going);
    for (const SectionMove& move : going) {
      Parcel parcel{me, other, way, placed(move.from, sent), {}};
      if (other == me)
        parcel.landing = placed(move.to, landing);
      else if (needs_landing(way))
        parcel.landing = placed(move.to, to.array->memory(to.side).of(other));
      else
        kept += move.from.bytes();
      parcels.push_back(parcel);
    }
    if (other == me) continue;
    const auto coming = boxes(other, me);
    const Route back = route(other, me, coming);
    for (const SectionMove& move : coming) {
      parcels.push_back({other, me, back, {}, placed(move.to, landing)});
      if (!needs_landing(back)) kept += move.to.bytes();
    }
  }
  transfer_ = std::make_unique<Transfer>(device_, ranks, parcels);
  kept_bytes_ = reduce_max(ranks, kept + static_cast<long>(before_.bytes()));
}

void Redistribution::whole() {
  if (!transfer_) return;
  if (copied_) copied_->enqueue(device_.stream());
  transfer_->whole(device_.stream());
  device_.stream().synchronize();
}

void assign(const Section& to, const Section& from, const Ranks& executing) {
  Redistribution(to, from, executing).whole();
}

void fetch(const Section& to, const Section& from, const Loan& lent, const Ranks& executing) {
  const SectionMoves moves(side_of(to, executing), side_of(from, executing));
  const Nodes &receivers = moves.to().alignment.nodes(), &senders = moves.from().alignment.nodes();
  const auto mine = receivers.number_of(executing.world().rank());
  if (!mine) return;
  char* const landing = memory_of(to);
  Requests requests;
  for (int node = 0; node < senders.size(); ++node)
    moves.each(*mine, node, [&](const SectionMove& move) {
      each_row(move.from, move.to, [&](long there, long here, long bytes, long times, long step, long own) {
        requests.add(lent.get(lent.place_of(senders.rank(node)), byte_rows(there, bytes, times, step),
                              landing + here, static_cast<std::uint64_t>(own)));
      });
    });
  requests.wait();
}

void store(const Section& to, const Loan& lent, const Section& from, const Ranks& executing) {
  const SectionMoves moves(side_of(to, executing), side_of(from, executing));
  const Nodes &receivers = moves.to().alignment.nodes(), &senders = moves.from().alignment.nodes();
  const auto mine = senders.number_of(executing.world().rank());
  if (!mine) return;
  const char* const sent = memory_of(from);
  Requests requests;
  for (int node = 0; node < receivers.size(); ++node)
    moves.each(node, *mine, [&](const SectionMove& move) {
      each_row(move.to, move.from, [&](long there, long here, long bytes, long times, long step, long own) {
        requests.add(lent.put(lent.place_of(receivers.rank(node)), byte_rows(there, bytes, times, step),
                              sent + here, static_cast<std::uint64_t>(own)));
      });
    });
  requests.wait();
}

} // namespace tasuki
