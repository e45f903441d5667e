// Page faults: how a touch of a missing page reaches the runtime, and how the page gets into the program's view.
//
//   auto faults = make_faults(range, "auto");     // userfaultfd where it works, else mprotect and signals
//   faults->watch(16, 48);                        // from now on touches of these pages come to wait()
//   Touch touches[16];
//   const std::size_t n = faults->wait(touches, 16);
//   faults->map(touches[0].page, 1, false);       // there, for reading; a write is a touch once more
//   faults->settle(touches[0]);                   // its thread goes on
//
// Pages are numbered from the start of the range. A thread that touches a missing page waits until the touch is settled.
#pragma once

#include <tasuki/space/range.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tasuki::space {

struct Touch {
  std::uint64_t page = 0;
  bool write = false;
  std::uint64_t byte = 0;  // of the range
  int slot = -1;           // of faults_signal: who waits
  std::uintptr_t code = 0; // the instruction; 0: not known
};

class Faults {
public:
  virtual ~Faults() = default;
  virtual const char* name() const = 0;
  virtual bool serves() const {
    return true;
  } // false: a touch of a missing page is an error, which ends the run

  virtual void watch(std::uint64_t page, std::uint64_t count) = 0; // pages of others: missing at first
  virtual void map(std::uint64_t page, std::uint64_t count, bool writable) = 0;
  virtual void allow(std::uint64_t page, std::uint64_t count) = 0;   // from reading to writing
  virtual void protect(std::uint64_t page, std::uint64_t count) = 0; // and back
  virtual void unmap(std::uint64_t page, std::uint64_t count) = 0;
  virtual void forget(std::uint64_t, std::uint64_t) {} // pages of a freed array: touches are strays

  // Sleeps until threads have touched watched pages; returns 0 when stop() was called.
  virtual std::size_t wait(Touch* touches, std::size_t most) = 0;
  virtual void settle(const Touch& touch) = 0;
  virtual void stop() = 0;
  // From now on touches have their `code`, even if that costs time.
  virtual void tell_code() {}
};

// Describes a touch that nobody can serve; its thread ends the run with this text.
using Stray = std::function<std::string(const void* address, bool write)>;

// `way`: auto, uffd, signal or none. Throws Error if uffd is given and userfaultfd is refused.
std::unique_ptr<Faults> make_faults(const Range& range, const std::string& way, Stray stray);

// Why userfaultfd cannot be used here; empty if it can. Tried on two pages.
std::string uffd_refusal();

// The implementations.
std::unique_ptr<Faults> make_faults_uffd(const Range& range, Stray stray);
std::unique_ptr<Faults> make_faults_signal(const Range& range, Stray stray, bool serves);

} // namespace tasuki::space
