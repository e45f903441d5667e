// Cells gives access to any cell of a field by its global index, where all ranks address the field's memory (CommonMemory).
//
//   struct Pull {
//     TS_CELL void operator()(auto c, auto wind, auto from, auto to) const { to(c) = from.at(c[0] - lrintf(wind(c)), c[1]); }
//   };
//   sweep(Pull{}, grid.all(), reads(wind), anywhere(u), writes(v)); // `from` is a Cells<const float, 2>
#pragma once

#include <tasuki/base/macros.hpp>
#include <tasuki/device/buffer.hpp>
#include <tasuki/field/field.hpp>

#include <map>
#include <vector>

namespace tasuki {

namespace detail {

struct CellBlock {
  char* origin;          // the first owned cell of component 0, as this rank addresses it
  long stride[kMaxDims]; // elements
  long component;        // elements from one component to the next
};

// The blocks of a field, x first, and the index at which each part of an axis begins, where kernels read both.
struct CellTable {
  const CellBlock* blocks = nullptr;
  const long* offsets[kMaxDims] = {};
};

// The blocks of the memory that a field has now, x first. Requires field.common().
std::vector<CellBlock> cell_blocks(const FieldCore& field);
CellTable table_on_host(const FieldCore& field, const CellBlock* blocks);

// The table of each memory that a field has had, so that what is bound to one stays valid while the field has another.
class CellTables {
public:
  CellTable of(const FieldCore& field);

private:
  struct Known {
    std::vector<CellBlock> blocks;
    Buffer on_gpu; // blocks and offsets; empty where the grid is on the host
    CellTable table;
  };
  std::map<int, Known> by_memory_;
};

[[noreturn]] void outside(const FieldCore& field, int axis, long index);

} // namespace detail

// A plain value, valid as long as the table of blocks that it was made of, and the field.
template <class E, int D>
struct Cells {
  const detail::CellBlock* blocks;
  const long* offsets[D];
  int parts[D];
  long extents[D];
  bool periodic[D];
  const FieldCore* field;
  int component;

  Cells() = default;
  Cells(const FieldCore& of, const detail::CellTable& table)
      : blocks(table.blocks), field(&of), component(0) {
    const GridCore& grid = of.grid();
    for (int a = 0; a < D; ++a) {
      offsets[a] = table.offsets[a];
      parts[a] = grid.cut().ranks[a];
      extents[a] = grid.extents()[a];
      periodic[a] = grid.periodic(a);
    }
  }

  // Indices beyond the end of a periodic axis wrap around; beyond the end of another axis they are an Error, or wrap around
  // on a GPU.
  template <class... I>
  TS_HD E& at(I... index) const {
    static_assert(sizeof...(I) == D, "give one index an axis, x first");
    long to[] = {static_cast<long>(index)...};
    long block = 0;
    for (int a = D - 1; a >= 0; --a) {
      if (to[a] < 0 || to[a] >= extents[a]) {
#if !defined(__CUDA_ARCH__)
        if (!periodic[a]) detail::outside(*field, a, to[a]);
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
    const detail::CellBlock& there = blocks[block];
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

} // namespace tasuki
