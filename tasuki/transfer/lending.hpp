// What a world lends, and whom its ranks ask: a part of the world. Internal.
#pragma once

#include <tasuki/base/ranks.hpp>
#include <tasuki/channel/post.hpp>
#include <tasuki/transfer/loans.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace tasuki {

class Lending {
public:
  explicit Lending(World&) {}
  ~Lending() {
    while (!posts_.empty()) posts_.pop_back();
  }
  Lending(const Lending&) = delete;
  Lending& operator=(const Lending&) = delete;

  Loans& loans() { return loans_; }
  // A number that none of these ranks has lent by. Collective over them.
  std::uint64_t number(const Ranks& ranks);
  // What these ranks ask each other by, one a set of ranks. Collective over them.
  Post& post(const Ranks& ranks);

private:
  Loans loans_;
  std::uint64_t next_ = 1;
  std::vector<std::unique_ptr<Post>> posts_; // their threads visit the loans
};

} // namespace tasuki
