#include <tasuki/field/cells.hpp>

#include <fmt/format.h>

namespace tasuki::detail {

std::vector<CellBlock> cell_blocks(const FieldCore& field) {
  if (!field.common())
    throw Error("field '" + field.name() +
                    "' is read anywhere, and ranks have no address for each other's cells of it",
                "swap it with fields of a space alone");
  const GridCore& grid = field.grid();
  const Storage storage = field.storage();
  const std::vector<int>& rank_of = grid.cut().rank_of_block;
  std::vector<CellBlock> blocks(static_cast<std::size_t>(grid.world().size()));
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    const int rank = rank_of.empty() ? static_cast<int>(block) : rank_of[block];
    const Layout layout = grid.layout_of(rank);
    CellBlock& there = blocks[block];
    there.origin = field.anywhere(rank);
    there.component = storage.component_stride(layout);
    for (int a = 0; a < grid.dims(); ++a) there.stride[a] = storage.stride(layout, a);
  }
  return blocks;
}

const CellBlock* CellTables::of(const FieldCore& field) {
  const auto [at, is_new] = by_memory_.try_emplace(field.memory_id());
  if (is_new) at->second = cell_blocks(field);
  return at->second.data();
}

void outside(const FieldCore& field, int axis, long index) {
  throw Error(fmt::format("index {} along axis {} is outside of field '{}', which has {} cells there", index,
                          axis, field.name(), field.grid().extents()[static_cast<std::size_t>(axis)]),
              "stay within the grid, or make the axis periodic");
}

} // namespace tasuki::detail
