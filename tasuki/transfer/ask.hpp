// Memory that ranks lend each other, which any of them reads and changes while its owner does something else.
//
//   Loan counts(world, "counts", 800);           // of each rank 800 bytes, zero
//   counts.add(3, 16, 1L).wait();                // 1 to the number at byte 16 of rank 3's, atomic over all ranks
//   std::vector<long> there(100);
//   counts.get(3, 0, there.data(), 800).wait();  // rank 3 takes no part
//
// On a node memory is shared, and all of it is done at once by the asking rank. Ranks of other nodes are asked by messages,
// which a thread of their courier answers. Atomic acts are hardware atomics whoever does them, so both ways serve one
// number. Floating numbers are added in the order of arrival, so their last bits may differ from run to run.
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

// Made and ended by all of its ranks together: a world's, or some of them (see subset()), where a rank's number is its
// place. In between each asks as it likes, from the thread that made the world. Bytes and offsets may differ by rank.
//
// A call for what the memory does not have, or for an atomic number at a place that is no multiple of its size, throws
// Error, from the call itself or from its ticket's wait(). What one rank puts and others get or put at the same time
// without atomic acts is undefined, as between threads.
class Loan {
public:
  // New memory of the host, zero, aligned to 256 bytes or more. Throws Error where it does not fit.
  Loan(const Ranks& ranks, std::string name, std::uint64_t bytes);
  // The caller's own memory of the host, which outlives the loan; others ask for it by messages, on a node too.
  Loan(const Ranks& ranks, std::string name, void* memory, std::uint64_t bytes);
  // Throws Error, which ends the run, where a ticket of this rank is not done.
  ~Loan();
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

  const std::string& name() const { return name_; }
  char* data() const { return own_.memory; } // of this rank
  std::uint64_t bytes() const { return own_.bytes; }
  bool direct(int rank) const; // its memory is reached without a message

  // Bytes, or rows of them: `here` has the rows `stride` bytes apart, one behind the other where that is 0.
  Ticket get(int rank, std::uint64_t offset, void* here, std::uint64_t bytes) const;
  Ticket get(int rank, const Rows& there, void* here, std::uint64_t stride = 0) const;
  Ticket put(int rank, std::uint64_t offset, const void* here, std::uint64_t bytes) const;
  Ticket put(int rank, const Rows& there, const void* here, std::uint64_t stride = 0) const;

  // Atomic, of T: integers, float and double of 4 or 8 bytes. The value is the one found there, before.
  template <class T>
  Asked<T> add(int rank, std::uint64_t offset, T value) const;
  // Stores `value` where `expected` is found, bit for bit.
  template <class T>
  Asked<T> compare_and_swap(int rank, std::uint64_t offset, T expected, T value) const;

private:
  void lend();
  Lent lent_by(int rank) const; // memory is null where it is not reached
  Ticket go(int rank, const Errand& errand, char* here, std::uint64_t stride) const;
  template <class T>
  Errand atomic(Act act, std::uint64_t offset, T value, T expected) const;

  Ranks ranks_, near_; // all, and those whose memory is reached: of this node, or this rank alone
  std::string name_;
  std::unique_ptr<NodeMemory> shared_; // null: the caller's own
  Lent own_;
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
