// Requests that are under way: what Loan's calls return.
//
//   Ticket coming = loan.get(3, 0, there.data(), 800);
//   .. // compute
//   coming.wait(); // now the bytes are there
#pragma once

#include <tasuki/transfer/errand.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>

namespace tasuki {

class Post;
class World;

// Moved, not copied. The memory that was given with the request is the ticket's until it is done.
class [[nodiscard]] Ticket {
public:
  // One that has been done: its bits are what an atomic act found.
  explicit Ticket(std::uint64_t found = 0);
  // Of an errand that may be too large for a request and goes in pieces; `here`: its rows in this rank's memory.
  Ticket(Post& post, int place, const Errand& errand, char* here, std::uint64_t stride, std::string name,
         std::shared_ptr<int> open);
  ~Ticket(); // waits, unless an error unwinds; a request that is refused ends the run then
  Ticket(Ticket&&) noexcept;
  Ticket& operator=(Ticket&&) noexcept;

  // True once it is done: by then a put can be seen by whoever asks for it. Throws Error where it was refused: outside
  // of the loan, not lent any more, an atomic number at a place that is no multiple of its size.
  bool done();
  // Returns when it is. Also throws Error where the rank that is asked dies.
  void wait();

protected:
  std::uint64_t found() const { return found_; }

private:
  struct Work;
  void end();
  std::uint64_t found_ = 0;
  std::unique_ptr<Work> work_; // null: done
};

// A ticket whose request brings a number.
template <class T>
class [[nodiscard]] Asked : public Ticket {
public:
  explicit Asked(Ticket ticket) : Ticket(std::move(ticket)) {}
  T value() { // waits
    wait();
    const std::uint64_t bits = found();
    T number;
    std::memcpy(&number, &bits, sizeof number);
    return number;
  }
};

} // namespace tasuki
