// The memory that a kernel may access, and its faults.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace tasuki::remote::ptx {

// Addresses of this process: from .. to - 1.
struct Range {
  std::uint64_t from = 0, to = 0;
};

class Memory {
public:
  virtual ~Memory() = default;
  // The accessible bytes around the address; empty if there are none. May be called from any thread.
  virtual Range around(std::uint64_t address) const = 0;
  // malloc and free of a kernel; 0 if the memory is exhausted.
  virtual std::uint64_t allocate(std::uint64_t bytes) = 0;
  virtual void release(std::uint64_t address) = 0;
  // Output of a kernel's printf.
  virtual void print(const std::string& text) = 0;
};

// A fault of a kernel, which ends the launch.
class Fault : public std::runtime_error {
public:
  enum class Kind { address, misaligned, trap, assertion, stuck, race };
  Fault(Kind kind, const std::string& what) : std::runtime_error(what), kind(kind) {}
  Kind kind;
};

} // namespace tasuki::remote::ptx
