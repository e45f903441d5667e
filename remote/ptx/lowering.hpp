// A kernel during lowering: the functions that it calls, and their shared variables.
#pragma once

#include <remote/ptx/lower.hpp>

namespace tasuki::remote::ptx {

class Lowering {
public:
  Lowering(const Module& module, std::uint32_t kernel, const Addresses& addresses)
      : module(module), addresses(addresses), kernel_(kernel) {}
  Code run();

  const Module& module;
  const Addresses& addresses;
  Code code;

  std::int32_t routine(std::uint32_t function); // adds it to the queue if it is new
  // By name, also by an alias; -1 if there is none.
  std::int64_t function(std::string_view name) const;
  std::uint32_t shared_place(const Variable& variable);
  const std::string& name() const { return module.functions[kernel_].name; }
  void calls(const Routine& from, std::int32_t to) { calls_.emplace_back(&from - code.routines.data(), to); }

private:
  void find_routines();
  void lay_out_shared();
  void size_stack();

  std::uint32_t kernel_;
  std::vector<std::uint32_t> queue_; // functions, in the order of code.routines
  std::unordered_map<const Variable*, std::uint32_t> shared_;
  std::vector<std::pair<std::ptrdiff_t, std::int32_t>> calls_; // caller, callee
  bool deep_ = false;                                          // recursion, or calls through registers
};

inline std::uint32_t up(std::uint32_t value, std::uint32_t align) {
  return (value + align - 1) / align * align;
}

// Positions of returns and parameters in a callee's memory, the same for caller and callee. Returns the end.
std::uint32_t lay_out(const Signature& signature, std::vector<std::uint32_t>& returns,
                      std::vector<std::uint32_t>& parameters);

} // namespace tasuki::remote::ptx
