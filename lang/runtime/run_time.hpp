// What a program of directives runs on: a world, its devices, and who executes at the moment. Internal.
#pragma once

#include <tasuki/base/error.hpp>
#include <tasuki/base/ranks.hpp>
#include <tasuki/device/device.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tasuki::xmp {

// Who executes: all ranks, or those of a task. Its communicator is made when it is first asked for.
class Executing {
public:
  Executing(World& world, std::vector<int> members);
  const std::vector<int>& members() const { return members_; } // ascending
  const Ranks& ranks();                                        // collective over them, the first time
  bool has(int rank) const;

private:
  World& world_;
  std::vector<int> members_;
  std::optional<Ranks> ranks_;
};

class Checking;

// One at a time, from tsk_main's begin to its end; it can begin again.
class RunTime {
public:
  // Errors call the program `name`; the units of `program` say whether device memory may be a GPU's.
  RunTime(const char* name, const char* program);                // of all ranks that were started
  RunTime(const char* name, const char* program, MPI_Comm comm); // of those of a communicator alone
  ~RunTime();
  RunTime(const RunTime&) = delete;
  RunTime& operator=(const RunTime&) = delete;

  static RunTime& now(); // throws Error where none is
  static bool runs();

  World& world() { return world_; }
  Device& host() { return *host_; }                    // of arrays
  Device& accelerator() { return *accelerator_; }      // of device memory
  bool apart() const { return host_ != accelerator_; } // device memory is another one

  Executing& executing() { return sets_.back(); }
  void enter(std::vector<int> members) { sets_.emplace_back(world_, std::move(members)); }
  void leave() { sets_.pop_back(); }

  Checking& checking() { return *checking_; } // what --check asks for

  // What a part of the run time keeps meanwhile: its plans, its table of device memory.
  template <class T>
  T& part() {
    return world_.part<T>();
  }

private:
  World world_;
  Device* host_ = nullptr;
  Device* accelerator_ = nullptr;
  std::vector<Executing> sets_;
  Checking* checking_ = nullptr;
};

// Ends the run with one line that begins with the place.
[[noreturn]] void fail(const char* where, const char* what) noexcept;

// Does what a directive asks for; an Error becomes that line. Nothing is thrown into C.
template <class Act>
auto at(const char* where, const Act& act) {
  try {
    return act();
  } catch (const Error& fault) {
    fail(where, fault.what());
  }
}

} // namespace tasuki::xmp
