// The parts of a space, in the order in which they need each other. Internal.
#pragma once

#include <tasuki/base/agree.hpp>
#include <tasuki/field/memory_source.hpp>
#include <tasuki/space/arrays.hpp>
#include <tasuki/space/cache.hpp>
#include <tasuki/space/device_arrays.hpp>
#include <tasuki/space/faults.hpp>
#include <tasuki/space/home.hpp>
#include <tasuki/space/pager.hpp>
#include <tasuki/space/pages.hpp>
#include <tasuki/space/range.hpp>
#include <tasuki/space/section.hpp>
#include <tasuki/space/server.hpp>
#include <tasuki/space/space.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tasuki {

// What programs know of the fields of a space.
class Space::FieldMemories final : public CommonMemory {
public:
  explicit FieldMemories(Core& core) : core_(core) {}
  void sync() override; // sync()

private:
  Core& core_;
};

struct Space::Core {
  explicit Core(World& world);

  // The element at a byte of the range, as errors name it: "a[3,17]"; the address if it is in no array.
  std::string element(std::uint64_t byte) const;
  bool remote() const { return cache.has_value(); } // there are other nodes
  void check_alike();
  void expect_rank() const; // throws Error in a child of fork()
  static int own_process();
  // Where all ranks are to do one thing: what any of them is busy with. Throws Error on all where one does
  // another, or where `digest` differs, which `terms` tell. Collective.
  struct Busy {
    bool host = false, devices = false;
  };
  Busy meet(const Busy& mine, std::uint64_t digest, const std::string& act,
            const std::function<Terms()>& terms);
  space::DeviceArray* on_devices(const void* at) const; // the array over devices that has it; null: none has
  void sync(bool drop, bool drop_of_devices);
  void sync_devices(bool drop);
  void take(const char* notices, std::size_t bytes, std::uint64_t drops);
  std::vector<space::PageRun> pages_of(const space::Array& array,
                                       const std::vector<space::Bytes>& runs) const;

  World& world;
  const int process = own_process(); // a child of fork() has another
  space::Range range;
  space::Pages pages;
  space::Arrays arrays;
  space::Home home;
  std::vector<std::vector<int>> ranks_of; // by node
  std::optional<space::Server> server;    // none where there is one rank
  std::unique_ptr<space::Faults> faults;
  std::optional<space::Cache> cache; // none where all ranks are of one node
  std::optional<space::Pager> pager; // none likewise, and where nothing is served

  struct Taken { // a lock that a thread of this rank has
    std::uint64_t ticket;
    std::thread::id thread;
  };
  std::mutex locks_mutex;
  std::map<std::uint64_t, Taken> locks;
  space::Locks own_locks;   // where there is no server
  space::Grants own_grants; // likewise
  bool ask_for_lock(std::uint64_t number, std::uint64_t ticket);
  std::atomic<std::uint64_t> next_ticket{0}, log_position{0};
  std::uint64_t syncs = 0;
  std::optional<space::DeviceArrays> devices; // none before the first array over them
  std::map<const void*, std::string> fields;  // by where their memory begins
  FieldMemories field_memories{*this};
  bool reported = false; // the program has asked for the report
};

// The spaces of a world.
struct Space::Live {
  explicit Live(World&) {}
  std::vector<Space*> all;
};

} // namespace tasuki
