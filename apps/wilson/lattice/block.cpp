#include <apps/wilson/lattice/block.hpp>

namespace tasuki::wilson {
namespace {

template <class Values, class T>
Values with_columns(const Values& of_lattice, const T& of_columns) {
  Values values{};
  for (int mu = 0; mu < kAxes; ++mu)
    values[static_cast<std::size_t>(block_axis(mu))] = of_lattice[static_cast<std::size_t>(mu)];
  values[kColumnAxis] = of_columns;
  return values;
}

Decomposition with_columns(const Decomposition& lattice, int columns) {
  Decomposition cut = lattice; // block numbers do not change: there is one block along the new axis
  cut.dims = kBlockAxes;
  cut.extents = with_columns(lattice.extents, columns);
  cut.periodic = with_columns(lattice.periodic, false);
  cut.wraps = with_columns(lattice.wraps, false);
  cut.ranks = with_columns(lattice.ranks, 1);
  cut.offsets.insert(cut.offsets.begin() + kColumnAxis, std::vector<long>{0, columns});
  return cut;
}

int sound(int columns) {
  if (columns < 1)
    throw Error("a block of " + std::to_string(columns) + " columns is asked for", "ask for one or more");
  return columns;
}

} // namespace

Block::Block(const Lattice& lattice, int columns)
    : lattice_(lattice),
      columns_(sound(columns)),
      grid_(lattice.world(), with_columns(lattice.grid().cut(), columns),
            with_columns(lattice.grid().halo(), Width(0))) {}

Region<kBlockAxes> Block::column(int k) const {
  Region<kBlockAxes> region = grid_.all();
  region.box.lo[kColumnAxis] = k;
  region.box.hi[kColumnAxis] = k + 1;
  return region;
}

Shape block_star() {
  Widths one{};
  for (int mu = 0; mu < kAxes; ++mu) one[static_cast<std::size_t>(block_axis(mu))] = Width(1);
  return {one, 1};
}

} // namespace tasuki::wilson
