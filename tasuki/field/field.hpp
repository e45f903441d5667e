// A value at each cell of a grid, with a halo, in device memory.
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

// What is the same for fields of every value type. Component k of a cell lies place(layout, cell, k) elements from
// component 0 of the first owned cell, at origin().
class FieldCore {
public:
  // `codec`: null where all of a cell travels. Throws Error where its components are none of the field's, or the values
  // cannot be added.
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

  char* origin() const; // the first owned cell of component 0
  char* origin_of(int rank)
      const; // the same of another rank of this node, as this rank addresses it. Only where reached()
  bool reached() const;  // ranks of a node store into each other's; the same on all ranks, swaps exchange it
  int memory_id() const; // which memory the field holds now: swaps exchange it. Same on all ranks.
  void swap(FieldCore& other); // memories and validities; same grid and value type (else Error)

  Validity& validity() { return validity_; }
  const Validity& validity() const { return validity_; }

  // Owned cells of this rank as plain host memory: components slowest, then the grid's axes, x fastest. The second
  // leaves the halo to be exchanged when it is next read.
  void read(void* to) const;
  void write(const void* from);

  // How its cells lie.
  Storage storage() const { return {static_cast<long>(element_bytes_), components_}; }
  long place(const Layout& layout, const Index& local, int component) const {
    return storage().place(layout, local, component);
  }
  long stride(const Layout& layout, int axis) const { return storage().stride(layout, axis); }
  long component_stride(const Layout& layout) const { return storage().component_stride(layout); }
  Strided strided(char* origin, const Layout& layout, const Box& local, int component) const {
    return storage().strided(origin, layout, local, component);
  }
  // The same as the source of a term.
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
struct ValueOf { // T, or T[K]: K numbers a cell, each in a plane of its own
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

} // namespace detail

// Field<float> u(grid, "u");          a number a cell
// Field<float[4]> a(grid, "a");       four, each plane contiguous: a[k](c) in a sweep. Of more than kMostPlanes each row
// Field<Particle> p(grid, "p");       any trivially copyable struct
// Field<float[24]> s(grid, "s", codec); of which a codec says what travels into a halo
//
// A handle: copies name the same field. Zero at first. Made and destroyed by all ranks together. Throws Error where
// the memory does not suffice.
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

  // On a user's own memory, without a copy: `start` is the first of layout(grid).bytes bytes of this rank, memory of the
  // grid's device. What the owned cells hold there is the field's. The user frees it when all fields that hold it are gone:
  // a swap trades it for the other field's, and data() tells where a field lies. Neighbours do not reach it, so its
  // halos go packed (peer:pack, mpi), with the same bits. Throws Error, on all ranks, where the memory of one is null,
  // misaligned or another device's. Collective.
  template <int D>
  static Field borrow(const Grid<D>& grid, std::string name, Element* start,
                      std::shared_ptr<const Codec> codec = nullptr) {
    return Field(grid, std::move(name), std::move(codec), memory_at(start));
  }
  // Where the cells of this rank lie in such memory.
  template <int D>
  static FieldLayout layout(const Grid<D>& grid) {
    return detail::layout_of(Storage{sizeof(Element), components}, grid.core()->layout());
  }

  const std::shared_ptr<FieldCore>& core() const { return core_; }
  const std::string& name() const { return core_->name(); }

  // The memory itself, lent without a copy: the first owned cell, and elements from one to the next along each axis
  // and from a component to the next. Work on stream() before an exchange is in it; call touched() after writing.
  Element* data() const { return reinterpret_cast<Element*>(core_->origin()); }
  long stride(int axis) const { return core_->stride(core_->grid().layout(), axis); }
  long component_stride() const { return core_->component_stride(core_->grid().layout()); }
  long extent(int axis) const { return core_->grid().layout().extents[axis]; } // owned cells
  Stream& stream() const { return core_->grid().device().stream(); }
  void touched() { core_->validity().touched(); }

  // Copies of the owned cells to and from the host: components slowest, x fastest.
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
  // The whole grid on rank 0, empty elsewhere: components slowest, x fastest. Collective.
  std::vector<Element> gather() const;

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
