// Exchange of a few bytes between all ranks of a node, without the host: used for the partial results of reductions.
//
// A rank stores its words, each with its turn, into a mailbox of every other rank (mail_word.hpp). Two boxes a sender,
// which alternate, suffice: a rank writes words of turn t + 2 after it has read all words of turn t + 1, each of which
// was sent by a rank that had read all words of turn t.
#pragma once

#include <tasuki/device/signal/mail_word.hpp>
#include <tasuki/device/signal/signal.hpp>
#include <tasuki/device/signal/watch.hpp>

#include <cstring>
#include <memory>
#include <vector>

namespace tasuki {

using MailUnit = unsigned long long; // 8 bytes, sent as two words

// The data that a rank sends: lists of units in its device's memory, in sets whose lists have the same sizes.
struct MailParts {
  static constexpr int kMost = 128, kMostOfASet = 16; // lists
  const char* from[kMost] = {};                       // set by set
  int end[kMostOfASet] = {};                          // units of a list and of all lists before it in a set
  int lists = 0, sets = 0;                            // lists: per set
  bool fit = true;

  // Adds a list, set by set from 0. The address and `bytes` are multiples of 8. With too many lists, `fit` is false.
  void add(int set, const char* data, long bytes) {
    if (set == 0 && lists < kMostOfASet) {
      end[lists] = set_units() + static_cast<int>(bytes / 8);
      added = lists++;
    } else {
      fit = fit && set > 0;
      ++added;
    }
    sets = set + 1;
    fit = fit && added < kMost;
    if (fit) from[added] = data;
  }
  TS_HD int set_units() const { return lists > 0 ? end[lists - 1] : 0; }
  TS_HD int units() const { return sets * set_units(); }
  TS_HD int begin(int list) const { return list > 0 ? end[list - 1] : 0; } // in a set
  TS_HD MailUnit unit(int k) const {
    const int set = k / set_units();
    k -= set * set_units();
    int list = 0;
    while (k >= end[list]) ++list;
    MailUnit unit;
    const char* const at = from[set * lists + list] + 8L * (k - begin(list));
    memcpy(&unit, __builtin_assume_aligned(at, 8), sizeof unit);
    return unit;
  }

private:
  int added = -1; // position of the list added last
};

// The plain data that kernels use (rank_mail_device.hpp).
struct RankMailHandle {
  static constexpr int kMostRanks = 16;
  static constexpr int kUnits = 5120; // of all ranks per turn: what fits into shared memory

  char* box[kMostRanks] = {}; // of each rank of the world, as mapped into this rank
  int ranks = 0, me = 0;      // ranks: 0 if some rank cannot reach another
  Flag* turn = nullptr;       // the last completed turn, in device memory
  WatchHandle watch;

  static constexpr long kBytes = 2L * kUnits * 2 * sizeof(MailUnit); // per box
  // The address of the two words of unit k from `sender` in the box of `receiver`.
  TS_HD char* words(int receiver, int sender, int k, Flag at) const {
    const int room = kUnits / ranks; // units per sender
    return box[receiver] + 16L * ((static_cast<int>(at & 1u) * ranks + sender) * room + k);
  }
  TS_HD void send(int receiver, int k, MailUnit unit, Flag at) const {
    char* const to = words(receiver, me, k, at);
    detail::store_word(to, detail::word_of(static_cast<unsigned>(unit), at));
    detail::store_word(to + 8, detail::word_of(static_cast<unsigned>(unit >> 32), at));
  }
};

// A part of the device: device.part<RankMail>(). The first use is collective.
class RankMail {
public:
  explicit RankMail(Device& device);

  // Whether mail of this size and between these ranks is possible: the same result on every rank.
  bool carries(const MailParts& parts) const {
    return handle_.ranks > 0 && parts.fit && parts.units() * handle_.ranks <= RankMailHandle::kUnits;
  }
  const RankMailHandle& handle() const { return handle_; }

  // On a host: the parts of all ranks, in the order of ranks; valid until the next call. Collective.
  MailUnit* trade(const MailParts& parts);

private:
  World& world_;
  std::unique_ptr<SharedBuffer> boxes_;
  DeviceTurn turn_;
  RankMailHandle handle_;
  std::vector<MailUnit> all_;
};

} // namespace tasuki
