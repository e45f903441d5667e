// By which words something is refused, and whether two lists have the same bits.
//
//   EXPECT_EQ(refusal([&] { copy(u, far); }), "fields 'u' and 'far' are cut differently; ..");
#pragma once

#include <tasuki/base/error.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace tasuki::test {

// The line of the Error that `act` throws; empty where it throws none.
template <class Act>
std::string refusal(const Act& act) {
  try {
    act();
  } catch (const Error& fault) {
    return fault.what();
  }
  return "";
}

template <class E>
bool same_bits(const std::vector<E>& a, const std::vector<E>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(E)) == 0);
}

} // namespace tasuki::test
