// Which memory a kernel may touch, and what it does wrong.
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
  // Bytes around the address that may be read and written; empty where there are none. From any thread.
  virtual Range around(std::uint64_t address) const = 0;
  // malloc and free of a kernel; 0 where there is no more.
  virtual std::uint64_t allocate(std::uint64_t bytes) = 0;
  virtual void release(std::uint64_t address) = 0;
  // A line that a kernel prints, with its end.
  virtual void print(const std::string& text) = 0;
};

// Ends the launch.
class Fault : public std::runtime_error {
public:
  enum class Kind { address, misaligned, trap, assertion, stuck, race };
  Fault(Kind kind, const std::string& what) : std::runtime_error(what), kind(kind) {}
  Kind kind;
};

} // namespace tasuki::remote::ptx
