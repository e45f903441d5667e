#include <tasuki/device/signal/watch.hpp>
#include <tasuki/program/merged_parts.hpp>
#include <tasuki/run/host_look.hpp>
#include <tasuki/run/kept.hpp>

#include <algorithm>
#include <utility>

namespace tasuki {

long next_stop(const Until& until, long done, long end) {
  const long last = done / until.every * until.every, next = last + until.every;
  const bool open = HostLook::possible(until) && last > 0 && done < last + until.late;
  return std::min(end, open ? std::min(next, last + until.late) : next);
}

bool HostLook::possible(const Until& until) { return until.reduction && until.decides; }

HostLook::HostLook(Device& device, std::shared_ptr<detail::ReductionCore> reduction)
    : device_(device),
      reduction_(std::move(reduction)),
      notes_{Note{{}, {}, Event(device.kind())}, Note{{}, {}, Event(device.kind())}} {
  const long bytes = reduction_->part_bytes();
  for (Note& note : notes_) {
    note.part = Buffer(device, static_cast<std::size_t>(bytes), Memory::pinned);
    CopyPair pair;
    pair.from.base = const_cast<char*>(reduction_->part());
    pair.to.base = note.part.data();
    pair.from.run = pair.to.run = bytes;
    note.copy = EngineCopies(device, {pair});
  }
}

std::shared_ptr<HostLook> HostLook::of(const Program& program, const Until& until) {
  auto& look = Kept::of(program).looks[until.reduction.get()];
  if (!look) look = std::make_shared<HostLook>(program.grid().device(), until.reduction);
  look->asked_ = {}; // by a run that an error ended
  return look;
}

void HostLook::ask(long step) {
  reduction_->need_swept();
  Note& note = notes_[static_cast<std::size_t>(asked_[0] ? 1 - first_ : first_)];
  note.copy.enqueue(device_.stream());
  note.done.record(device_.stream());
  asked_[asked_[0] ? 1 : 0] = step;
}

bool HostLook::decide(const Until& until) {
  const Note& note = notes_[static_cast<std::size_t>(first_)];
  device_.world().part<Watch>().wait_until([&] { return note.done.reached(); });
  std::vector<char> part(note.part.data(), note.part.data() + note.part.bytes());
  asked_ = {std::exchange(asked_[1], std::nullopt), std::nullopt};
  first_ = 1 - first_;
  return until.decides(detail::merged_parts(device_.world(), {reduction_.get()}, {std::move(part)}).front());
}

} // namespace tasuki
