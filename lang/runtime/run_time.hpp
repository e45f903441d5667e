// The run time of a program of directives: a world, its devices, and the ranks that execute at present. Internal.
#pragma once

#include <tasuki/base/error.hpp>
#include <tasuki/base/ranks.hpp>
#include <tasuki/device/device.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tasuki::xmp {

// The executing ranks: all ranks, or those of a task. Their communicator is created at first use.
class Executing {
public:
  Executing(World& world, std::vector<int> members);
  const std::vector<int>& members() const { return members_; } // ascending
  const Ranks& ranks();                                        // the first call is collective over them
  bool has(int rank) const;

private:
  World& world_;
  std::vector<int> members_;
  std::optional<Ranks> ranks_;
};

class Checking;

// One object at a time, from begin to end of tsk_main; another may follow.
class RunTime {
public:
  // Errors call the program `name`; the units of `program` determine whether device memory may be on a GPU.
  RunTime(const char* name, const char* program);                // over all started ranks
  RunTime(const char* name, const char* program, MPI_Comm comm); // over the ranks of a communicator
  ~RunTime();
  RunTime(const RunTime&) = delete;
  RunTime& operator=(const RunTime&) = delete;

  static RunTime& now(); // throws Error if there is none
  static bool runs();

  World& world() { return world_; }
  Device& host() { return *host_; }                    // of arrays
  Device& accelerator() { return *accelerator_; }      // of device memory
  bool apart() const { return host_ != accelerator_; } // device memory is separate from host memory
  bool exact_sums() const; // sums have to have the same bits on any number of ranks

  Executing& executing() { return sets_.back(); }
  void enter(std::vector<int> members) { sets_.emplace_back(world_, std::move(members)); }
  void leave() { sets_.pop_back(); }

  Checking& checking() { return *checking_; } // the state of --check

  // An object that a part of the run time keeps during the run: its plans, its table of device memory.
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

// Ends the run with one line that begins with the source position.
[[noreturn]] void fail(const char* where, const char* what) noexcept;

// Runs the action of a directive. An Error becomes such a line, since exceptions must not reach C.
template <class Act>
auto at(const char* where, const Act& act) {
  try {
    return act();
  } catch (const Error& fault) {
    fail(where, fault.what());
  }
}

} // namespace tasuki::xmp
