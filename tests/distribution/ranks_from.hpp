// So many ranks, one after another.
#pragma once

#include <numeric>
#include <vector>

namespace tasuki::test {

inline std::vector<int> ranks_from(int count, int first = 0) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), first);
  return ranks;
}

} // namespace tasuki::test
