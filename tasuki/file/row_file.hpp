// A file of HDF5 that is laid out once, for all that it will hold, and whose rows are filled in as a run goes.
//
// Its structure is on the disk before the first row, and a row is plain bytes at a place that is known: HDF5 does not
// have the file open meanwhile. So whatever ends the run leaves a file that can be read, and it can be read while the
// run goes on. How many rows of it are filled in is for a column of one number to tell. Without HDF5 (as for
// checkpoints) every call throws Error that says so.
//
// What is read is what was written, or an Error: /checksums/PATH holds two hashes for each row of the column PATH
// (row_sums.hpp), and 512 bytes of text before HDF5's own (header.hpp, kind "rows") prove all that is neither row nor hash.
#pragma once

#include <tasuki/field/field.hpp>

#include <cstdint>
#include <map>
#include <optional>
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

  std::size_t bytes() const; // of the columns and what proves them
};

// Where the rows of a column lie in the file.
struct RowPlace {
  std::uint64_t offset = 0; // byte of the first row
  std::size_t row_bytes = 0;
  long rows = 0;
  std::optional<std::uint64_t> sums =
      {}; // byte of the first row's sums; none in a file of a Tasuki that knew none
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
  void write(const std::string& column, long row, const void* values, long count = 1) {
    put(column, row, values, count, false);
  }
  // Throws Error also where a row is not what was written.
  void read(const std::string& column, long row, void* values, long count = 1) const {
    get(column, row, values, count, true);
  }

  // What ends a burst of rows, such as their number: all that was written before is on the disk before it is, and it is
  // on return. Whatever ends the machine meanwhile, it is what it was or what it becomes.
  void write_last(const std::string& column, long row, const void* values) {
    put(column, row, values, 1, true);
  }
  // A row that is not finished, as it stands: a machine that went down may have left it half written.
  void peek(const std::string& column, long row, void* values) const { get(column, row, values, 1, false); }

  void sync() const; // returns when all that was written is on the disk
  const std::string& path() const { return path_; }

private:
  friend void fit_rows(const std::string& path, const RowLayout& layout);
  RowPlace find(const std::string& column, long row, long count) const;
  void put(const std::string& column, long row, const void* values, long count, bool durable);
  void get(const std::string& column, long row, void* values, long count, bool checked) const;
  void take(const RowFile& other, const std::string& column, long rows);
  void write_sums(const RowPlace& place, int file, long row, const char* values, long count, bool again);
  void check_sums(const RowPlace& place, int file, const std::string& column, long row, const char* values,
                  long count) const;

  std::string path_;
  std::map<std::string, RowPlace> places_;
};

// Gives the file other numbers of rows where it has not those of the layout: what both have of each column is kept, and
// attributes and constants are those of the layout. The old file stays whole until the new one is. Throws Error.
void fit_rows(const std::string& path, const RowLayout& layout);

} // namespace tasuki
