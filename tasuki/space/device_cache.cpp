#include <tasuki/space/device_cache.hpp>

#include <tasuki/device/buffer.hpp>
#include <tasuki/device/memory.hpp>
#include <tasuki/space/diff.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace tasuki::space {

DeviceCache::DeviceCache(Device& device, Addresses& addresses, Server& server, Told told)
    : device_(device), addresses_(addresses), server_(server), told_(std::move(told)) {
  server_.answer_for_devices(
      [this](const Head& head, const char* rest, std::size_t count) { return answer(head, rest, count); });
}

DeviceCache::~DeviceCache() {
  for (const auto& [step, copy] : copies_) addresses_.drop(at(step));
}

bool DeviceCache::has(std::uint64_t step) const {
  const std::lock_guard lock(mutex_);
  return copies_.contains(step);
}

bool DeviceCache::map(std::uint64_t step) {
  if (!addresses_.put(at(step))) return false;
  if (told_) told_(step, true);
  return true;
}
void DeviceCache::unmap(std::uint64_t step) {
  if (told_) told_(step, false);
  addresses_.drop(at(step));
}

// By the courier as well, beside what the device computes.
std::vector<char> DeviceCache::read(std::uint64_t step) const {
  std::vector<char> bytes(addresses_.step());
  device_.use();
  store_at_once(device_, bytes.data(), at(step), bytes.size());
  return bytes;
}
void DeviceCache::write(std::uint64_t step, const std::vector<char>& bytes) {
  store_at_once(device_, at(step), bytes.data(), bytes.size());
}

std::vector<char> DeviceCache::answer(const Head& head, const char* rest, std::size_t count) {
  if (head.ask == Ask::read_step) return read(head.number);
  const std::lock_guard lock(kept_mutex_);
  kept_.emplace_back(static_cast<int>(head.ticket), std::vector<char>(rest, rest + count));
  return {};
}

// Several questions are under way at once.
void DeviceCache::fetch(const std::vector<std::uint64_t>& steps) {
  constexpr std::size_t kAtOnce = 8;
  std::deque<std::pair<std::uint64_t, Letter>> under_way;
  const auto come = [&] {
    const auto [step, letter] = under_way.front();
    under_way.pop_front();
    server_.wait(letter);
    std::vector<char> bytes = letter->take();
    write(step, bytes);
    Copy& copy = copies_.at(step);
    copy.counts->bytes_in += bytes.size();
    if (copy.written) copy.twin = std::move(bytes);
  };
  for (const std::uint64_t step : steps) {
    const Head head{.ask = Ask::read_step, .number = step};
    under_way.emplace_back(step, server_.send(copies_.at(step).home, question(head), addresses_.step()));
    if (under_way.size() == kAtOnce) come();
  }
  while (!under_way.empty()) come();
}

void DeviceCache::bring(const std::vector<Wanted>& wanted, bool write, Keep keep) {
  const std::lock_guard lock(mutex_);
  device_.use();
  std::vector<std::uint64_t> missing;
  for (const Wanted& one : wanted) {
    const auto [found, is_new] = copies_.try_emplace(one.step);
    Copy& copy = found->second;
    copy.keep = std::max(copy.keep, keep);
    if (is_new) {
      copy.home = one.home;
      copy.counts = one.counts;
      copy.written = write;
      if (map(one.step)) {
        missing.push_back(one.step);
        ++copy.counts->by_section;
        if (write) ++copy.counts->first_writes;
        continue;
      }
      copies_.erase(found);
      for (const std::uint64_t step : missing) { // nothing has come into them
        unmap(step);
        copies_.erase(step);
      }
      throw Error(
          fmt::format("rank {}'s device has no memory left for copies of what other nodes have; {} are there",
                      device_.world().rank(), bytes_text(copies_.size() * addresses_.step())),
          "preload smaller sections, and give them back (sms_sync_drop)");
    }
    if (write && !copy.written) {
      copy.written = true;
      ++copy.counts->first_writes;
      copy.twin = read(one.step);
    }
  }
  fetch(missing);
}

void DeviceCache::send_home() {
  const std::size_t bytes = addresses_.step();
  Outbox out(server_, {.ask = Ask::keep_steps, .ticket = static_cast<std::uint64_t>(device_.world().rank())});
  for (const auto& [step, copy] : copies_) {
    if (!copy.written) continue;
    const std::vector<char> now = read(step);
    std::vector<char>& to = out.to(copy.home);
    const std::size_t before = to.size();
    append_patch(to, step, now.data(), copy.twin.data(), bytes);
    copy.counts->bytes_out += to.size() - before;
    out.grown(copy.home);
  }
  out.finish();
}

void DeviceCache::take_in() {
  const std::lock_guard lock(kept_mutex_);
  std::stable_sort(kept_.begin(), kept_.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::map<std::uint64_t, std::vector<Patch>> by_step; // the highest rank's last
  for (const auto& [rank, text] : kept_) {
    Patches patches(text.data(), text.size(), addresses_.step());
    while (const auto patch = patches.next()) by_step[patch->page].push_back(*patch);
  }
  for (const auto& [step, patches] : by_step) {
    std::vector<char> now = read(step);
    for (const Patch& patch : patches) apply(patch, now.data());
    write(step, now);
  }
  kept_.clear();
}

void DeviceCache::refresh(bool drop) {
  std::vector<std::uint64_t> held;
  for (auto copy = copies_.begin(); copy != copies_.end();) {
    const Keep keep = copy->second.keep;
    if (keep == Keep::always || (keep == Keep::held && !drop)) {
      held.push_back(copy->first);
      ++copy;
      continue;
    }
    unmap(copy->first);
    copy = copies_.erase(copy);
  }
  fetch(held);
}

void DeviceCache::forget(std::uint64_t step, std::uint64_t count) {
  const auto end = copies_.lower_bound(step + count);
  for (auto copy = copies_.lower_bound(step); copy != end; copy = copies_.erase(copy)) unmap(copy->first);
}

} // namespace tasuki::space
