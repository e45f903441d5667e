#include <tasuki/base/on_all.hpp>
#include <tasuki/device/buffer.hpp>
#include <tasuki/field/memory_source.hpp>

#include <cstdint>

namespace tasuki {
namespace {

class OwnMemory : public FieldMemory {
public:
  explicit OwnMemory(const MemoryWish& wish)
      : skew_(static_cast<std::size_t>(wish.number % 16) * 256), shared_(wish.device, wish.bytes + skew_) {}
  char* data() const override { return shared_.data() + skew_; }
  bool reached() const override { return true; }
  char* peer(int node_rank) const override { return shared_.peer(node_rank) + skew_; }

private:
  std::size_t skew_; // arrays that start on one page boundary each would fight for the same cache sets
  SharedBuffer shared_;
};

class UsersMemory : public FieldMemory {
public:
  UsersMemory(Device& device, void* start) : device_(device), data_(static_cast<char*>(start)) {}
  // What was enqueued may still be under way, and the user frees it next.
  ~UsersMemory() override {
    if (unwinding()) return;
    try {
      device_.stream().synchronize();
      device_.transfer().synchronize();
    } catch (const Error&) { // the device is lost, and its memory with it; whoever uses it next says so
    }
  }
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

MemorySource own_memory() {
  return {"its own", [](const MemoryWish& wish) { return std::make_unique<OwnMemory>(wish); }};
}

MemorySource memory_at(void* start) {
  return {"a user's", [start](const MemoryWish& wish) {
            on_all(wish.device.world(), [&] { check(wish, start); });
            return std::make_unique<UsersMemory>(wish.device, start);
          }};
}

} // namespace tasuki
