#include <tasuki/transfer/alike.hpp>
#include <tasuki/transfer/transfer.hpp>

#include <tasuki/base/gather.hpp>
#include <tasuki/base/reduce.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace tasuki {
namespace {

// Numbers the transfers of a set of ranks for their message tags. The numbers are the same on all of these ranks.
struct TagCounter {
  explicit TagCounter(World&) {}
  std::map<decltype(std::declval<Ranks>().comm()), int> next; // by the communicator of the ranks
};
constexpr int kTags = 32768; // the smallest upper bound of tags that MPI allows

using Messages = std::map<int, std::vector<MessagePart>>; // by the other rank

std::vector<Message> listed(Messages&& messages) {
  std::vector<Message> list;
  for (auto& [rank, parts] : messages) list.push_back({rank, std::move(parts)});
  return list;
}

void check(const Ranks& ranks, const Parcel& parcel) {
  const World& world = ranks.world();
  const auto is_rank = [&](int rank) { return ranks.place_of(rank).has_value(); };
  const std::string text =
      "a parcel from rank " + std::to_string(parcel.from) + " to rank " + std::to_string(parcel.to);
  if (!is_rank(parcel.from) || !is_rank(parcel.to) ||
      (parcel.from != world.rank() && parcel.to != world.rank()))
    throw Error("rank " + std::to_string(world.rank()) + " lists " + text,
                "let each rank list what it sends and what it receives");
  if (row_of(parcel.route.channel).joins == Joins::itself && parcel.from != parcel.to)
    throw Error(text + " cannot go by channel " + to_string(parcel.route.channel),
                "give it a route that joins the two");
  if (row_of(parcel.route.channel).of_node && ranks.size() < world.size())
    throw Error(
        text + " cannot go by channel " + to_string(parcel.route.channel) + " between some ranks alone",
        "take channel mpi");
}

bool leaves_the_rank(const ChannelRow& row) { return row.joins != Joins::itself; }

} // namespace

bool Transfer::refuses(const Device& device, const std::vector<Parcel>& parcels, Turns turns) {
  return device.cuda() && turns == Turns::device &&
         any_rank(device.world(), std::any_of(parcels.begin(), parcels.end(), [](const Parcel& parcel) {
                    return row_of(parcel.route.channel).needs_host;
                  }));
}

Transfer::Transfer(Device& device, const std::vector<Parcel>& parcels, Turns turns)
    : Transfer(device, device.world(), parcels, turns) {}

Transfer::Transfer(Device& device, const Ranks& ranks, const std::vector<Parcel>& parcels, Turns turns)
    : counted_by_device_(device.cuda() && turns == Turns::device) {
  World& world = device.world();
  const int me = world.rank();
  for (const Parcel& parcel : parcels) check(ranks, parcel);
  compare_parcels(ranks, parcels);
  std::array<Messages, kChannels.size()> outgoing, incoming;
  for (const Parcel& parcel : parcels) {
    const auto kind = static_cast<std::size_t>(parcel.route.channel);
    if (parcel.from == me) {
      outgoing[kind][parcel.to].push_back({parcel.sent, parcel.landing, parcel.route.mode});
      legs_[kind].bytes += parcel.sent.bytes();
    }
    if (parcel.to == me) incoming[kind][parcel.from].push_back({parcel.landing, {}, parcel.route.mode});
  }
  if (refuses(device, parcels, turns))
    throw Error("what a device sends without its host cannot go by a channel that needs the host",
                "take routes within a node, or turns of the host");

  const int tag = world.part<TagCounter>().next[ranks.comm()]++ % kTags;
  for (std::size_t kind = 0; kind < kChannels.size(); ++kind) {
    const ChannelRow& row = kChannels[kind];
    Leg& leg = legs_[kind];
    leg.messages = static_cast<long>(outgoing[kind].size());
    if (row.stores && leaves_the_rank(row)) {
      for (const auto& [rank, parts] : outgoing[kind]) receivers_.push_back(rank);
      for (const auto& [rank, parts] : incoming[kind]) senders_.push_back(rank);
    }
    const bool here = !outgoing[kind].empty() || !incoming[kind].empty();
    if (row.of_node && ranks.size() == world.size() ? any_rank_of_node(world, here) : here)
      leg.channel = row.make(
          device, {listed(std::move(outgoing[kind])), listed(std::move(incoming[kind])), turns, tag, ranks});
  }
  for (auto* ranks : {&receivers_, &senders_}) std::sort(ranks->begin(), ranks->end());
}

namespace {

// Calls act(channel) for the channels within the rank, or for the others: from the fastest to the slowest, or back.
enum class First { fastest, slowest };
template <class Legs, class Act>
void each(Legs& legs, bool leaving, First first, const Act& act) {
  for (std::size_t k = 0; k < legs.size(); ++k) {
    const std::size_t kind = first == First::fastest ? k : legs.size() - 1 - k;
    if (legs[kind].channel && leaves_the_rank(kChannels[kind]) == leaving) act(*legs[kind].channel);
  }
}

} // namespace

void Transfer::wrap(Stream& stream) {
  each(legs_, false, First::fastest, [&](Channel& c) { c.whole(stream); });
}

// The slowest channel starts first, since its messages take the longest.
void Transfer::start(Stream& stream, bool free) {
  each(legs_, true, First::slowest, [&](Channel& c) { c.start(stream, free); });
}

void Transfer::finish(Stream& stream) {
  each(legs_, true, First::fastest, [&](Channel& c) { c.finish(stream); });
}

void Transfer::whole(Stream& stream, bool free) {
  if (!counted_by_device_) {
    start(stream);
    wrap(stream);
    finish(stream);
    return;
  }
  wrap(stream);
  each(legs_, true, First::slowest, [&](Channel& c) { c.whole(stream, free); });
}

bool Transfer::follows(const Transfer& earlier) const {
  return std::includes(earlier.senders_.begin(), earlier.senders_.end(), receivers_.begin(),
                       receivers_.end());
}

void Transfer::open(Stream& stream) {
  each(legs_, true, First::slowest, [&](Channel& c) { c.open(stream); });
}

void Transfer::share(int part, int parts) const {
  for (std::size_t kind = legs_.size(); kind-- > 0;)
    if (const auto& channel = legs_[kind].channel; channel && channel->copies())
      channel->copies()->share(part, parts);
}

void Transfer::close(Stream& stream) {
  each(legs_, true, First::fastest, [&](Channel& c) { c.close(stream); });
}

long Transfer::shared_cost() const {
  long cost = 0;
  for (const Leg& leg : legs_)
    if (leg.channel && leg.channel->copies()) cost += leg.channel->copies()->cost();
  return cost;
}

void Transfer::free_ahead(Stream& stream) {
  each(legs_, true, First::fastest, [&](Channel& c) { c.free_ahead(stream); });
}

} // namespace tasuki
