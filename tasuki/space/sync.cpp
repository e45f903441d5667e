// A synchronisation: what was written goes to its homes, homes tell who has stale copies, and everybody's view follows.
//
//   all come | written pages -> homes | all come | homes apply, tell holders | all come | views are adjusted
//
// Between the first and the last of these nobody touches the space, so nothing is written meanwhile.
#include <tasuki/space/core.hpp>

#include <tasuki/base/gather.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/space/diff.hpp>

#include <string>
#include <vector>

namespace tasuki {

using namespace space;

namespace {

constexpr const char* kSynchronises = "synchronises a space";

Terms made_and_freed(const Arrays& arrays) {
  return {{"arrays made and freed", std::to_string(arrays.digest() % 1000000)}};
}

} // namespace

// Ranks that made other arrays would take each other's pages for their own.
void Space::Core::check_alike() { agree(world, kSynchronises, made_and_freed(arrays)); }

Space::Core::Busy Space::Core::meet(const Busy& mine, std::uint64_t digest, const std::string& act,
                                    const std::function<Terms()>& terms) {
  expect_rank();
  const auto all = reduce_max(world, std::vector<std::uint64_t>{mine.host, mine.devices, digest, ~digest});
  if (all[2] != ~all[3]) agree(world, act, terms());
  return {all[0] != 0, all[1] != 0};
}

// All devices have done what they had to.
void Space::Core::sync_devices(bool drop) {
  space::DeviceCache& copies = *devices->cache();
  copies.send_home();
  barrier(world, "the other ranks to send what they wrote over devices");
  copies.take_in();
  barrier(world, "the other ranks to take in what was written over devices");
  copies.refresh(drop);
  barrier(world, "the other ranks to bring copies in devices up to date");
}

void Space::Core::sync(bool drop, bool drop_of_devices) {
  {
    const std::lock_guard lock(locks_mutex);
    if (!locks.empty())
      throw Error("a rank synchronises while it has lock " + std::to_string(locks.begin()->first),
                  "call sms_unlock first");
  }
  ++syncs;
  if (devices) devices->settle();
  const Busy mine{remote() && (pages.listed() > 0 || home.holders()),
                  devices && devices->cache() && devices->cache()->any()};
  const Busy any = meet(mine, arrays.digest(), kSynchronises, [this] { return made_and_freed(arrays); });
  if (any.devices) sync_devices(drop_of_devices);
  log_position = 0;
  if (world.rank() == 0 && server) server->locks().forget();
  if (!any.host) {
    barrier(world, "the other ranks to synchronise"); // nobody takes a lock before the log is empty
    return;
  }

  {
    Outbox written(*server, {.ask = Ask::keep, .node = world.node()});
    cache->flush(world.node_rank(), world.node_size(), [&](int to, std::uint64_t page) {
      std::vector<char>& out = written.to(to);
      const std::size_t before = out.size();
      append_patch(out, page, range.page(page), range.twin(page), range.page_bytes());
      arrays.find(page)->counts.bytes_out += out.size() - before;
      written.grown(to);
    });
    written.finish();
  }
  barrier(world, "the other ranks to send what they wrote");

  std::optional<Home::Clash> clash;
  {
    // What a node is told goes to one of its ranks; those of this node share the work.
    Outbox updates(*server, {.ask = Ask::notices, .node = world.node()});
    std::map<int, std::vector<std::uint64_t>> drops;
    clash = home.reconcile([&](int node, std::uint64_t page, const std::vector<char>* patch) {
      const auto& there = ranks_of[static_cast<std::size_t>(node)];
      const int rank = there[static_cast<std::size_t>(world.node_rank()) % there.size()];
      if (!patch) {
        drops[rank].push_back(page);
        return;
      }
      std::vector<char>& out = updates.to(rank);
      out.insert(out.end(), patch->begin(), patch->end());
      updates.grown(rank);
    });
    updates.finish();
    std::vector<Letter> letters;
    for (const auto& [rank, list] : drops) {
      constexpr std::size_t kPiece = kMostBytes / 2 / sizeof(std::uint64_t);
      for (std::size_t at = 0; at < list.size(); at += kPiece) {
        const std::size_t end = std::min(list.size(), at + kPiece);
        auto text = question({.ask = Ask::notices, .node = world.node(), .number = end - at});
        for (std::size_t k = at; k < end; ++k) put(text, list[k]);
        letters.push_back(server->send(rank, std::move(text), 0));
      }
    }
    for (const Letter& letter : letters) server->wait(letter);
  }
  if (world.settings().races) {
    std::string line;
    if (clash) {
      const std::uint64_t byte = clash->page * range.page_bytes() + clash->byte;
      line = element(byte) + " was written differently by ranks " +
             std::to_string(ranks_of[static_cast<std::size_t>(clash->nodes[0])][0]) + " and " +
             std::to_string(ranks_of[static_cast<std::size_t>(clash->nodes[1])][0]);
    }
    const int first = reduce_min(world, clash ? world.rank() : world.size());
    if (first < world.size()) {
      share(world, line, first);
      throw Error(
          line + " between synchronisations " + std::to_string(syncs - 1) + " and " + std::to_string(syncs),
          "put sms_sync between the two, or write it under a lock");
    }
  } else {
    barrier(world, "the other ranks to bring copies up to date");
  }
  if (drop) cache->drop_all(world.node_rank(), world.node_size());
  if (drop) barrier(Ranks::of_node(world), "the ranks of the node to give copies back");
  cache->adjust();
  const Ranks node = Ranks::of_node(world);
  barrier(node, "the ranks of the node to adjust their views");
  if (world.node_rank() == 0) pages.compact();
  if (drop) home.forget_holders();
  // A rank that goes on may ask any other for a page; none has forgotten its holders after that.
  if (drop)
    barrier(world, "the other ranks to give copies back");
  else
    barrier(node, "the ranks of the node to go on");
}

void Space::Core::take(const char* notices, std::size_t bytes, std::uint64_t drops) {
  for (std::uint64_t k = 0; k < drops; ++k) cache->drop(get<std::uint64_t>(notices, k));
  const std::size_t past = drops * sizeof(std::uint64_t);
  Patches updates(notices + past, bytes - past, range.page_bytes());
  while (const auto patch = updates.next()) cache->update(*patch);
}

} // namespace tasuki
