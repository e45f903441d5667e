// A block of threads: its warps, its shared memory and its barriers. It can stop between instructions and go on.
#pragma once

#include <remote/ptx/races.hpp>
#include <remote/ptx/warp.hpp>

#include <algorithm>

namespace tasuki::remote::ptx {

struct Dimensions {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t(x) * y * z; }
};

// What a launch brings beside the code.
struct Launching {
  Dimensions grid, block;
  std::uint32_t dynamic_shared = 0;
  std::vector<char> parameters;
  Memory* memory = nullptr;
  std::uint64_t grid_id = 0;
  std::uint64_t workspace = 0; // address of what a cooperative grid synchronises by
  bool checked = false;        // look for races on shared words
};

class Block {
public:
  Block(const Code& code, const Launching& launch);
  void begin(std::uint64_t index); // which block of the grid it is now

  // Runs to its end, or for so many turns of its warps. True at the end. Throws Fault.
  bool run(int turns);

  const Code& code() const { return code_; }
  const Launching& launch() const { return launch_; }
  Dimensions place() const { return place_; }
  std::uint64_t shared() const; // where it begins
  std::uint64_t shared_bytes() const { return shared_bytes_; }
  Range range_around(std::uint64_t address) const;
  std::uint64_t stack(int thread) const { return stack_base_ + std::uint64_t(thread) * code_.stack; }
  std::uint64_t parameters() const { return reinterpret_cast<std::uint64_t>(launch_.parameters.data()); }
  std::uint32_t threads() const { return threads_; }
  // Of launches that are checked: what warps do to shared memory between barriers. Null of others.
  Races* races() { return launch_.checked ? &races_ : nullptr; }

  // Barrier `id` of `threads` threads (0: all that live): lanes come, and wait unless they only arrive.
  struct Coming {
    int id;
    std::uint32_t threads;
    std::uint32_t count = 0; // of lanes whose predicate is true
    bool all = true, any = false;
  };
  void come(const Coming& coming, std::uint32_t lanes);
  void left(std::uint32_t lanes); // they ended

private:
  struct Barrier {
    std::uint32_t come = 0, expected = 0, count = 0;
    bool all = true, any = false;
  };
  void open(int id);

  const Code& code_;
  const Launching& launch_;
  std::uint32_t threads_;
  std::uint32_t live_ = 0;
  Dimensions place_;
  std::vector<char> shared_, stacks_;
  std::uint64_t shared_bytes_ = 0, stack_base_ = 0;
  std::vector<Warp> warps_;
  Barrier barriers_[16];
  Races races_;
};

} // namespace tasuki::remote::ptx
