#include <tasuki/field/copy_field.hpp>

namespace tasuki {
namespace {

bool cut_alike(const Decomposition& a, const Decomposition& b) {
  return a.dims == b.dims && a.extents == b.extents && a.offsets == b.offsets &&
         a.rank_of_block == b.rank_of_block;
}

// Copies between two layouts of the same cells. The host can read and write both without a conversion.
void copy_cells(Device& device, const FieldCore& from, FieldCore& to) {
  const Box cells = box_of(from.grid().dims(), from.grid().layout().extents);
  std::vector<CopyPair> pairs;
  for (int k = 0; k < from.components(); ++k)
    pairs.push_back({from.strided(from.origin(), from.grid().layout(), cells, k),
                     to.strided(to.origin(), to.grid().layout(), cells, k)});
  CopyPlan plan(device, std::move(pairs));
  plan.enqueue(device.stream());
  device.stream().synchronize(); // the copy must end before its plan is destroyed
}

} // namespace

void copy(const FieldCore& from, FieldCore& to) {
  const std::string names = "fields '" + from.name() + "' and '" + to.name() + "' cannot be copied: ";
  if (from.type() != to.type() || from.element_bytes() != to.element_bytes() ||
      from.components() != to.components())
    throw Error(names + "they differ in value", "copy fields of one value type");
  if (!cut_alike(from.grid().cut(), to.grid().cut()))
    throw Error(names + "their grids are cut differently",
                "give the second grid the first one's cut: Grid(world, first.cut(), halo, &device)");
  if (&from == &to || from.memory_id() == to.memory_id()) return;
  Device &source = from.grid().device(), &target = to.grid().device();
  if (&source == &target || (!source.cuda() && !target.cuda())) {
    copy_cells(source, from, to);
    to.validity().touched();
    return;
  }
  std::vector<char> cells(static_cast<std::size_t>(from.grid().owned().cells()) *
                          static_cast<std::size_t>(from.components()) * from.element_bytes());
  from.read(cells.data());
  to.write(cells.data());
}

} // namespace tasuki
