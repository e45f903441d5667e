#include <tasuki/run/look.hpp>

#include <tasuki/run/march.hpp>

#include <algorithm>
#include <cstring>

namespace tasuki {
namespace {

constexpr long kLine = 64; // bytes of a cache line

long padded(long bytes) { return (bytes + kLine - 1) / kLine * kLine; }

} // namespace

Looks looks_of(const Program& program, const Until& until) {
  if (!until.reached) return {};
  const bool in_kernels =
      program.grid().device().cuda() ? judged_in_kernel(program, until) : Look::possible(program, until);
  return {until.every, until.late > 0, in_kernels, until.told != nullptr};
}

bool Look::possible(const Program& program, const Until& until) {
  const auto& items = program.items();
  const bool calls = std::any_of(items.begin(), items.end(),
                                 [](const Item& item) { return std::holds_alternative<Call>(item.what); });
  return !calls && possible(program.grid().device(), until);
}

bool Look::possible(const Device& device, const Until& until) {
  return !device.cuda() && device.world().nodes() == 1 && until.reduction && until.decides && !until.told;
}

Look::Look(Device& device, const Until& until)
    : device_(device),
      until_(until),
      place_bytes_(padded(until.reduction->part_bytes())),
      board_(device, static_cast<std::size_t>(kLine + 2 * place_bytes_)),
      parts_(static_cast<std::size_t>(until.reduction->part_bytes() * device.world().size())) {
  const World& world = device.world();
  for (int rank = 0; rank < world.size(); ++rank) {
    const bool mine = rank == world.rank();
    rooms_.push_back(mine ? board_.data() : board_.peer(world.node_rank_of(rank)));
    if (!mine) others_.push_back({reinterpret_cast<Flag*>(rooms_.back()), rank});
  }
}

long Look::sure(long step) const {
  if (reached()) return end_;
  const long undecided = asked_ != kNever ? asked_ : (step + until_.every - 1) / until_.every * until_.every;
  return undecided + until_.late;
}

void Look::after(long step, bool ends) {
  if (reached()) return;
  const bool looks = step % until_.every == 0;
  if (asked_ != kNever && (looks || ends || step >= asked_ + until_.late)) decide();
  if (reached() || !looks) return;
  publish(step);
  if (until_.late == 0 || ends) decide();
}

// Reuses the part of the look before last: a rank that has decided the last look has read it.
void Look::publish(long step) {
  asked_ = step;
  ++turn_;
  char* const mine = rooms_[static_cast<std::size_t>(device_.world().rank())];
  until_.reduction->write_part(mine + kLine + (turn_ & 1) * place_bytes_);
  raise(device_.stream(), {reinterpret_cast<Flag*>(mine)}, turn_);
}

void Look::decide() {
  await(device_, device_.stream(), others_, turn_, "another rank's part of a reduction");
  const long bytes = until_.reduction->part_bytes();
  for (std::size_t rank = 0; rank < rooms_.size(); ++rank)
    std::memcpy(&parts_[rank * static_cast<std::size_t>(bytes)],
                rooms_[rank] + kLine + (turn_ & 1) * place_bytes_, static_cast<std::size_t>(bytes));
  if (until_.decides(parts_)) end_ = asked_ + until_.late;
  asked_ = kNever;
}

} // namespace tasuki
