// A block of threads: its warps, shared memory and barriers. Its execution can be interrupted between instructions.
#pragma once

#include <remote/ptx/races.hpp>
#include <remote/ptx/warp.hpp>

#include <algorithm>

namespace tasuki::remote::ptx {

struct Dimensions {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t(x) * y * z; }
};

// The arguments of a launch, besides the code.
struct Launching {
  Dimensions grid, block;
  std::uint32_t dynamic_shared = 0;
  std::vector<char> parameters;
  Memory* memory = nullptr;
  std::uint64_t grid_id = 0;
  std::uint64_t workspace = 0; // address of the synchronisation data of a cooperative grid
  bool checked = false;        // detect races on shared memory
};

class Block {
public:
  Block(const Code& code, const Launching& launch);
  void begin(std::uint64_t index); // `index`: of the block in the grid

  // Runs to the end of the block, or for a number of turns of its warps. True at the end. Throws Fault.
  bool run(int turns);

  const Code& code() const { return code_; }
  const Launching& launch() const { return launch_; }
  Dimensions place() const { return place_; }
  std::uint64_t shared() const; // address of its shared memory
  std::uint64_t shared_bytes() const { return shared_bytes_; }
  Range range_around(std::uint64_t address) const;
  std::uint64_t stack(int thread) const { return stack_base_ + std::uint64_t(thread) * code_.stack; }
  std::uint64_t parameters() const { return reinterpret_cast<std::uint64_t>(launch_.parameters.data()); }
  std::uint32_t threads() const { return threads_; }
  // For checked launches: the accesses of warps to shared memory between barriers. Otherwise null.
  Races* races() { return launch_.checked ? &races_ : nullptr; }

  // Barrier `id` of `threads` threads (0: all live threads). Arriving lanes wait, unless they only arrive (bar.arrive).
  struct Coming {
    int id;
    std::uint32_t threads;
    std::uint32_t count = 0; // of lanes whose predicate is true
    bool all = true, any = false;
  };
  void come(const Coming& coming, std::uint32_t lanes);
  void left(std::uint32_t lanes); // these lanes have ended

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
