#include <tasuki/field/cells.hpp>

#include <fmt/format.h>

#include <array>
#include <cstring>

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

CellTable table_on_host(const FieldCore& field, const CellBlock* blocks) {
  CellTable table{blocks, {}};
  const GridCore& grid = field.grid();
  for (int a = 0; a < grid.dims(); ++a)
    table.offsets[a] = grid.cut().offsets[static_cast<std::size_t>(a)].data();
  return table;
}

CellTable CellTables::of(const FieldCore& field) {
  const auto [at, is_new] = by_memory_.try_emplace(field.memory_id());
  Known& known = at->second;
  if (!is_new) return known.table;
  known.blocks = cell_blocks(field);
  known.table = table_on_host(field, known.blocks.data());
  const GridCore& grid = field.grid();
  if (!grid.device().cuda()) return known.table;
  // One behind the other in the GPU's memory: kernels would read memory of the host over its bus, for each cell.
  const std::size_t blocks = known.blocks.size() * sizeof(CellBlock);
  std::vector<char> all(blocks);
  std::memcpy(all.data(), known.blocks.data(), blocks);
  std::array<std::size_t, kMaxDims> first{};
  for (int a = 0; a < grid.dims(); ++a) {
    const std::vector<long>& offsets = grid.cut().offsets[static_cast<std::size_t>(a)];
    const std::size_t bytes = offsets.size() * sizeof(long);
    first[static_cast<std::size_t>(a)] = all.size();
    all.resize(all.size() + bytes);
    std::memcpy(all.data() + all.size() - bytes, offsets.data(), bytes);
  }
  known.on_gpu = Buffer(grid.device(), all.size());
  store_at_once(grid.device(), known.on_gpu.data(), all.data(), all.size()); // a graph may be made meanwhile
  known.table.blocks = reinterpret_cast<const CellBlock*>(known.on_gpu.data());
  for (int a = 0; a < grid.dims(); ++a)
    known.table.offsets[a] =
        reinterpret_cast<const long*>(known.on_gpu.data() + first[static_cast<std::size_t>(a)]);
  return known.table;
}

void outside(const FieldCore& field, int axis, long index) {
  throw Error(fmt::format("index {} along axis {} is outside of field '{}', which has {} cells there", index,
                          axis, field.name(), field.grid().extents()[static_cast<std::size_t>(axis)]),
              "stay within the grid, or make the axis periodic");
}

} // namespace tasuki::detail
