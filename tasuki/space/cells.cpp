#include <tasuki/space/cells.hpp>

#include <fmt/format.h>

#include <utility>

namespace tasuki::space {

CellTable::CellTable(Space& space, std::shared_ptr<FieldCore> field)
    : space_(space), field_(std::move(field)) {
  find();
}

void CellTable::settle() {
  space_.sync();
  find();
}

const long* CellTable::offsets(int axis) const {
  return field_->grid().cut().offsets[static_cast<std::size_t>(axis)].data();
}

// Blocks stay where they are in blocks_: cells point to them.
void CellTable::find() {
  const GridCore& grid = field_->grid();
  const char* const origin = field_->origin();
  if (!space_.has(origin) || !space_.find(origin).of_field)
    throw Error("field '" + field_->name() + "' does not lie in the space",
                "make it by space.field<T>(grid, name), and swap it with such fields alone");
  const Space::Placed placed = space_.find(origin);
  const int ranks = grid.world().size(), me = grid.world().rank();
  const std::uint64_t part = placed.map->bytes() / static_cast<std::uint64_t>(ranks);
  const Storage storage = field_->storage();
  const auto lead = [&](const Layout& layout) { return storage.lead(layout) * storage.element_bytes; };
  const long skew =
      origin - placed.start - static_cast<long>(part) * me - lead(grid.layout()); // the same on all ranks
  const std::vector<int>& rank_of = grid.cut().rank_of_block;
  blocks_.resize(static_cast<std::size_t>(ranks));
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    const int rank = rank_of.empty() ? static_cast<int>(block) : rank_of[block];
    const Layout layout = grid.layout_of(rank);
    CellBlock& there = blocks_[block];
    there.origin = placed.start + part * static_cast<std::uint64_t>(rank) + skew + lead(layout);
    there.component = storage.component_stride(layout);
    for (int a = 0; a < grid.dims(); ++a) there.stride[a] = storage.stride(layout, a);
  }
}

void outside(const FieldCore& field, int axis, long index) {
  throw Error(fmt::format("index {} along axis {} is outside of field '{}', which has {} cells there", index,
                          axis, field.name(), field.grid().extents()[static_cast<std::size_t>(axis)]),
              "stay within the grid, or make the axis periodic");
}

std::string cell_text(const GridCore& grid, const Storage& storage, const std::string& name, int rank,
                      std::uint64_t byte) {
  const Layout layout = grid.layout_of(rank);
  long before = storage.lead(layout); // padding before the first cell of the halo
  for (int a = 0; a < layout.dims; ++a) before -= layout.halo[a].lo * storage.stride(layout, a);
  long at = static_cast<long>(byte) / storage.element_bytes, component = 0;
  if (!lies_by_rows(storage.components)) {
    component = at / layout.plane;
    at %= layout.plane;
  }
  at -= before;
  Index cell{};
  for (int a = layout.dims - 1; a > 0; --a) {
    cell[a] = at / storage.stride(layout, a) - layout.halo[a].lo;
    at %= storage.stride(layout, a);
  }
  if (lies_by_rows(storage.components)) {
    component = at / layout.row();
    at %= layout.row();
  }
  cell[0] = at - layout.halo[0].lo;
  const Box owned = grid.cut().block(rank);
  bool inside = at >= 0, padding = at < 0;
  std::string indices;
  for (int a = 0; a < layout.dims; ++a) {
    inside = inside && cell[a] >= 0 && cell[a] < layout.extents[a];
    padding = padding || cell[a] >= layout.extents[a] + layout.halo[a].hi;
    indices += fmt::format("{}{}", a ? "," : "", owned.lo[a] + cell[a]);
  }
  const std::string which = storage.components > 1 ? fmt::format("{}[{}]", name, component) : name;
  if (padding) return fmt::format("the padding of {} on rank {}", name, rank);
  if (!inside) return fmt::format("{}[{}] in the halo of rank {}", which, indices, rank);
  return fmt::format("{}[{}]", which, indices);
}

} // namespace tasuki::space
