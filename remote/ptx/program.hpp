// A module ready for execution: its variables in memory, and its kernels as code.
//
//   Program program(text, [&](std::uint64_t bytes) { return memory_for_variables(bytes); });
// const Code* step = program.kernel("_Z4stepPfi"); // null if there is none
#pragma once

#include <remote/ptx/lower.hpp>

#include <functional>

namespace tasuki::remote::ptx {

class Program {
public:
  // Zeroed memory for all variables, aligned to 256 bytes, at the address that kernels use. Throws Error if the text
  // cannot be executed, with the line, or with opcode and kernel.
  using Allocate = std::function<std::uint64_t(std::uint64_t bytes)>;
  Program(std::string text, const Allocate& allocate);

  const Code* kernel(const std::string& name) const;
  struct Place {
    std::uint64_t address = 0, bytes = 0;
  };
  Place variable(const std::string& name) const; // address 0 if there is none
  std::vector<std::string> kernels() const;
  std::uint32_t target() const { return target_; } // 90: sm_90
  std::uint32_t version() const { return version_; }
  std::uint64_t constant_bytes() const { return constant_bytes_; } // of all __constant__ variables

private:
  void fill(const Module& module, const Addresses& addresses) const;

  std::uint32_t target_ = 0, version_ = 0;
  std::uint64_t constant_bytes_ = 0;
  std::unordered_map<std::string, Place> variables_;
  std::unordered_map<std::string, std::unique_ptr<Code>> kernels_;
};

} // namespace tasuki::remote::ptx
