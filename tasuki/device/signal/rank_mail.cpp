#include <tasuki/device/signal/rank_mail.hpp>

#include <tasuki/device/signal/reach.hpp>

#include <cstdint>

namespace tasuki {

RankMail::RankMail(Device& device) : world_(device.world()) {
  World& world = world_;
  handle_.watch = world.part<Watch>().handle();
  if (world.size() > 1 && (world.size() > RankMailHandle::kMostRanks || !device.part<Reach>().all())) return;
  turn_ = DeviceTurn(device);
  handle_.turn = turn_.word();
  handle_.ranks = world.size();
  handle_.me = world.rank();
  if (world.size() == 1) return;
  boxes_ = std::make_unique<SharedBuffer>(device, RankMailHandle::kBytes);
  for (int rank = 0; rank < world.size(); ++rank) handle_.box[rank] = boxes_->peer(world.node_rank_of(rank));
}

MailUnit* RankMail::trade(const MailParts& parts) {
  const int units = parts.units(), ranks = handle_.ranks;
  const Flag turn = ++*handle_.turn;
  all_.resize(static_cast<std::size_t>(units * ranks));
  for (int k = 0; k < units; ++k) {
    const MailUnit unit = parts.unit(k);
    for (int rank = 0; rank < ranks; ++rank)
      if (rank != handle_.me) handle_.send(rank, k, unit, turn);
    all_[static_cast<std::size_t>(handle_.me * units + k)] = unit;
  }
  const auto number_at = [&](const char* from) {
    unsigned long long word = 0;
    const auto come = [&] {
      word = detail::load_word(from);
      return detail::turn_of(word) == turn;
    };
    if (!come()) world_.wait_until(come, "a neighbour's part of a reduction");
    return MailUnit{detail::number_of(word)};
  };
  for (int rank = 0; rank < ranks; ++rank)
    for (int k = 0; k < units && rank != handle_.me; ++k) {
      const char* const from = handle_.words(handle_.me, rank, k, turn);
      all_[static_cast<std::size_t>(rank * units + k)] = number_at(from) | number_at(from + 8) << 32;
    }
  return all_.data();
}

} // namespace tasuki
