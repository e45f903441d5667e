// A file of HDF5 that is laid out once, for all that it will hold, and whose rows are filled in as a run goes.
//
// Its structure is on the disk before the first row, and a row is plain bytes at a place that is known: HDF5 does not
// have the file open meanwhile. So whatever ends the run leaves a file that can be read, and it can be read while the
// run goes on. How many rows of it are filled in is for a column of one number to tell. Without parallel HDF5 (as for
// checkpoints) every call throws Error that says so.
#pragma once

#include <tasuki/field/field.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace tasuki {

using Attribute =
    std::variant<long, double, std::string, std::vector<long>, std::vector<double>, std::vector<std::string>>;

// A dataset whose values are known from the start.
struct Constant {
  std::string path;        // "/ladder/temperature_K"
  std::vector<long> shape; // slowest axis first
  std::variant<std::vector<double>, std::vector<float>, std::vector<std::int32_t>, std::vector<std::int64_t>>
      values;
};

// A dataset of rows. Its shape in the file is rows x shape.
struct Column {
  std::string path;
  ValueType type = ValueType::f64; // a number, no struct
  long rows = 1;
  std::vector<long> shape = {}; // of one row, slowest axis first; empty: a number
};

struct RowLayout {
  std::map<std::string, std::map<std::string, Attribute>> attributes; // by group or dataset; "/" is the root
  std::vector<Constant> constants;
  std::vector<Column> columns;

  std::size_t bytes() const; // of the values of the columns
};

// Held by one rank; nothing here communicates.
class RowFile {
public:
  // Writes the file under a temporary name, with all rows zero, takes its space from the disk and renames it. Throws
  // Error where the disk has no room.
  static void create(const std::string& path, const RowLayout& layout);

  // Opens a file that create() made of these columns, of any number of rows. Throws Error where it is none: rows of
  // another shape or type.
  RowFile(std::string path, const std::vector<Column>& columns);
  long rows(const std::string& column) const { return places_.at(column).rows; }

  // Rows `row` .. `row + count - 1` of a column, dense at `values`. Throws Error, also for rows that are not there.
  void write(const std::string& column, long row, const void* values, long count = 1);
  void read(const std::string& column, long row, void* values, long count = 1) const;

  void sync() const; // returns when all that was written is on the disk
  const std::string& path() const { return path_; }

private:
  struct Place {
    std::uint64_t offset;
    std::size_t row_bytes;
    long rows;
  };
  Place find(const std::string& column, long row, long count) const;

  std::string path_;
  std::map<std::string, Place> places_;
};

// Gives the file other numbers of rows where it has not those of the layout: what both have of each column is kept, and
// attributes and constants are those of the layout. The old file stays whole until the new one is. Throws Error.
void fit_rows(const std::string& path, const RowLayout& layout);

} // namespace tasuki
