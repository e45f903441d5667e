// Assigns a section of an array to a section of another, whatever their distributions: gmove of
// XcalableMP (specification 1.4, 4.5.2), and the way in which an array changes its distribution.
//
//   assign({&b, slices_of_b}, {&a, slices_of_a}, world);     // b[0:5][3] = a[9:5:-2]
//   assign({local, {5}, size, slices}, {&a, ..}, world);     // to memory that each rank has for itself
//
// Elements go by the channel of least cost: within a node into the other rank's memory, where that is shared.
#pragma once

#include <tasuki/array/array.hpp>
#include <tasuki/array/section_moves.hpp>
#include <tasuki/transfer/transfer.hpp>

#include <memory>
#include <vector>

namespace tasuki {

class Loan;

// A section of a distributed array, or of separate memory on each of the executing ranks.
struct Section {
  Array* array = nullptr;
  Side side = Side::host;
  std::vector<Slice> slices = {};
  // For a section without an array:
  Device* device = nullptr;
  char* memory = nullptr;
  std::vector<long> extents = {};
  long size = 0; // of an element, bytes
};
Section section(Array& array, std::vector<Slice> slices, Side side = Side::host);
Section section(Device& device, void* memory, long size, std::vector<long> extents,
                std::vector<Slice> slices);

// An assignment that is set up once and done as often as one likes, while both memories stay where they are.
class Redistribution {
public:
  // Called by all of `executing`, which must hold all elements of both sections. Sections of one array may overlap: the elements
  // are read before they are written. Throws Error, on all of them, if the sections do not conform. The end is collective, too.
  Redistribution(const Section& to, const Section& from, const Ranks& executing);

  void whole(); // done on return
  // Bytes of memory that it keeps for messages, on the rank that keeps the most; the same on all ranks.
  long kept_bytes() const { return kept_bytes_; }

private:
  Device& device_;
  Buffer before_;                      // if both sections are of one array: a copy of its previous elements
  std::unique_ptr<CopyPlan> copied_;   // into it
  std::unique_ptr<Transfer> transfer_; // null: this rank holds no element of either
  long kept_bytes_ = 0;
};

// Once.
void assign(const Section& to, const Section& from, const Ranks& executing);

// The same where ranks that hold `from` take no part: `lent` is its memory on the host, of all ranks that hold some.
// Each of `executing` calls it, and is done on return; what others write at that time may be there or not.
void fetch(const Section& to, const Section& from, const Loan& lent, const Ranks& executing);
// Where ranks that hold `to` take no part.
void store(const Section& to, const Loan& lent, const Section& from, const Ranks& executing);

} // namespace tasuki
