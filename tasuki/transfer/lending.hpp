// What a rank lends, and by what its ranks ask each other: parts of the world. Internal.
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
  // A number that none of these ranks has lent by. Collective over them.
  std::uint64_t number(const Ranks& ranks);

private:
  Loans loans_;
  std::uint64_t next_ = 1;
};

// What these ranks ask each other by, one a set of ranks. Collective over them.
Post& post_of(const Ranks& ranks);

} // namespace tasuki
