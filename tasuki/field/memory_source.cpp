#include <tasuki/base/on_all.hpp>
#include <tasuki/device/buffer.hpp>
#include <tasuki/device/shared_range.hpp>
#include <tasuki/field/grid.hpp>
#include <tasuki/field/memory_source.hpp>
#include <tasuki/field/room.hpp>

#include <cstdint>

namespace tasuki {
namespace {

// Without this offset, all arrays would begin at the same position of a page and compete for the same cache sets.
std::size_t skew_of(const MemoryWish& wish) { return static_cast<std::size_t>(wish.number % 16) * 256; }

class OwnMemory : public FieldMemory {
public:
  explicit OwnMemory(const MemoryWish& wish)
      : skew_(skew_of(wish)),
        shared_(wish.device, wish.bytes + skew_),
        share_(wish.device.part<Room>(), wish.bytes) {}
  char* data() const override { return shared_.data() + skew_; }
  bool reached() const override { return true; }
  char* peer(int node_rank) const override { return shared_.peer(node_rank) + skew_; }

private:
  std::size_t skew_;
  SharedBuffer shared_;
  Room::Share share_;
};

// One memory of all ranks of the node, in which their bands lie one behind another.
class BandMemory : public FieldMemory {
public:
  explicit BandMemory(const MemoryWish& wish)
      : skew_(skew_of(wish)),
        memory_(wish.device, wish.bytes + skew_, pieces_of(wish)),
        share_(wish.device.part<Room>(), memory_.own_bytes()) {}
  char* data() const override { return memory_.data() + skew_; }
  bool reached() const override { return true; }
  char* peer(int) const override { return data(); } // the layout of each rank says where its band is

private:
  // What this rank uses most: its planes of each component; the halos at both ends belong to the bands there.
  static std::vector<SharedRange::Piece> pieces_of(const MemoryWish& wish) {
    const GridCore& grid = *wish.grid;
    const Layout& layout = grid.layout();
    const int axis = grid.dims() - 1;
    const Beside beside = grid.bands().beside(grid.world().rank());
    const long plane = wish.storage.stride(layout, axis);
    const int parts = lies_by_rows(wish.storage.components) ? 1 : wish.storage.components;
    const long part = layout.plane * wish.storage.components / parts;
    const long from = beside.below ? (layout.halo[axis].lo + beside.below) * plane : 0;
    const long to =
        beside.above ? (layout.halo[axis].lo + beside.below + layout.extents[axis]) * plane : part;
    const auto byte = [&](long element) {
      return static_cast<std::size_t>(element * wish.storage.element_bytes) + skew_of(wish);
    };
    std::vector<SharedRange::Piece> pieces;
    for (int k = 0; k < parts; ++k) pieces.push_back({byte(k * part + from), byte(k * part + to)});
    if (from == 0) pieces.front().from = 0;
    return pieces;
  }

  std::size_t skew_;
  SharedRange memory_;
  Room::Share share_;
};

// Waits for enqueued work, since the memory that it may use is freed next.
void finish(Device& device) {
  if (unwinding()) return;
  try {
    device.stream().synchronize();
    device.transfer().synchronize();
  } catch (const Error&) { // the device is lost, and its memory with it; its next use reports the error
  }
}

// Memory of the host, for a field that does not fit into device memory.
class OutsideMemory : public FieldMemory {
public:
  explicit OutsideMemory(const MemoryWish& wish)
      : device_(wish.device),
        skew_(skew_of(wish)),
        buffer_(wish.device, wish.bytes + skew_, Memory::pinned) {}
  ~OutsideMemory() override { finish(device_); }
  char* data() const override { return buffer_.data() + skew_; }
  bool reached() const override { return false; }
  char* peer(int) const override {
    throw Error("memory of the host was to be stored into by another rank's device",
                "take --channel mpi or peer:pack");
  }
  bool outside() const override { return true; }

private:
  Device& device_;
  std::size_t skew_;
  Buffer buffer_;
};

std::unique_ptr<FieldMemory> lend_own(const MemoryWish& wish) {
  if (wish.grid->bands().any()) return std::make_unique<BandMemory>(wish);
  if (goes_outside(wish)) return std::make_unique<OutsideMemory>(wish);
  return std::make_unique<OwnMemory>(wish);
}

class UsersMemory : public FieldMemory {
public:
  UsersMemory(Device& device, void* start) : device_(device), data_(static_cast<char*>(start)) {}
  ~UsersMemory() override { finish(device_); }
  char* data() const override { return data_; }
  bool reached() const override { return false; }
  char* peer(int) const override {
    throw Error("a user's memory was to be stored into by another rank", "take --channel mpi or peer:pack");
  }

private:
  Device& device_;
  char* data_;
};

void check(const MemoryWish& wish, const void* start) {
  const std::string what = "the memory given to field '" + wish.field + "' on rank " +
                           std::to_string(wish.device.world().rank()) + " ";
  if (!start) throw Error(what + "is null", "allocate " + std::to_string(wish.bytes) + " bytes");
  if (reinterpret_cast<std::uintptr_t>(start) % kFieldAlignment != 0)
    throw Error(what + "does not begin at a multiple of " + std::to_string(kFieldAlignment) + " bytes",
                "allocate it aligned");
  const Holder holder = wish.device.holder(start);
  const bool cuda = wish.device.cuda();
  if (holder == Holder::both || holder == (cuda ? Holder::device : Holder::host)) return;
  const char* const where = holder == Holder::host ? "is the host's"
                            : cuda                 ? "is another GPU's"
                                                   : "is a GPU's";
  throw Error(what + where + ", and its grid is on " + (cuda ? "GPU " : "the host") +
                  (cuda ? std::to_string(wish.device.ordinal()) : ""),
              cuda ? "give memory of that GPU" : "give memory of the host, or take --device cuda");
}

} // namespace

MemorySource own_memory() { return {"its own", lend_own, true}; }

MemorySource memory_at(void* start) {
  return {"a user's", [start](const MemoryWish& wish) {
            on_all(wish.device.world(), [&] { check(wish, start); });
            return std::make_unique<UsersMemory>(wish.device, start);
          }};
}

} // namespace tasuki
