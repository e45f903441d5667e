// One array over all cells of a grid in an HDF5 file, for programs such as h5py: its shape is the grid's, slowest
// axis first, then that of a cell. What is written lies in one piece; what HDF5 reads is read, in whichever chunks,
// filters, sizes and orders of bytes.
//
// Rank 0 lays the file out and each rank writes its own cells by plain writes, as blocks.hpp does and for its
// reasons; each rank reads its own cells through HDF5, from a file that it opens for itself. Without HDF5 every call
// throws Error that says so.
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
  ValueType type = ValueType::c128; // of a number: f32, f64, c64 or c128
  Index extents{};                  // of all cells, x first
  std::vector<long> cell = {};      // shape of a cell, slowest axis first; empty: a number
  // Of writing alone.
  std::vector<std::string> axes = {};               // labels of the dataset's axes, slowest first
  std::map<std::string, Attribute> attributes = {}; // of the dataset; `tasuki` and `checksum` are added

  std::size_t number_bytes() const;        // throws Error where the type is none of those four
  std::size_t cell_bytes() const;          // as number_bytes()
  std::vector<long> shape(int dims) const; // of the dataset
};

// What a file has under a name.
struct ArrayInfo {
  std::vector<long> shape;
  ValueType type = ValueType::bytes; // that holds its numbers: one of the four, or bytes where none does
  std::string numbers;               // what they are, in words: "complex numbers of 16 bytes"
  std::map<std::string, std::string> texts; // attributes of the dataset that are text
};

// Throws Error: no such file, none of HDF5, cut short, no such dataset. Local.
ArrayInfo inspect_array(const std::string& path, const std::string& name);

// Has each piece of the rank's box filled in, and writes it; the boxes together are all cells. The file stands under
// its path when it is whole and on the disk. `checksum` is the sum, modulo 2^64, of the cells' hashes, each seeded
// with its place (integrity.hpp). Throws Error on every rank. Collective.
void write_array(World& world, const std::string& path, const CellArray& array, const Box& box,
                 const std::function<void(CellPiece&)>& fill);

// Reads the box in pieces, slices of its slowest axis, and hands each over, of numbers of the array's type. Throws
// Error on every rank: as inspect_array(), another shape, numbers that are real where they are to be complex, cells
// that are not what `checksum` says, where there is one and the numbers have the type they had. Collective.
void read_array(World& world, const std::string& path, const CellArray& array, const Box& box,
                const std::function<void(const CellPiece&)>& take);

#ifdef TASUKI_HAVE_HDF5
// The sum, modulo 2^64, of the hashes of a piece's cells. Local.
std::uint64_t sum_of_piece(const CellPiece& piece, std::size_t cell_bytes);
#endif

} // namespace tasuki
