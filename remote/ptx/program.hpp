// A module that can be run: its variables in memory, its kernels as code.
//
//   Program program(text, [&](std::uint64_t bytes) { return memory_for_variables(bytes); });
//   const Code* step = program.kernel("_Z4stepPfi"); // null where there is none
#pragma once

#include <remote/ptx/lower.hpp>

#include <functional>

namespace tasuki::remote::ptx {

class Program {
public:
  // Memory of zeros for all variables at once, at a multiple of 256; its address is theirs for kernels. Throws Error where
  // the text cannot be run: the line, or opcode and kernel.
  using Allocate = std::function<std::uint64_t(std::uint64_t bytes)>;
  Program(std::string text, const Allocate& allocate);

  const Code* kernel(const std::string& name) const;
  struct Place {
    std::uint64_t address = 0, bytes = 0;
  };
  Place variable(const std::string& name) const; // address 0 where there is none
  std::vector<std::string> kernels() const;
  std::uint32_t target() const { return target_; } // 90: sm_90
  std::uint32_t version() const { return version_; }

private:
  void fill(const Module& module, const Addresses& addresses) const;

  std::uint32_t target_ = 0, version_ = 0;
  std::unordered_map<std::string, Place> variables_;
  std::unordered_map<std::string, std::unique_ptr<Code>> kernels_;
};

} // namespace tasuki::remote::ptx
