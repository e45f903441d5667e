// Spaces of the tests' ranks as nodes of one rank, of several, and by each way to fault that works here.
//
//   each_space([](Space& space, const std::string& shape) { .. });
#pragma once

#include <tasuki/base/reduce.hpp>
#include <tasuki/base/signals.hpp>
#include <tasuki/space/faults.hpp>
#include <tasuki/space/space.hpp>

#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace tasuki::test {

// How often a test does its part: as few times as show it, or as many as the environment asks for.
inline int rounds(int least) {
  static const char* const more = std::getenv("TASUKI_TEST_ROUNDS");
  return more ? std::max(least, std::atoi(more)) : least;
}

inline std::vector<std::string> ways_to_fault() {
  return space::uffd_refusal().empty() ? std::vector<std::string>{"uffd", "signal"}
                                       : std::vector<std::string>{"signal"};
}

template <class Change>
void one_space(int nodes, const std::string& way, const Change& change,
               const std::function<void(Space&, const std::string&)>& act) {
  const auto other = world_with([&](Settings& s) {
    s.subclusters = nodes;
    s.faults = way;
    s.space_size = std::size_t{1} << 32;
    change(s);
  });
  Space space(*other);
  const std::string shape = std::to_string(nodes) + " nodes, " + way;
  SCOPED_TRACE(shape);
  act(space, shape);
  // The others are in the midst of it, and would wait for this one.
  if (testing::Test::HasFatalFailure() && other->size() > 1)
    end_run("a test stops on rank " + std::to_string(other->rank()));
  space.sync();
}

// As one node, two, and one a rank.
inline void each_space(
    const std::function<void(Space&, const std::string&)>& act,
    const std::function<void(Settings&)>& change = [](Settings&) {}) {
  std::vector<int> shapes = {1};
  if (world().size() > 1) shapes.push_back(2);
  if (world().size() > 2) shapes.push_back(world().size());
  for (const int nodes : shapes)
    for (const std::string& way : ways_to_fault())
      if (nodes > 1 || way == "signal") one_space(nodes, way, change, act);
}

} // namespace tasuki::test
