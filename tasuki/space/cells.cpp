#include <tasuki/space/cells.hpp>

#include <fmt/format.h>

#include <algorithm>
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

// Blocks stay where they are in blocks_: cells point to them.
void CellTable::find() {
  const char* const origin = field_->origin();
  if (!space_.has(origin) || !space_.find(origin).of_field)
    throw Error("field '" + field_->name() + "' does not lie in the space",
                "make it by space.field<T>(grid, name), and swap it with such fields alone");
  if (space_.world().nodes() > 1 && space_.find(origin).over_devices)
    throw Error(
        "field '" + field_->name() + "' lies over devices of several nodes, where copies are read alone",
        "read it in a sweep with anywhere(" + field_->name() + "), or gather() it");
  if (space_.on_gpus(origin))
    throw Error("field '" + field_->name() + "' lies over GPUs, and processors reach none of its cells",
                "read it in a sweep with anywhere(" + field_->name() + "), or gather() it");
  const std::vector<detail::CellBlock> now = detail::cell_blocks(*field_);
  blocks_.resize(now.size());
  std::copy(now.begin(), now.end(), blocks_.begin());
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
