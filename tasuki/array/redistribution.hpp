// Assigns a section of an array to a section of another, whatever their distributions: gmove of
// XcalableMP (specification 1.4, 4.5.2), and the way in which an array changes its distribution.
//
//   assign({&b, slices_of_b}, {&a, slices_of_a}, world);     // b[0:5][3] = a[9:5:-2]
//   assign({local, {5}, size, slices}, {&a, ..}, world);     // to memory that each rank has for itself
#pragma once

#include <tasuki/array/array.hpp>
#include <tasuki/array/section_moves.hpp>

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

// Called by all of `executing`, which must hold all elements of both sections;
// done on return. Sections of one array may overlap: the elements are read before
// they are written. Throws Error, on all of them, if the sections do not conform.
void assign(const Section& to, const Section& from, const Ranks& executing);

// The same where ranks that hold `from` take no part: `lent` is its memory on the host, of all ranks that hold some.
// Each of `executing` calls it, and is done on return; what others write at that time may be there or not.
void fetch(const Section& to, const Section& from, const Loan& lent, const Ranks& executing);
// Where ranks that hold `to` take no part.
void store(const Section& to, const Loan& lent, const Section& from, const Ranks& executing);

} // namespace tasuki
