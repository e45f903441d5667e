// Fields whose cells are in a space, and copies between fields and arrays of a space.
//
//   Space space(world);
//   const Grid<2> grid(world, {n, n});
//   Field<float> u(grid, "u", space);                 // a field as ever; all ranks address its cells:
//   sweep(Pull{}, grid.all(), anywhere(u), writes(v)); // u.at(i, j) in Pull. Beside sweeps: tasuki/space/cells.hpp
//
//   const auto a = space.array<float>({n, n}, space.bands({n, n}, sizeof(float)), "a");
//   const auto bands = space.grid<2>(a, {.halo = 1}); // a block a rank: the part of the array that is its own
//   Field<float> v(bands, "v");
//   copy(a, v);                                     // from own memory to own memory
//   copy(v, a);
//   copy(a, u);                                     // the same cells with other owners: sections come in messages
//
// Axes of arrays are written slowest first, as in C, those of fields x first: a[j][i] is the cell (i, j).
// A field with K numbers per cell matches an array that has one more axis, of K elements, before them.
#pragma once

#include <tasuki/field/field.hpp>
#include <tasuki/space/cells.hpp>
#include <tasuki/space/space.hpp>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace tasuki {

// Field(grid, name, codec, space): a field as Field(grid, name, codec) makes it, with the same bits: ranks of a node store into its halos,
// others send messages. It is destroyed before its space. On GPUs its cells lie over the memories of all
// GPUs; sweeps that read it anywhere have copies of the parts of other nodes. Collective.
template <class T, int D>
Field<T> Space::field(const Grid<D>& grid, std::string name, std::shared_ptr<const Codec> codec) {
  return Field<T>(grid, std::move(name), std::move(codec), memory());
}

// `options`: halo, periodic, wraps and device; the array determines the rest. Throws Error if the array
// is not cut into one block per rank, from rank 0 on, or if a halo is wider than a block. Collective.
template <int D, class T>
Grid<D> Space::grid(const Global<T>& array, const GridOptions& options) const {
  return {world(), cut_of(array.data(), D, options), options.halo.values(), options.device};
}

namespace space {
enum class Way { to_field, to_array };
void copy(Space& space, void* array, std::size_t element_bytes, FieldCore& field, Way way);
} // namespace space

// Copies the owned cells of each rank. A copy from an array includes what other nodes wrote into it before the last
// synchronisation; they see a copy into it after the next one. By all ranks. Throws Error if array and grid have different extents.
template <class E, class T>
void copy(const Global<E>& from, const Field<T>& to) {
  static_assert(std::is_same_v<E, typename Field<T>::Element>, "array and field have other elements");
  space::copy(from.space(), from.data(), sizeof(E), *to.core(), space::Way::to_field);
}
template <class E, class T>
void copy(const Field<T>& from, const Global<E>& to) {
  static_assert(std::is_same_v<E, typename Field<T>::Element>, "array and field have other elements");
  space::copy(to.space(), to.data(), sizeof(E), *from.core(), space::Way::to_array);
}

} // namespace tasuki
