// Anywhere gives any rank access to any cell of a field in a space, by the cell's global index.
//
//   auto u = space.field<float>(grid, "u");
//   const Anywhere<float, 2> all(space, u);
//   all.at(n - 1, 3) = 1;             // of whichever rank has that cell; x first. On another node a touch of its page
//   all.settle();                     // all ranks see it
//   u.touched();                      // and exchange the halo again
//
// In a sweep on the host a cell function holds the cells, and a call before the sweep brings them up to date:
//
//   struct Pull {
//     Cells<float, 2> from;
//     TS_CELL void operator()(auto c, auto wind, auto to) const { to(c) = from.at(c[0] - lrintf(wind(c)), c[1]); }
//   };
//   program(call([&](long) { all.settle(); }), sweep(Pull{all.cells()}, grid.all(), reads(wind), writes(v)), swap(u, v));
#pragma once

#include <tasuki/base/macros.hpp>
#include <tasuki/field/field.hpp>
#include <tasuki/space/space.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tasuki {

namespace space {

struct CellBlock {
  char* origin;          // the first owned cell of component 0, as every rank addresses it
  long stride[kMaxDims]; // elements
  long component;        // elements from one component to the next
};

// The addresses of a field's blocks, to which Cells point.
class CellTable {
public:
  // Throws Error if the field is not in the space.
  CellTable(Space& space, std::shared_ptr<FieldCore> field);
  void settle(); // space.sync(), and from now on the field's current memory. Collective

  const FieldCore& field() const { return *field_; }
  const CellBlock* blocks() const { return blocks_.data(); }
  const long* offsets(int axis) const;

private:
  void find();
  Space& space_;
  std::shared_ptr<FieldCore> field_;
  std::vector<CellBlock> blocks_; // by block, x first
};

[[noreturn]] void outside(const FieldCore& field, int axis, long index);

// "u[17,3]": the cell to which a byte of a rank's memory of this field belongs; or the halo, or padding.
std::string cell_text(const GridCore& grid, const Storage& storage, const std::string& name, int rank,
                      std::uint64_t byte);

} // namespace space

// A plain value, valid as long as its Anywhere.
template <class E, int D>
struct Cells {
  const space::CellBlock* blocks;
  const long* offsets[D];
  int parts[D];
  long extents[D];
  bool periodic[D];
  const FieldCore* field;
  int component;

  // Indices beyond the end of a periodic axis wrap around; beyond the end of another axis they are an Error (on the host).
  template <class... I>
  TS_HD E& at(I... index) const {
    static_assert(sizeof...(I) == D, "give one index an axis, x first");
    long to[] = {static_cast<long>(index)...};
    long block = 0;
    for (int a = D - 1; a >= 0; --a) {
      if (to[a] < 0 || to[a] >= extents[a]) {
#if !defined(__CUDA_ARCH__)
        if (!periodic[a]) space::outside(*field, a, to[a]);
#endif
        to[a] %= extents[a];
        if (to[a] < 0) to[a] += extents[a];
      }
      auto part = static_cast<int>(to[a] * parts[a] / extents[a]); // right where blocks are even
      while (to[a] < offsets[a][part]) --part;
      while (to[a] >= offsets[a][part + 1]) ++part;
      to[a] -= offsets[a][part];
      block = block * parts[a] + part;
    }
    const space::CellBlock& there = blocks[block];
    long place = component * there.component;
    for (int a = 0; a < D; ++a) place += to[a] * there.stride[a];
    return reinterpret_cast<E*>(there.origin)[place];
  }
  TS_HD Cells operator[](int k) const { // of component k
    Cells other = *this;
    other.component = k;
    return other;
  }
};

// Each rank makes it independently. Cells of other nodes arrive by page faults, or by a preload() of them.
template <class T, int D>
class Anywhere {
public:
  using Element = typename Field<T>::Element;

  Anywhere(Space& space, const Field<T>& field)
      : table_(std::make_shared<space::CellTable>(space, field.core())) {
    const GridCore& grid = field.core()->grid();
    if (grid.dims() != D)
      throw Error("field '" + field.name() + "' has " + std::to_string(grid.dims()) + " axes, and " +
                      std::to_string(D) + " are asked for",
                  "give as many");
    cells_.blocks = table_->blocks();
    for (int a = 0; a < D; ++a) {
      cells_.offsets[a] = table_->offsets(a);
      cells_.parts[a] = grid.cut().ranks[a];
      cells_.extents[a] = grid.extents()[a];
      cells_.periodic[a] = grid.periodic(a);
    }
    cells_.field = field.core().get();
    cells_.component = 0;
  }

  template <class... I>
  Element& at(I... index) const {
    return cells_.at(index...);
  }
  Cells<Element, D> operator[](int k) const { return cells_[k]; }
  const Cells<Element, D>& cells() const { return cells_; }
  // space.sync(); from then on the cells are in the memory that the field has now, since swaps exchange memories. Collective.
  void settle() const { table_->settle(); }

private:
  std::shared_ptr<space::CellTable> table_;
  Cells<Element, D> cells_;
};

} // namespace tasuki
