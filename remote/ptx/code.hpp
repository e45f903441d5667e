// A kernel ready for execution: instructions whose operands are places in a warp's register frame.
//
// A frame holds the registers of a function for the 32 lanes of a warp: 128 bytes for types of up to 32 bits, 256 bytes
// for 64 bits, and one word, one bit per lane, for a predicate. Constants and special registers are places that are
// filled before the function begins, so the sources of an instruction are always places.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tasuki::remote::ptx {

class Warp;
using Mask = std::uint32_t; // one bit per lane

constexpr int kLanes = 32;
constexpr Mask kAllLanes = ~Mask(0);

struct CallSite;

struct Op {
  using Run = void (*)(Warp&, const Op&, Mask);
  Run run = nullptr;
  std::int32_t guard = -1; // place of the predicate; -1: none
  bool guard_negated = false;
  bool wide_address = true; // the address register has 64 bits
  std::uint8_t flags = 0;   // specific to the instruction
  std::uint8_t lanes = 1;   // elements of a vector
  std::int32_t d[4] = {-1, -1, -1, -1}, s[4] = {-1, -1, -1, -1};
  std::int64_t immediate = 0; // offset of an address, target of a branch
  const CallSite* call = nullptr;
  const std::vector<std::uint32_t>* table = nullptr;
  std::uint32_t line = 0;
};

struct Constant {
  std::int32_t place;
  bool wide;
  std::uint64_t bits;
};

enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_lt,
  lanemask_le,
  lanemask_gt,
  lanemask_ge,
  dynamic_shared,
  total_shared,
  workspace_high,
  workspace_low,
  one,
  zero
};

struct SpecialPlace {
  std::int32_t place;
  bool wide;
  Special which;
};

// A function as a part of this kernel.
struct Routine {
  std::string name;
  std::uint32_t first = 0; // index of its first instruction
  std::uint32_t frame = 0; // bytes of registers
  std::uint32_t stack = 0; // bytes of stack memory per lane: returns, parameters, .param and .local variables
  std::vector<std::uint32_t> returns, parameters; // their offsets in that memory
  std::vector<Constant> constants;
  std::vector<SpecialPlace> specials;
};

// Bytes that a call copies between the stacks of caller and callee.
struct Passed {
  std::uint32_t at_caller, at_callee, bytes;
};

enum class Builtin : std::uint8_t { none, print, allocate, release, assert_fail };

struct CallSite {
  std::int32_t routine = -1; // -1: the register s[0] holds the function's address
  Builtin builtin = Builtin::none;
  std::uint32_t caller_stack = 0, caller_frame = 0;
  std::vector<Passed> arguments, results;
};

// .entry: the position of a parameter in the parameter block of a launch.
struct ParameterPlace {
  std::uint32_t offset, bytes;
};

struct Code {
  std::string name;
  std::vector<Op> ops;
  std::vector<Routine> routines; // the first is the kernel itself
  std::vector<std::int32_t>
      routine_of_function; // by index in the functions of the module; -1: not called by this kernel
  std::vector<std::unique_ptr<CallSite>> calls;
  std::vector<std::unique_ptr<std::vector<std::uint32_t>>> tables; // of brx.idx: the targets
  std::vector<ParameterPlace> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t static_shared = 0;
  std::uint32_t max_threads = 1024; // per block
  std::uint32_t registers = 0;      // per thread, as named in the text
  std::uint32_t stack = 0;          // bytes of memory per thread for all functions
};

// The address of a function in a kernel: never null, the same in all kernels of a module.
inline std::uint64_t address_of_function(std::uint32_t index) { return 8 * (std::uint64_t(index) + 1); }

} // namespace tasuki::remote::ptx
