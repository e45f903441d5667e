// Anywhere gives any rank access to any cell of a field in a space, by the cell's global index.
//
//   auto u = space.field<float>(grid, "u");
//   const Anywhere<float, 2> all(space, u);
//   all.at(n - 1, 3) = 1;             // of whichever rank has that cell; x first. On another node a touch of its page
//   all.settle();                     // all ranks see it
//   u.touched();                      // and exchange the halo again
//
// A sweep that reads a field so has the access anywhere(u) (program/access.hpp), and the program synchronises it.
#pragma once

#include <tasuki/field/cells.hpp>
#include <tasuki/space/space.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tasuki {

namespace space {

// The addresses of a field's blocks, to which Cells point.
class CellTable {
public:
  // Throws Error if the field is not in the space, or lies over GPUs.
  CellTable(Space& space, std::shared_ptr<FieldCore> field);
  void settle(); // space.sync(), and from now on the field's current memory. Collective

  detail::CellTable table() const { return detail::table_on_host(*field_, blocks_.data()); }

private:
  void find();
  Space& space_;
  std::shared_ptr<FieldCore> field_;
  std::vector<detail::CellBlock> blocks_;
};

// "u[17,3]": the cell to which a byte of a rank's memory of this field belongs; or the halo, or padding.
std::string cell_text(const GridCore& grid, const Storage& storage, const std::string& name, int rank,
                      std::uint64_t byte);

} // namespace space

// Each rank makes it independently. Cells of other nodes arrive by page faults, or by a preload() of them. Of a field over GPUs
// processors reach no cell: an Error.
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
    cells_ = {*field.core(), table_->table()};
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
