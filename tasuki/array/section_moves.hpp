// The elements that travel between each pair of nodes if one section is assigned to another: pure arithmetic.
//
//   // b[0:5][3] = a[9:5:-2], element by element
//   const SectionMoves moves(b_side, a_side);
//   moves.each(0, 1, [](const SectionMove& move) { .. });     // from node 1 of a to node 0 of b
#pragma once

#include <tasuki/array/holding.hpp>

#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace tasuki {

// The indices of a section along one dimension. A single index does not count when two sections are compared.
struct Slice {
  Progression indices;
  bool single = false;
};

// One side of an assignment.
struct SectionSide {
  Alignment alignment;
  std::vector<Shadow> shadows;
  long size = 0; // of an element, bytes
  std::vector<Slice> slices = {};
};

// One box at both ends, innermost level first: elements, repeated count[l] times every stride[l] bytes.
struct SectionMove {
  Strided to, from; // `base` counts from the start of a node's memory
};

class SectionMoves {
public:
  // Throws Error if the sections do not conform, name elements that the array does not have, or
  // have elements of different sizes. A section of single indices is assigned to all elements.
  SectionMoves(SectionSide to, SectionSide from);

  const SectionSide& to() const { return to_.side; }
  const SectionSide& from() const { return from_.side; }
  // The copy from which a rank takes an element: its own if it has one.
  bool is_source_of(int from, int to) const;
  // Calls take() for all boxes that go from one node to another, in an order that is the same for both.
  void each(int to, int from, const std::function<void(const SectionMove&)>& take) const;

private:
  struct End {
    SectionSide side;
    std::vector<int> counting; // dimensions that count, in order
    // By dimension and coordinate: the numbers (within the slice) of the elements that this node holds.
    std::map<std::pair<int, int>, std::vector<Progression>> held;
    std::vector<Holding> holdings; // by node
    std::vector<int> copied;       // dimensions of the nodes along which there are copies

    explicit End(SectionSide side);
    const std::vector<Progression>& numbers(int dim, int node) const;
    Strided box(int node, const std::vector<Progression>& numbers) const; // by counting dimension
  };
  End to_, from_;
};

} // namespace tasuki
