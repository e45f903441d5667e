#include <tasuki/device/signal/watch.hpp>
#include <tasuki/program/merged_parts.hpp>
#include <tasuki/run/host_look.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace tasuki {

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

HostLook::HostLook(Device& device, std::shared_ptr<detail::ReductionCore> reduction)
    : device_(device), reduction_(std::move(reduction)), spare_(Spare::of(device.world())) {
  const long bytes = reduction_->part_bytes(); // of a sum's digits, or of a value that is shorter
  for (std::size_t k = 0; k < notes_.size(); ++k) {
    notes_[k] = spare_->take(device);
    CopyPair pair;
    pair.from.base = const_cast<char*>(reduction_->part());
    pair.to.base = notes_[k]->part.data();
    pair.from.run = pair.to.run = bytes;
    copies_[k] = EngineCopies(device, {pair});
  }
}

HostLook::~HostLook() {
  for (auto& note : notes_) spare_->notes[device_.kind()].push_back(std::move(note));
}

void HostLook::ask(long step) {
  reduction_->need_swept();
  const std::size_t k = asked_[0] ? 1 - first_ : first_;
  copies_[k].enqueue(device_.stream());
  notes_[k]->done.record(device_.stream());
  asked_[asked_[0] ? 1 : 0] = step;
}

bool HostLook::decide(const Until& until) {
  const Note& note = *notes_[first_];
  device_.world().part<Watch>().wait_until([&] { return note.done.reached(); });
  std::vector<char> part(note.part.data(), note.part.data() + reduction_->part_bytes());
  asked_ = {std::exchange(asked_[1], std::nullopt), std::nullopt};
  first_ = 1 - first_;
  return until.decides(detail::merged_parts(device_.world(), {reduction_.get()}, {std::move(part)}).front());
}

} // namespace tasuki
