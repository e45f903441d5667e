// One address space over all ranks: any of them reads and writes any element by a plain load or store.
//
//   World world(argc, argv);
//   Space space(world);
//   auto a = space.array<double>({n, n}, space.bands({n, n}, sizeof(double)), "a"); // the same pointer on every rank
//   if (world.rank() == 0) a.data()[n * n - 1] = 3;  // another rank's: fetched, and sent home by
//   space.sync();                                      // now all ranks see it
//
// What a rank wrote before sync() all see after it. Between, a rank sees its own writes, and of others' what it happened to
// have: whoever writes what another reads meanwhile has a race. docs/space.md says what is promised and what it costs.
//
// A space is made and ended by all ranks together, as are its arrays, in the same order. Other threads of a rank may touch
// arrays at any time but while one of its threads is in sync(), allocate() or free().
#pragma once

#include <tasuki/base/world.hpp>
#include <tasuki/space/map.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tasuki {

template <class T>
class Global;
template <class T>
class Field;
template <int D>
class Grid;
class FieldCore;
struct Codec;
struct Decomposition;
struct GridOptions;
struct MemorySource;

// What the ranks of a space did in it: sums over all of them.
struct SpaceCounts {
  std::uint64_t faults = 0, first_writes = 0; // touches that had to be served; those that took a twin
  std::uint64_t pages_by_fault = 0, pages_by_section = 0, pages_ahead = 0;
  std::uint64_t bytes_in = 0, bytes_out = 0; // fetched, sent home
  double seconds_waited = 0;                 // of threads, for pages
};

// The same of one array, and where it was touched.
struct SpaceCost {
  struct Touched {
    std::string line; // "heat.c:41 (relax)"; "heat+0x1a2b" where there is no debug information
    std::uint64_t touches = 0, pages = 0;
    double seconds = 0; // that threads waited
  };
  std::string array;
  std::uint64_t bytes = 0;
  SpaceCounts counts;
  std::optional<double>
      saved; // s of waiting that a preload of what was touched would have saved, as fetches of other
             // sizes took; none where all had one size
  std::vector<Touched> costliest; // with --space-report, on rank 0: up to three, the costliest first
};

class Space {
public:
  // Throws Error where its addresses are taken or no way to fault serves. Collective.
  explicit Space(World& world);
  ~Space();
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  World& world() const;
  const char* faults() const; // uffd, signal or none; none too where all ranks are of one node

  // Memory of an array, zero, at one address on every rank. Throws Error where it does not fit. By all ranks in one order.
  void* allocate(const space::Map& map, std::string name);
  void free(void* array); // by all ranks: waits for all
  // N bands of the slowest axis, one a rank, that begin at elements; see space::Map for other cuts.
  space::Map bands(std::vector<long> extents, std::size_t element_bytes) const;
  template <class T>
  Global<T> array(std::vector<long> extents, const space::Map& map, std::string name);

  // With <tasuki/space/field.hpp>: a field whose cells lie in the space, and a grid that is cut as an array is.
  template <class T, int D>
  Field<T> field(const Grid<D>& grid, std::string name, std::shared_ptr<const Codec> codec = nullptr);
  template <int D, class T>
  Grid<D> grid(const Global<T>& array, const GridOptions& options) const;
  MemorySource memory(); // what lends such fields their memory

  int owner(const void* element) const; // the rank that the map gives it
  bool has(const void* address) const;  // in the range of the space
  // The array that an address lies in. Throws Error where it is in none.
  struct Placed {
    char* start;
    const space::Map* map;
    std::string name;
    bool of_field; // each part is a rank's memory of a field
  };
  Placed find(const void* address) const;

  // All ranks see all that was written before. Collective. With `drop` copies of others' pages are given back.
  void sync(bool drop = false);

  // Brings others' bytes before they are touched: plain ones, or a section (see space/section.hpp) that begins at `at` of an
  // array of `whole` elements. `write`: they will be written. An overload is a preload that is kept up to date from then on, by
  // what synchronisations send anyway; so is hold(). Each rank calls them as it likes.
  void preload(const void* at, std::size_t bytes, bool write = false);
  void hold(const void* at, std::size_t bytes, bool write = false);
  void preload(const void* at, const std::vector<std::size_t>& whole, const std::vector<std::size_t>& part,
               std::size_t element_bytes, bool write, bool keep = false);

  // One thread of all ranks at a time has a lock, and sees what those who had it before wrote. Any number names one.
  void lock(std::uint64_t number);
  void unlock(std::uint64_t number);

  // On integers of 4 or 8 bytes, atomic over all ranks; they return what was there. A copy that this rank has of the
  // element stays what it was until the next synchronisation.
  template <class T>
  T add(T* element, T value);
  template <class T>
  T exchange(T* element, T value);
  template <class T>
  T compare(T* element, T expected, T value); // stores `value` where `expected` is

  SpaceCounts counts() const;           // collective
  std::vector<SpaceCost> costs() const; // by array. Collective
  std::string report() const;           // them as a table, on rank 0. Collective

private:
  struct Core;
  class FieldPart;
  Decomposition cut_of(const void* array, int dims, const GridOptions& options) const;
  void name_cells(const std::shared_ptr<FieldCore>& field);
  std::uint64_t act(int kind, void* element, std::size_t bytes, std::uint64_t value, std::uint64_t expected);
  std::unique_ptr<Core> core_;
};

// An array of a space. Cheap to copy; it ends with the space, or by space.free(data()).
template <class T>
class Global {
  static_assert(std::is_trivially_copyable_v<T>, "elements travel as bytes");

public:
  Global(Space& space, T* data, std::size_t count) : space_(&space), data_(data), count_(count) {}
  Space& space() const { return *space_; }
  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  T& operator[](std::size_t k) const { return data_[k]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + count_; }

private:
  Space* space_;
  T* data_;
  std::size_t count_;
};

template <class T>
Global<T> Space::array(std::vector<long> extents, const space::Map& map, std::string name) {
  if (map.extents() != extents || map.element_bytes() != sizeof(T))
    throw Error("array '" + name + "' and its map have other extents or elements",
                "make the map of the array's");
  return {*this, static_cast<T*>(allocate(map, std::move(name))), static_cast<std::size_t>(map.elements())};
}

template <class T>
T Space::add(T* element, T value) {
  static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), "integers of 4 or 8 bytes");
  return static_cast<T>(act(0, element, sizeof(T), static_cast<std::uint64_t>(value), 0));
}
template <class T>
T Space::exchange(T* element, T value) {
  static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), "integers of 4 or 8 bytes");
  return static_cast<T>(act(1, element, sizeof(T), static_cast<std::uint64_t>(value), 0));
}
template <class T>
T Space::compare(T* element, T expected, T value) {
  static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), "integers of 4 or 8 bytes");
  return static_cast<T>(
      act(2, element, sizeof(T), static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(expected)));
}

} // namespace tasuki
