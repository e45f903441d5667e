// A loan is memory of a rank that other ranks read and change while the owner does something else (one-sided access).
//
//   Loan counts(world, "counts", 800);           // of each rank 800 bytes, zero
//   counts.add(3, 16, 1L).wait();                // 1 to the number at byte 16 of rank 3's, atomic over all ranks
//   std::vector<long> there(100);
//   counts.get(3, 0, there.data(), 800).wait();  // rank 3 takes no part
//
// Within a node memory is shared, and the asking rank does each access itself. Ranks of other nodes are asked by messages,
// which a thread of their courier answers. Atomic operations are hardware atomics in both cases, so both may act on one
// number. Floating-point numbers are added in the order of arrival, so their last bits may differ from run to run.
#pragma once

#include <tasuki/base/ranks.hpp>
#include <tasuki/transfer/ticket.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

namespace tasuki {

class NodeMemory;

// Construction and destruction are collective over its ranks: a world, or some of it (see subset()), numbered by place.
// In between, each rank asks independently, from the thread that made the world. Sizes and offsets may differ by rank.
//
// A request beyond the memory, or for an atomic number at an offset that is not a multiple of its size,
// throws Error, from the call itself or from wait() of its ticket. The result is undefined, as between
// threads, if a rank puts bytes that others get or put at the same time without atomic operations.
class Loan {
public:
  // New memory of the host, zero, aligned to 256 bytes or more. Throws Error if there is not enough.
  Loan(const Ranks& ranks, std::string name, std::uint64_t bytes);
  // Host memory of the caller, which must outlive the loan; others ask for it by messages, also within a node.
  Loan(const Ranks& ranks, std::string name, void* memory, std::uint64_t bytes);
  // Throws Error, which ends the run, if a ticket of this rank is not done.
  ~Loan();
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

  const std::string& name() const { return name_; }
  char* data() const { return own_.memory; } // of this rank
  std::uint64_t bytes() const { return own_.bytes; }
  bool direct(int rank) const; // its memory is reached without a message
  // The place, among the ranks that lend, of a rank of the world. Throws Error if it lends nothing.
  int place_of(int rank) const;

  // Bytes, or rows of bytes. In `here`, rows begin `stride` bytes apart; 0: they are contiguous.
  Ticket get(int rank, std::uint64_t offset, void* here, std::uint64_t bytes) const;
  Ticket get(int rank, const ByteRows& there, void* here, std::uint64_t stride = 0) const;
  Ticket put(int rank, std::uint64_t offset, const void* here, std::uint64_t bytes) const;
  Ticket put(int rank, const ByteRows& there, const void* here, std::uint64_t stride = 0) const;

  // Atomic. T: integers, float and double of 4 or 8 bytes. The value of the result is the number before.
  template <class T>
  Asked<T> add(int rank, std::uint64_t offset, T value) const;
  // Stores `value` if the number is `expected`, bit for bit.
  template <class T>
  Asked<T> compare_and_swap(int rank, std::uint64_t offset, T expected, T value) const;

private:
  void lend();
  LentBytes lent_by(int rank) const; // memory is null if this rank cannot access it directly
  Ticket go(int rank, const Errand& errand, char* here, std::uint64_t stride) const;
  template <class T>
  Errand atomic(Act act, std::uint64_t offset, T value, T expected) const;

  Ranks ranks_, near_; // all, and those with direct access: of this node, or this rank only
  std::string name_;
  std::unique_ptr<NodeMemory> shared_; // null: the caller's own
  LentBytes own_;
  std::uint64_t number_ = 0;
  Post* post_ = nullptr; // null: all are reached
  std::shared_ptr<int> open_ = std::make_shared<int>(0);
};

template <class T>
Errand Loan::atomic(Act act, std::uint64_t offset, T value, T expected) const {
  static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                "atomic numbers have 4 or 8 bytes");
  constexpr bool wide = sizeof(T) == 8;
  Errand errand{act, wide ? Number::word64 : Number::word32, number_, {offset, sizeof(T)}};
  if (std::is_floating_point_v<T>) errand.number = wide ? Number::float64 : Number::float32;
  std::memcpy(&errand.operand, &value, sizeof value);
  std::memcpy(&errand.expected, &expected, sizeof expected);
  return errand;
}

template <class T>
Asked<T> Loan::add(int rank, std::uint64_t offset, T value) const {
  return Asked<T>(go(rank, atomic(Act::add, offset, value, T{}), nullptr, 0));
}

template <class T>
Asked<T> Loan::compare_and_swap(int rank, std::uint64_t offset, T expected, T value) const {
  return Asked<T>(go(rank, atomic(Act::swap, offset, value, expected), nullptr, 0));
}

} // namespace tasuki
