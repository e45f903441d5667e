// Locks and atomic acts of a space: rank 0 keeps the locks (see Locks), homes do the acts.
//
// Who lets a lock go has sent home what it wrote, and says which pages that were; who takes one brings those that others wrote
// up to date. Own pages that changed under the hands of this node's ranks are found by their twins.
#include <tasuki/space/core.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

namespace tasuki {

using namespace space;

namespace {

constexpr int kKeeper = 0; // the rank

std::vector<std::uint64_t> numbers_in(const std::vector<char>& reply) {
  std::vector<std::uint64_t> numbers(reply.size() / sizeof(std::uint64_t));
  if (!numbers.empty()) std::memcpy(numbers.data(), reply.data(), numbers.size() * sizeof(std::uint64_t));
  return numbers;
}

} // namespace

// Asks for the lock, and brings what its last owner wrote. False where it is another's yet.
bool Space::Core::ask_for_lock(std::uint64_t number, std::uint64_t ticket) {
  if (!server) {
    const std::lock_guard guard(locks_mutex);
    return own_locks.take(number, ticket);
  }
  for (;;) {
    const std::uint64_t position = log_position;
    const auto reply = numbers_in(server->ask(kKeeper,
                                              question({.ask = Ask::lock,
                                                        .node = world.node(),
                                                        .number = number,
                                                        .ticket = ticket,
                                                        .position = position}),
                                              (2 + kPagesInReply) * sizeof(std::uint64_t)));
    const std::uint64_t reached = std::min(reply[1], position + kPagesInReply);
    if (cache) cache->refresh({reply.begin() + 2, reply.end()});
    for (std::uint64_t was = log_position;
         was < reached && !log_position.compare_exchange_weak(was, reached);) {}
    if (!reply[0]) return false;
    if (reached == reply[1])
      return true; // what was read of the log when it was granted is all that its last owner wrote
  }
}

void Space::lock(std::uint64_t number) {
  Core& core = *core_;
  const std::uint64_t ticket = ticket_of(core.world.rank(), core.next_ticket++);
  {
    const std::lock_guard guard(core.locks_mutex);
    const auto found = core.locks.find(number);
    if (found != core.locks.end() && found->second.thread == std::this_thread::get_id())
      throw Error("a thread takes lock " + std::to_string(number) + ", which it has",
                  "call sms_unlock first");
  }
  // Who came too early is told when it is its turn, once.
  Grants& grants = core.server ? core.server->grants() : core.own_grants;
  if (!core.ask_for_lock(number, ticket)) {
    while (!grants.wait(ticket, std::chrono::milliseconds(500)))
      core.world.expect_neighbours("another rank to let a shared lock go");
    core.ask_for_lock(number, ticket);
  }
  const std::lock_guard guard(core.locks_mutex);
  core.locks[number] = {ticket, std::this_thread::get_id()};
}

void Space::unlock(std::uint64_t number) {
  Core& core = *core_;
  std::uint64_t ticket = 0;
  {
    const std::lock_guard guard(core.locks_mutex);
    const auto found = core.locks.find(number);
    if (found == core.locks.end() || found->second.thread != std::this_thread::get_id())
      throw Error("lock " + std::to_string(number) + " is let go by a thread that has it not",
                  "call sms_unlock after sms_lock, from the same thread");
    ticket = found->second.ticket;
    core.locks.erase(found);
  }
  if (core.devices) core.devices->settle(); // what kernels wrote under the lock
  if (!core.server) {
    const std::lock_guard guard(core.locks_mutex);
    if (const auto next = core.own_locks.release(number, ticket, 0, {})) core.own_grants.give(*next);
    return;
  }
  // What ranks of a node have written goes home by whoever comes first, under whichever lock. Who finds it gone may not let
  // its own lock go before the keeper knows: so until then it is nobody else's turn.
  std::optional<Pages::Turn> turn;
  std::vector<std::uint64_t> pages;
  if (core.cache) {
    turn.emplace(core.pages);
    pages = core.cache->settle_all();
    for (const int rank : core.ranks_of[static_cast<std::size_t>(core.world.node())])
      for (std::size_t came = kPagesInReply; came == kPagesInReply;) {
        const auto changed = rank == core.world.rank()
                                 ? core.home.changes(kPagesInReply)
                                 : numbers_in(core.server->ask(rank, question({.ask = Ask::changes}),
                                                               kPagesInReply * sizeof(std::uint64_t)));
        pages.insert(pages.end(), changed.begin(), changed.end());
        came = changed.size();
      }
  }
  auto text = question({.ask = Ask::unlock, .node = core.world.node(), .number = number, .ticket = ticket});
  for (const std::uint64_t page : pages) put(text, page);
  core.server->ask(kKeeper, text, 0);
}

std::uint64_t Space::act(int kind, void* element, std::size_t bytes, std::uint64_t value,
                         std::uint64_t expected) {
  Core& core = *core_;
  if (const DeviceArray* const there = core.on_devices(element))
    throw Error("an atomic act is asked for on " + there->name + ", which lies over devices",
                "let a kernel do it (atomicAdd_system), or take memory of the host");
  const Array& array = core.arrays.at(element, "an atomic act");
  const auto byte = static_cast<std::uint64_t>(static_cast<char*>(element) - core.range.view());
  if (byte % bytes != 0)
    throw Error("an atomic act is asked for at an address that is no multiple of " + std::to_string(bytes),
                "give the address of an element");
  const Ask ask = kind == 0 ? Ask::add : kind == 1 ? Ask::exchange : Ask::compare;
  const Head head{.ask = ask,
                  .node = core.world.node(),
                  .number = byte,
                  .ticket = bytes,
                  .value = value,
                  .expected = expected};
  const int home = array.home(byte / core.range.page_bytes());
  if (core.world.same_node(home, core.world.rank())) return act_on(core.range.page(0) + byte, head);
  return get<std::uint64_t>(core.server->ask(home, question(head), sizeof(std::uint64_t)).data());
}

} // namespace tasuki
