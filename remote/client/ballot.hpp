// What the replicas of a device have answered to one call, and which answer is the one that the program gets.
//
//   Ballot ballot(Call::CopyOut);
//   ballot.add({0, 0, digest, true, message});   // replica 0 has sent the bytes
//   ballot.add({1, 0, digest, false, {}});       // replica 1 their digest
//   Ballot::Verdict verdict = ballot.verdict();  // verdict.right: the vote of replica 0
//
// Bytes need two that agree: they are the same, or, where there is a tolerance, their numbers are within it. Of what may
// well differ (free memory, whether a stream is done) the answer is taken that promises least; in all else the most votes
// decide.
#pragma once

#include <remote/client/player.hpp>
#include <remote/client/tolerance.hpp>

#include <optional>

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

  // With a tolerance GPUs may be of different models, and every vote on bytes has to be whole.
  explicit Ballot(Call call, std::optional<Tolerance> tolerance = {}) : call_(call), tolerance_(tolerance) {}
  void add(Vote vote);
  bool has(int voter) const;
  Vote* of(int voter);
  const std::vector<Vote>& votes() const { return votes_; }

  bool of_bytes() const { return call_ == Call::CopyOut || call_ == Call::CopyOutBox; }
  bool agreed() const; // all of them
  Verdict verdict() const;

private:
  const Vote* least() const;
  bool may_differ() const;
  bool same(const Vote& a, const Vote& b) const;
  u64 promised(const Vote& vote) const;
  const Call call_;
  const std::optional<Tolerance> tolerance_;
  std::vector<Vote> votes_; // by voter, so that what the program gets does not depend on who was first
};

} // namespace tasuki::remote
