#include <tasuki/base/reduce.hpp>
#include <tasuki/device/signal/watch.hpp>
#include <tasuki/program/merged_parts.hpp>
#include <tasuki/run/host_look.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace tasuki {
namespace {

constexpr std::size_t kMostTogether = 32;
constexpr double kTellEvery = 0.1; // seconds

} // namespace

long next_stop(const Until& until, long done, long end) {
  const long last = done / until.every * until.every, next = last + until.every;
  const bool open =
      HostLook::possible(until) && done < last + until.late; // before the first look too: graphs repeat
  return std::min(end, open ? std::min(next, last + until.late) : next);
}

bool HostLook::possible(const Until& until) { return until.reduction && until.decides; }

struct HostLook::Spare {
  std::map<DeviceKind, std::vector<std::unique_ptr<Note>>> notes;

  std::unique_ptr<Note> take(Device& device) {
    auto& left = notes[device.kind()];
    if (left.empty())
      return std::make_unique<Note>(
          Note{Buffer(device, sizeof(ExactSum), Memory::pinned), Event(device.kind())});
    auto note = std::move(left.back());
    left.pop_back();
    return note;
  }
  static std::shared_ptr<Spare> of(World& world) {
    struct OfWorld { // a part of it
      explicit OfWorld(World&) : spare(std::make_shared<Spare>()) {}
      std::shared_ptr<Spare> spare;
    };
    return world.part<OfWorld>().spare;
  }
};

HostLook::HostLook(Device& device, const Until& until)
    : device_(device),
      until_(until),
      spare_(Spare::of(device.world())),
      places_(until.tests ? 2 : kMostTogether + 1),
      paced_(std::chrono::steady_clock::now()) {
  CopyPair pair; // of a sum's digits, or of a value that is shorter
  pair.from.base = const_cast<char*>(until.reduction->part());
  pair.from.run = pair.to.run = until.reduction->part_bytes();
  for (Place& place : places_) {
    place.note = spare_->take(device);
    pair.to.base = place.note->part.data();
    place.copy = EngineCopies(device, {pair});
  }
}

HostLook::~HostLook() {
  for (Place& place : places_) spare_->notes[device_.kind()].push_back(std::move(place.note));
}

std::optional<long> HostLook::asked() const {
  return asked_.empty() ? std::nullopt : std::optional(asked_.front());
}

HostLook::Place& HostLook::place_of(std::size_t look) { return places_[(first_ + look) % places_.size()]; }

void HostLook::ask(long step) {
  until_.reduction->need_swept();
  Place& place = place_of(asked_.size());
  place.copy.enqueue(device_.stream());
  place.note->done.record(device_.stream());
  asked_.push_back(step);
}

std::optional<long> HostLook::decide(long done, long latest, bool all) {
  const auto count = static_cast<std::size_t>(std::count_if(
      asked_.begin(), asked_.end(), [&](long step) { return step < latest || step + until_.late <= done; }));
  if (count == 0 || (!until_.tests && !all && count < together_)) return {};
  const Event& last = place_of(count - 1).note->done;
  device_.world().part<Watch>().wait_until([&] { return last.reached(); });
  std::vector<std::vector<char>> parts;
  for (std::size_t k = 0; k < count; ++k) {
    const char* const part = place_of(k).note->part.data();
    parts.emplace_back(part, part + until_.reduction->part_bytes());
  }
  parts = detail::merged_parts(device_.world(), {count, until_.reduction.get()}, std::move(parts));
  std::optional<long> ends;
  for (const std::vector<char>& value : parts) {
    const long step = std::exchange(asked_.front(), 0);
    asked_.pop_front();
    first_ = (first_ + 1) % places_.size();
    if (until_.told) until_.told(step, value);
    if (!ends && until_.tests && until_.decides(value)) ends = step;
  }
  if (!until_.tests) pace(count);
  return ends;
}

// From a time that all ranks have.
void HostLook::pace(std::size_t decided) {
  const auto now = std::chrono::steady_clock::now();
  const double took = std::chrono::duration<double>(now - std::exchange(paced_, now)).count();
  const double each = reduce_max(device_.world(), std::vector{took})[0] / static_cast<double>(decided);
  const double fit = kTellEvery / std::max(each, 1e-9);
  together_ = static_cast<std::size_t>(std::clamp(fit, 1.0, static_cast<double>(kMostTogether)));
}

} // namespace tasuki
