// Records of spinors in SciDAC files: their positions, and this rank's part of one.
#pragma once

#include <apps/wilson/format/propagator.hpp>
#include <apps/wilson/format/sums.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tasuki::wilson {

inline constexpr std::size_t kColumns = 12;                    // spinors of a propagator
inline constexpr std::size_t kPropagatorReals = kColumns * 24; // per site

struct SpinorRecord {
  std::uint64_t offset = 0; // byte of the first number
  int number_bytes = 8;     // 4 or 8, big-endian
  std::size_t fields = 1;   // 1: a spinor per site; 12: a propagator
  std::optional<Sum> checksum = {};
  std::size_t site_bytes() const { return fields * 24 * static_cast<std::size_t>(number_bytes); }
};

// The records of a file, in order. Throws Error if it is not LIME, truncated, or of another lattice. Local.
std::vector<SpinorRecord> find_spinors(const std::string& path, const Lattice& lattice);

// Reads a record into columns from index `first` on, or writes them, and returns the checksum of the bytes.
// `before`, if given, transforms the reals of each site (24, or 12 times 24 by column) before they are
// written. Local.
Sum read_record(const std::string& path, const SpinorRecord& record, const Lattice& lattice, Columns& columns,
                std::size_t first);
Sum write_record(const std::string& name, const std::string& path, const SpinorRecord& record,
                 const Lattice& lattice, const Columns& columns, std::size_t first, void (*before)(double*));

} // namespace tasuki::wilson
