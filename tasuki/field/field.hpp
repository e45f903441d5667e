// A field is a value at each cell of a grid, with a halo, in device memory.
//
//   ts::Field<float> t(grid, "t");      // a number per cell, initially 0
//   ts::Field<double[3]> b(grid, "b");  // three numbers per cell: b[k](c) in a cell function
//   t.from_host(std::vector<float>(t.to_host().size(), 300.0f)); // the cells of this rank
#pragma once

#include <tasuki/device/buffer.hpp>
#include <tasuki/field/codec.hpp>
#include <tasuki/field/grid.hpp>
#include <tasuki/field/memory_source.hpp>
#include <tasuki/field/storage.hpp>
#include <tasuki/field/validity.hpp>

#include <complex>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace tasuki {

// How a cell value is written to files: numbers by their type, anything else as bytes.
enum class ValueType { f32, f64, c64, c128, i16, i32, i64, bytes };

// A field of any value type. Component k of a cell is place(layout, cell, k)
// elements behind component 0 of the first owned cell, whose address is origin().
class FieldCore {
public:
  // `codec`: null if halos receive whole cells. Throws Error if the codec names
  // components that the field does not have, or if values of the field cannot be added.
  FieldCore(std::shared_ptr<GridCore> grid, std::string name, ValueType type, std::size_t element_bytes,
            int components, std::shared_ptr<const Codec> codec = nullptr,
            const MemorySource& source = own_memory());

  GridCore& grid() const { return *grid_; }
  const std::shared_ptr<GridCore>& grid_ptr() const { return grid_; }
  const std::string& name() const { return name_; }
  ValueType type() const { return type_; }
  std::size_t element_bytes() const { return element_bytes_; }
  int components() const { return components_; }
  const Codec* codec() const { return codec_.get(); }

  char* origin() const; // component 0 of the first owned cell
  char* origin_of(int rank)
      const; // the same of another rank of this node, at this rank's address for it. Requires reached()
  CommonMemory* common() const;   // what synchronises its memory, where all ranks address it; else null
  char* anywhere(int rank) const; // origin() of any rank, at this rank's address for it. Requires common()
  bool outside() const;           // it lies in host memory, as its device has no room; the same on all ranks
  bool reached() const;  // ranks of a node can store into it; the same on all ranks; swaps exchange it
  int memory_id() const; // number of the memory that the field has now; swaps exchange it. Same on all ranks.
  void swap(FieldCore& other); // memories and validities; same grid and value type (else Error)

  Validity& validity() { return validity_; }
  const Validity& validity() const { return validity_; }

  // Copy the owned cells of this rank to host memory, or from it: components slowest, then
  // the grid's axes, x fastest. After write() the halo is exchanged before it is next read.
  void read(void* to) const;
  void write(const void* from);

  // The positions of its cells in memory.
  Storage storage() const { return {static_cast<long>(element_bytes_), components_}; }
  long place(const Layout& layout, const Index& local, int component) const {
    return storage().place(layout, local, component);
  }
  long stride(const Layout& layout, int axis) const { return storage().stride(layout, axis); }
  long component_stride(const Layout& layout) const; // of the memory that it has now
  Strided strided(char* origin, const Layout& layout, const Box& local, int component) const {
    return storage().strided(origin, layout, local, component);
  }
  // The same for the source of a codec's term.
  Strided strided(char* origin, const Layout& layout, const Box& local, const WireTerm& term) const;

private:
  struct Memory;

  std::shared_ptr<GridCore> grid_;
  std::string name_;
  ValueType type_;
  std::size_t element_bytes_;
  int components_;
  std::shared_ptr<const Codec> codec_;
  std::shared_ptr<Memory> memory_;
  Validity validity_;
};

namespace detail {

template <class T>
struct ValueOf { // T, or T[K]: K numbers per cell, each in a plane of its own
  using Element = T;
  static constexpr int components = 1;
};
template <class T, std::size_t K>
struct ValueOf<T[K]> {
  using Element = T;
  static constexpr int components = static_cast<int>(K);
};

template <class E>
constexpr ValueType value_type() {
  if constexpr (std::is_same_v<E, float>) return ValueType::f32;
  if constexpr (std::is_same_v<E, double>) return ValueType::f64;
  if constexpr (std::is_same_v<E, std::complex<float>>) return ValueType::c64;
  if constexpr (std::is_same_v<E, std::complex<double>>) return ValueType::c128;
  if constexpr (std::is_integral_v<E> && std::is_signed_v<E> && sizeof(E) == 2) return ValueType::i16;
  if constexpr (std::is_integral_v<E> && std::is_signed_v<E> && sizeof(E) == 4) return ValueType::i32;
  if constexpr (std::is_integral_v<E> && std::is_signed_v<E> && sizeof(E) == 8) return ValueType::i64;
  return ValueType::bytes;
}

FieldLayout layout_of(const Storage& storage, const Layout& layout);

template <int D>
Region<D> all_cells(const std::shared_ptr<GridCore>& grid, const std::string& name) {
  if (grid->dims() != D)
    throw Error("all cells of field '" + name + "' are asked for along " + std::to_string(D) +
                    " axes, and it has " + std::to_string(grid->dims()),
                "ask for as many");
  return {grid, grid->all()};
}

} // namespace detail

