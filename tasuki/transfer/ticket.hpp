// A ticket is a request in progress; it is what Loan's calls return.
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

// Movable, not copyable. The memory passed with the request belongs to the ticket until it is done.
class [[nodiscard]] Ticket {
public:
  // A completed ticket; `found`: the bits that an atomic operation found.
  explicit Ticket(std::uint64_t found = 0);
  // A ticket for an errand, sent in pieces if it is too large for one request; `here`: its rows in this rank's memory.
  Ticket(Post& post, int place, const Errand& errand, char* here, std::uint64_t stride, std::string name,
         std::shared_ptr<int> open);
  ~Ticket(); // waits, unless an error unwinds; a refused request then ends the run
  Ticket(Ticket&&) noexcept;
  Ticket& operator=(Ticket&&) noexcept;

  // True once it is done: a put is then visible to every rank that asks for it. Throws Error if it was refused:
  // outside of the loan, the loan has ended, an atomic number at an offset that is not a multiple of its size.
  bool done();
  // Returns when it is done. Also throws Error if the rank that is asked dies.
  void wait();

protected:
  std::uint64_t found() const { return found_; }

private:
  struct Work;
  void end();
  std::uint64_t found_ = 0;
  std::unique_ptr<Work> work_; // null: done
};

// A ticket whose request returns a number.
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
