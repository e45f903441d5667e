// What the replicas of a device have answered to one call, and which answer is the one that the program gets.
//
//   Ballot ballot(Call::CopyOut);
//   ballot.add({0, 0, digest, true, message});   // replica 0 has sent the bytes
//   ballot.add({1, 0, digest, false, {}});       // replica 1 their digest
//   Ballot::Verdict verdict = ballot.verdict();  // verdict.right: the vote of replica 0
//
// Bytes need two that agree. Of what may well differ (free memory, whether a stream is done) the answer is taken that promises
// least; in all else the most votes decide.
#pragma once

#include <remote/client/player.hpp>

namespace tasuki::remote {

class Ballot {
public:
  struct Vote {
    int voter; // replicas are counted as they come
    i32 error;
    u64 value;  // of two that agree the same
    bool whole; // the message is what the program is to get, and not a digest of it
    Message message;
    bool asked = false; // for the bytes behind its digest
  };
  struct Verdict {
    const Vote* right = nullptr; // null: there is none
    std::vector<int> wrong;      // who has voted otherwise
  };

  explicit Ballot(Call call) : call_(call) {}
  void add(Vote vote) { votes_.push_back(std::move(vote)); }
  bool has(int voter) const;
  Vote* of(int voter);
  const std::vector<Vote>& votes() const { return votes_; }

  bool of_bytes() const { return call_ == Call::CopyOut || call_ == Call::CopyOutBox; }
  bool agreed() const; // all of them
  Verdict verdict() const;

private:
  const Vote* least() const;
  bool may_differ() const;
  const Call call_;
  std::vector<Vote> votes_;
};

} // namespace tasuki::remote