// Field<float> u(grid, "u");          a number a cell
// Field<float[4]> a(grid, "a");       four, each plane contiguous: a[k](c) in a sweep. Of more than kMostPlanes each row
// Field<Particle> p(grid, "p");       any trivially copyable struct
// Field<float[24]> s(grid, "s", codec); of which a codec says what travels into a halo
//
// A handle: a copy refers to the same field. Initially zero. Construction and
// destruction are collective. Throws Error if there is not enough memory.
template <class T>
class Field {
public:
  using Element = typename detail::ValueOf<T>::Element;
  static constexpr int components = detail::ValueOf<T>::components;
  static_assert(std::is_trivially_copyable_v<Element>,
                "a cell's value has to be trivially copyable: it travels as bytes");

  template <int D>
  Field(const Grid<D>& grid, std::string name, std::shared_ptr<const Codec> codec = nullptr,
        const MemorySource& source = own_memory())
      : core_(std::make_shared<FieldCore>(grid.core(), std::move(name), detail::value_type<Element>(),
                                          sizeof(Element), components, std::move(codec), source)) {}

  // A field in memory of a source, such as a Space: Field<float> u(grid, "u", space).
  template <int D>
  Field(const Grid<D>& grid, std::string name, const MemorySource& source)
      : Field(grid, std::move(name), nullptr, source) {}

  // A field on memory of the user, without a copy: `start` points to layout(grid).bytes bytes of this rank, in memory
  // of the grid's device. The values in this memory are the field's initial values. The user frees the memory after
  // the last field that holds it: swap() exchanges it with the memory of the other field; data() returns the field's
  // current memory. Neighbours have no access to it, so its halos are packed (peer:pack, mpi); the bits are the same.
  // Throws Error on all ranks if the memory of any rank is null, misaligned or another device's. Collective.
  template <int D>
  static Field borrow(const Grid<D>& grid, std::string name, Element* start,
                      std::shared_ptr<const Codec> codec = nullptr) {
    return Field(grid, std::move(name), std::move(codec), memory_at(start));
  }
  // The positions of this rank's cells in such memory.
  template <int D>
  static FieldLayout layout(const Grid<D>& grid) {
    return detail::layout_of(Storage{sizeof(Element), components}, grid.core()->layout());
  }

  const std::shared_ptr<FieldCore>& core() const { return core_; }
  const std::string& name() const { return core_->name(); }
  // Every cell of its grid, which has D axes (else Error), for a sweep where only the field is known: u.all<2>().
  template <int D>
  Region<D> all() const {
    return detail::all_cells<D>(core_->grid_ptr(), name());
  }

  // Direct access to the memory: the address of the first owned cell, and the number of elements from one cell to the next along each
  // axis, and from one component to the next. An exchange includes work enqueued on stream() before it. Call touched() after writing.
  Element* data() const { return reinterpret_cast<Element*>(core_->origin()); }
  long stride(int axis) const { return core_->stride(core_->grid().layout(), axis); }
  long component_stride() const { return core_->component_stride(core_->grid().layout()); }
  long extent(int axis) const { return core_->grid().layout().extents[axis]; } // owned cells
  Stream& stream() const { return core_->grid().device().stream(); }
  void touched() { core_->validity().touched(); }

  // Copy the owned cells of this rank to the host, or from it: components slowest, x fastest, no halo. from_host()
  // throws Error if the number of values is not that of the rank's cells, times the components. Local.
  std::vector<Element> to_host() const {
    std::vector<Element> values(static_cast<std::size_t>(core_->grid().owned().cells()) * components);
    core_->read(values.data());
    return values;
  }
  void from_host(const std::vector<Element>& values) {
    const auto want = static_cast<std::size_t>(core_->grid().owned().cells()) * components;
    if (values.size() != want)
      throw Error("field '" + name() + "' was given " + std::to_string(values.size()) +
                      " values, a rank here owns " + std::to_string(want),
                  "give one value a cell and component that this rank owns");
    core_->write(values.data());
  }
  // The values of the whole grid on rank 0, empty elsewhere: components slowest, x fastest. Collective.
  std::vector<Element> gather() const;

private:
  std::shared_ptr<FieldCore> core_;
};

// A field of any type, for a list of fields of several types: std::vector<AnyField> state{u, v}. A handle.
class AnyField {
public:
  template <class T>
  AnyField(const Field<T>& field) : core_(field.core()) {}
  const std::shared_ptr<FieldCore>& core() const { return core_; }

private:
  std::shared_ptr<FieldCore> core_;
};

namespace detail {
void gather(const FieldCore& field, const void* block, void* whole);
}

template <class T>
std::vector<typename Field<T>::Element> Field<T>::gather() const {
  const std::vector<Element> block = to_host();
  const GridCore& grid = core_->grid();
  std::vector<Element> whole;
  if (grid.world().rank() == 0) whole.resize(static_cast<std::size_t>(grid.all().cells()) * components);
  detail::gather(*core_, block.data(), whole.data());
  return whole;
}

} // namespace tasuki
