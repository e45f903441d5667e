// One array over all cells of a grid in an HDF5 file, for programs such as h5py. Its shape is that of the grid, slowest
// axis first, followed by that of a cell. Arrays are written contiguously. They are read with any chunks, filters,
// number sizes and byte orders that HDF5 can read.
//
// Rank 0 creates the file, and each rank writes its own cells by plain writes (blocks.hpp gives the reasons). For
// reading, each rank opens the file and reads its own cells through HDF5. Without HDF5, every call throws an Error
// that says so.
#pragma once

#include <tasuki/file/row_file.hpp>
#include <tasuki/file/site_file.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tasuki {

struct CellArray {
  std::string name;                 // of the dataset, which is at the root
  ValueType type = ValueType::c128; // of one number: f32, f64, c64 or c128
  Index extents{};                  // of all cells, x first
  std::vector<long> cell = {};      // shape of a cell, slowest axis first; empty: a number
  // For writing only.
  std::vector<std::string> axes = {};               // labels of the dataset's axes, slowest first
  std::map<std::string, Attribute> attributes = {}; // of the dataset; `tasuki` and `checksum` are added

  std::size_t number_bytes() const;        // throws Error if the type is none of those four
  std::size_t cell_bytes() const;          // as number_bytes()
  std::vector<long> shape(int dims) const; // of the dataset
};

// The properties of a dataset in a file.
struct ArrayInfo {
  std::vector<long> shape;
  ValueType type = ValueType::bytes; // of its numbers: one of the four, or bytes if none of these four fits
  std::string numbers;               // description of the type: "complex numbers of 16 bytes"
  std::map<std::string, std::string> texts; // the text attributes of the dataset
};

// Throws Error if the file is missing, not HDF5, or truncated, or if the dataset is missing. Local.
ArrayInfo inspect_array(const std::string& path, const std::string& name);

// Calls a function to fill in each piece of the rank's box, and writes it; the boxes of all ranks cover all cells. The
// file gets its name once it is complete on the disk. `checksum` is the sum, modulo 2^64, of the cells' hashes, each
// seeded with the cell's index (integrity.hpp). Throws Error on every rank. Collective.
void write_array(World& world, const std::string& path, const CellArray& array, const Box& box,
                 const std::function<void(CellPiece&)>& fill);

// Reads the box in pieces along its slowest axis, and passes each to a function, as numbers of the array's type. Throws
// Error on every rank if inspect_array() would, if the shape differs, if the numbers should be complex and are real, or
// if the cells do not match an existing `checksum` (checked if the type is the original one). Collective.
void read_array(World& world, const std::string& path, const CellArray& array, const Box& box,
                const std::function<void(const CellPiece&)>& take);

#ifdef TASUKI_HAVE_HDF5
// The sum, modulo 2^64, of the hashes of a piece's cells. Local.
std::uint64_t sum_of_piece(const CellPiece& piece, std::size_t cell_bytes);
#endif

} // namespace tasuki
