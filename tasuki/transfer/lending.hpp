// The loans of a rank, and the post by which ranks ask for them: parts of the world. Internal.
#pragma once

#include <tasuki/base/ranks.hpp>
#include <tasuki/channel/post.hpp>
#include <tasuki/transfer/loans.hpp>

#include <cstdint>

namespace tasuki {

class Lending {
public:
  explicit Lending(World&) {}
  Lending(const Lending&) = delete;
  Lending& operator=(const Lending&) = delete;

  Loans& loans() { return loans_; }
  // A number for a loan that none of these ranks has used. Collective over them.
  std::uint64_t number(const Ranks& ranks);

private:
  Loans loans_;
  std::uint64_t next_ = 1;
};

// The post of these ranks, one per set of ranks. Collective over them.
Post& post_of(const Ranks& ranks);

} // namespace tasuki
