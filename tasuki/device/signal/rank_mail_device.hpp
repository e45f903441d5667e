// How a kernel of one thread block exchanges mail between ranks. For *.cu files and headers that they include.
#pragma once

#include <tasuki/device/signal/rank_mail.hpp>
#include <tasuki/device/signal/watch_device.hpp>

namespace tasuki::cuda {

// Completes the turn; to be called after all threads of the block have traded.
__device__ __forceinline__ void end_turn(const RankMailHandle& mail, Flag turn) { *mail.turn = turn; }

// A thread's share of a turn: sends this rank's parts, and stores the parts of all ranks in order into `all`, which the
// block shares. If a wait is aborted, its units are undefined.
__device__ __forceinline__ void trade(const RankMailHandle& mail, const MailParts& parts, Flag turn,
                                      MailUnit* all) {
  const int units = parts.units(), total = units * mail.ranks, threads = static_cast<int>(blockDim.x);
  for (int i = static_cast<int>(threadIdx.x); i < total; i += threads) {
    const int rank = i / units, k = i - rank * units;
    if (rank == mail.me)
      all[i] = parts.unit(k);
    else
      mail.send(rank, k, parts.unit(k), turn);
  }
  Patience patience(mail.watch);
  bool come = true;
  for (int i = static_cast<int>(threadIdx.x); i < total; i += threads) {
    const int rank = i / units, k = i - rank * units;
    if (rank == mail.me) continue;
    const char* const from = mail.words(mail.me, rank, k, turn);
    unsigned long long low = 0, high = 0;
    for (;;) {
      low = detail::load_word(from);
      high = detail::load_word(from + 8);
      if (detail::turn_of(low) == turn && detail::turn_of(high) == turn) break;
      if (come) come = patience.lasts(rank);
      if (!come) break;
    }
    all[i] = detail::number_of(low) | MailUnit{detail::number_of(high)} << 32;
  }
}

} // namespace tasuki::cuda
