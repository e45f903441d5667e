// Words that travel by a channel: each says whence, where, when and which it is, so one that is sent before it is there, read
// before it has come, or in a wrong place is a wrong word in a log.
#pragma once

#include <tasuki/channel/channel.hpp>
#include <tasuki/device/buffer.hpp>
#include <tests/support.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tasuki::test {

using Word = std::uint64_t;

inline Word word_of(int exchange, int from, int to, long turn, long i) {
  Word w = static_cast<Word>(exchange) * 0x9e3779b97f4a7c15u;
  for (const long part : {static_cast<long>(from), static_cast<long>(to), turn, i})
    w = (w ^ static_cast<Word>(part + 1)) * 0xd6e8feb86659fd93u;
  return w;
}

inline Strided box_of_words(char* base, long first, long count) {
  Strided s;
  s.base = base + first * static_cast<long>(sizeof(Word));
  s.run = count * static_cast<long>(sizeof(Word));
  return s;
}

// One channel of a few neighbours on either side; all its turns are enqueued before any is looked at.
class Exchanged {
public:
  // Ranks lie in a ring, or in a row along which all goes one way.
  enum class Way { ring, row };
  // By which channel, how, and who counts its turns.
  struct By {
    ChannelKind kind = ChannelKind::mpi;
    PeerMode mode = PeerMode::stores;
    Turns turns = Turns::host;
  };
  Exchanged(Device& device, int number, long turns, const std::vector<long>& lengths, Way way = Way::ring,
            By by = {ChannelKind::mpi, PeerMode::stores, Turns::host})
      : device_(device), number_(number), turns_(turns), lengths_(lengths), way_(way) {
    lengths_.resize(std::min(lengths_.size(), static_cast<std::size_t>(size())));
    for (const long length : lengths_) cells_ += length;
    const auto bytes = static_cast<std::size_t>(cells_) * sizeof(Word);
    here_ = Buffer(device, bytes);
    if (row_of(by.kind).stores) {
      shared_ = std::make_unique<SharedBuffer>(device, bytes);
      there_ = shared_->data();
    } else {
      own_ = Buffer(device, bytes);
      there_ = own_.data();
    }
    const std::vector<char> zeros(bytes, 0);
    copy_to_device(device, there_, zeros.data(), bytes);
    given_ = Buffer(device, bytes * static_cast<std::size_t>(turns_));
    log_ = Buffer(device, bytes * static_cast<std::size_t>(turns_));

    std::vector<Word> all;
    for (long turn = 0; turn < turns_; ++turn)
      each([&](int near) {
        for (long i = 0; i < lengths_[near]; ++i) all.push_back(word_of(number_, rank(), to(near), turn, i));
      });
    copy_to_device(device, given_.data(), all.data(), all.size() * sizeof(Word));

    // Messages are listed by rank, once a rank.
    std::vector<Message> out, in;
    long at = 0;
    each([&](int near) {
      // In two parts, so that what is packed is not what lies in memory.
      const long half = lengths_[near] / 3;
      const auto parts = [&](char* base, char* landing) {
        std::vector<MessagePart> list;
        for (const auto& [first, count] : {std::pair(at + half, lengths_[near] - half), std::pair(at, half)})
          list.push_back({box_of_words(base, first, count), box_of_words(landing, first, count), by.mode});
        return list;
      };
      if (way_ == Way::ring || rank() + near < size())
        out.push_back({to(near), parts(here_.data(), landing_of(to(near)))});
      if (arrives(near)) in.push_back({from(near), parts(there_, nullptr)});
      at += lengths_[near];
    });
    channel_ = row_of(by.kind).make(device, {out, in, by.turns, number});
    for (long turn = 0; turn < turns_; ++turn) {
      fill_.emplace_back(device, std::vector<CopyPair>{{box_of_words(given_.data(), turn * cells_, cells_),
                                                        box_of_words(here_.data(), 0, cells_)}});
      keep_.emplace_back(device, std::vector<CopyPair>{{box_of_words(there_, 0, cells_),
                                                        box_of_words(log_.data(), turn * cells_, cells_)}});
    }
  }

  Channel& channel() { return *channel_; }
  void start(Stream& stream, long turn) {
    fill(stream, turn);
    channel_->start(stream);
  }
  void finish(Stream& stream, long turn) {
    channel_->finish(stream);
    keep(stream, turn);
  }
  void fill(Stream& stream, long turn) const {
    fill_[turn].enqueue(stream);
  } // what this rank sends in the turn
  void keep(Stream& stream, long turn) const { keep_[turn].enqueue(stream); } // logs what came in it

  // Words that lie now where messages land, and are not those of this turn; of turn -1: are not 0.
  long wrong_now(long turn) const {
    std::vector<Word> now(static_cast<std::size_t>(cells_));
    copy_to_host(device_, now.data(), there_, now.size() * sizeof(Word));
    return wrong_in(now.data(), turn);
  }

  long wrong_words() const {
    std::vector<Word> log(static_cast<std::size_t>(cells_ * turns_));
    copy_to_host(device_, log.data(), log_.data(), log.size() * sizeof(Word));
    long wrong = 0;
    for (long turn = 0; turn < turns_; ++turn) wrong += wrong_in(log.data() + turn * cells_, turn);
    return wrong;
  }

private:
  long wrong_in(const Word* words, long turn) const {
    long wrong = 0;
    each([&](int near) {
      for (long i = 0; i < lengths_[near]; ++i)
        wrong += *words++ != (arrives(near) && turn >= 0 ? word_of(number_, from(near), rank(), turn, i) : 0);
    });
    return wrong;
  }
  // As this rank addresses it; null of a channel that does not store there.
  char* landing_of(int other) const {
    if (!shared_) return nullptr;
    return other == rank() ? there_ : shared_->peer(device_.world().node_rank_of(other));
  }
  int rank() const { return device_.world().rank(); }
  int size() const { return device_.world().size(); }
  int to(int near) const { return (rank() + near) % size(); } // itself first
  int from(int near) const { return (rank() - near + size()) % size(); }
  bool arrives(int near) const { return way_ == Way::ring || rank() >= near; }
  template <class Visit>
  void each(const Visit& visit) const {
    for (int near = 0; near < static_cast<int>(lengths_.size()); ++near) visit(near);
  }

  Device& device_;
  int number_;
  long turns_, cells_ = 0;
  std::vector<long> lengths_;
  Way way_;
  Buffer here_, own_, given_, log_;
  std::unique_ptr<SharedBuffer> shared_;
  char* there_ = nullptr; // where messages land, in one of the two
  std::vector<CopyPlan> fill_, keep_;
  std::unique_ptr<Channel> channel_;
};

} // namespace tasuki::test
