// A space: one range of addresses over all ranks. Any rank reads and writes any element by a plain load or store.
//
//   World world(argc, argv);
//   Space space(world);
//   auto a = space.array<double>({n, n}, space.bands({n, n}, sizeof(double)), "a"); // the same pointer on every rank
//   if (world.rank() == 0) a.data()[n * n - 1] = 3;  // another rank's: fetched, and sent home by
//   space.sync();                                      // now all ranks see it
//
//   // Over the memories of a node's GPUs: kernels of all its ranks load and store any element at this address.
//   auto g = space.array<double>({n, n}, space.bands({n, n}, sizeof(double)), "g", Memory::device);
//
// All ranks see after sync() what any rank wrote before it. Between two sync()s a rank sees its own writes, and of other ranks'
// writes some or none: it is a race if one rank writes what another reads meanwhile. docs/space.md has the guarantees and the costs.
//
// Construction and destruction of a space and of its arrays are collective, in the same order on every rank. Other
// threads of a rank may touch arrays at any time, except while one of its threads is in sync(), allocate() or free().
#pragma once

#include <tasuki/base/world.hpp>
#include <tasuki/device/buffer.hpp>
#include <tasuki/space/map.hpp>
#include <tasuki/space/reach.hpp>

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

// The counters of a space: sums over all of its ranks.
struct SpaceCounts {
  std::uint64_t faults = 0, first_writes = 0; // touches that had to be served; those that took a twin
  std::uint64_t pages_by_fault = 0, pages_by_section = 0, pages_ahead = 0;
  std::uint64_t bytes_in = 0, bytes_out = 0; // fetched, sent home
  double seconds_waited = 0;                 // of threads, for pages
  std::uint64_t messages = 0;                // questions to other ranks; of a whole space: 0 for an array
};

// The counters of one array, and the places in the program that touched it. Pages of an array over devices are steps of 2 MiB.
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
      saved; // predicted s of waiting that a preload of the touched pages would have saved, from the
             // times of fetches of several sizes; none if all had one size
  std::vector<Touched> costliest; // with --space-report, on rank 0: up to three, the costliest first
};

class Space {
public:
  // Throws Error if its addresses are in use, or if no way to serve page faults works. Collective.
  explicit Space(World& world);
  ~Space();
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  World& world() const;
  const char* faults() const; // uffd, signal or none; also none if all ranks are on one node

  // Memory of an array, zero, at the same address on every rank. Throws Error if it does not fit. By all ranks, in the same order.
  void* allocate(const space::Map& map, std::string name);
  // The same over the devices of all ranks (Memory::device): the world's own, its GPUs or the host. What a rank owns lies in
  // its GPU's memory, in steps of kDeviceStep. Kernels reach what their node has of it, and what of other nodes was preloaded;
  // the processor does where the device is the host. Throws Error if GPUs of a node do not reach each other's memory, or if
  // it does not fit. Collective.
  void* allocate(const space::Map& map, std::string name, Memory where);
  static constexpr std::size_t kDeviceStep = std::size_t{2} << 20; // bytes

  void free(void* array); // by all ranks: waits for all
  // The map of N bands of the slowest axis, one per rank, that begin at elements, not at pages; see space::Map for other maps.
  space::Map bands(std::vector<long> extents, std::size_t element_bytes) const;
  template <class T>
  Global<T> array(std::vector<long> extents, const space::Map& map, std::string name);
  template <class T>
  Global<T> array(std::vector<long> extents, const space::Map& map, std::string name, Memory where);

  // With <tasuki/space/field.hpp>: a field whose cells are in the space, and a grid with the decomposition of an array.
  template <class T, int D>
  Field<T> field(const Grid<D>& grid, std::string name, std::shared_ptr<const Codec> codec = nullptr);
  template <int D, class T>
  Grid<D> grid(const Global<T>& array, const GridOptions& options) const;
  MemorySource memory(); // the source of memory of such fields: over the GPUs where the grid is on them
  MemorySource memory(Memory where); // Memory::device: over the devices also where these are the host
  operator MemorySource();           // memory(): Field<float> u(grid, "u", space)

  int owner(const void* element) const;    // the rank that owns it, by the map
  bool has(const void* address) const;     // inside the addresses of the space
  bool on_gpus(const void* address) const; // in an array over GPUs, which the processor does not reach
  space::Reach reach(
      const void* array); // of an array over devices, for kernels: reached() (space/reached.hpp)
  // The array at an address. Throws Error if there is none.
  struct Placed {
    char* start;
    const space::Map* map;
    std::string name;
    bool of_field;     // each part is a rank's memory of a field
    bool over_devices; // Memory::device
  };
  Placed find(const void* address) const;

  // All ranks see everything that was written before it. With `drop`, copies of others' pages are discarded. Collective.
  void sync(bool drop = false);

  // preload() fetches others' bytes before they are touched: a run of bytes, or a section (space/section.hpp) that begins at
  // `at` of an array of `whole` elements. `write`: they will be written. hold(), and preload() with `keep` (an overload),
  // also keep the copies up to date from then on, by what synchronisations send anyway. Each rank calls them independently.
  // Of arrays over devices a copy is the rank's own, is there until the next synchronisation, or stays if it is kept, and
  // goes home only if `write` was asked for.
  void preload(const void* at, std::size_t bytes, bool write = false);
  void hold(const void* at, std::size_t bytes, bool write = false);
  void preload(const void* at, const std::vector<std::size_t>& whole, const std::vector<std::size_t>& part,
               std::size_t element_bytes, bool write, bool keep = false);

  // Copies between arrays, and between them and memory of this rank, wherever they lie: the way of the processor to and from
  // arrays over GPUs. Behind what this rank's device has to do; returns when it is done.
  void copy(void* to, const void* from, std::size_t bytes);

  // One thread of all ranks at a time has a lock, and sees what earlier holders wrote. Any number names a lock.
  void lock(std::uint64_t number);
  void unlock(std::uint64_t number);

  // Operations on integers of 4 or 8 bytes, atomic over all ranks; they return the number before. Not in arrays over devices,
  // where kernels have their own.
  // This rank's copy of the element, if it has one, keeps its value until the next synchronisation.
  template <class T>
  T add(T* element, T value);
  template <class T>
  T exchange(T* element, T value);
  template <class T>
  T compare(T* element, T expected, T value); // stores `value` if the element is `expected`

  SpaceCounts counts() const;           // collective
  std::vector<SpaceCost> costs() const; // by array. Collective
  // costs() as a table, on rank 0. With --space-report a space that ends without having been asked for it prints it to standard
  // error. Collective.
  std::string report() const;
  static std::vector<Space*> of(World& world); // those that have not ended, in the order in which they began

private:
  struct Core;
  struct Live;
  class FieldPart;
  class FieldMemories;
  Decomposition cut_of(const void* array, int dims, const GridOptions& options) const;
  void free_on_devices(void* array);
  static void check(const space::Map& map, const std::vector<long>& extents, std::size_t element_bytes,
                    const std::string& name);
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
  check(map, extents, sizeof(T), name);
  return {*this, static_cast<T*>(allocate(map, std::move(name))), static_cast<std::size_t>(map.elements())};
}
template <class T>
Global<T> Space::array(std::vector<long> extents, const space::Map& map, std::string name, Memory where) {
  check(map, extents, sizeof(T), name);
  return {*this, static_cast<T*>(allocate(map, std::move(name), where)),
          static_cast<std::size_t>(map.elements())};
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
