// An HDF5 file of fixed size whose rows are filled in during a run.
//
// The structure of the file is on the disk before the first row, and a row is plain bytes at a known offset, written
// without HDF5. So the file is readable while the run goes on, and also if the run ends at any moment. The number of
// valid rows is not stored in the structure: a column of one number should hold it. Without HDF5 every call throws an
// Error that says so (as for checkpoints).
//
// A read returns the written values or throws an Error: /checksums/PATH holds two hashes for each row of the column
// PATH (row_sums.hpp), and 512 bytes of text before HDF5's own (header.hpp, kind "rows") verify all other bytes.
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

// A dataset whose values are known when the file is created.
struct Constant {
  std::string path;        // "/ladder/temperature_K"
  std::vector<long> shape; // slowest axis first
  std::variant<std::vector<double>, std::vector<float>, std::vector<std::int32_t>, std::vector<std::int64_t>>
      values;
};

// A dataset of rows. Its shape in the file is rows x shape.
struct Column {
  std::string path;
  ValueType type = ValueType::f64; // of numbers, not of structs
  long rows = 1;
  std::vector<long> shape = {}; // of one row, slowest axis first; empty: a number
};

struct RowLayout {
  std::map<std::string, std::map<std::string, Attribute>> attributes; // by group or dataset; "/" is the root
  std::vector<Constant> constants;
  std::vector<Column> columns;

  std::size_t bytes() const; // of the columns and their hashes
};

// The position of the rows of a column in the file.
struct RowPlace {
  std::uint64_t offset = 0; // byte of the first row
  std::size_t row_bytes = 0;
  long rows = 0;
  std::optional<std::uint64_t> sums =
      {}; // byte of the first row's sums; nothing in files of Tasuki versions without sums
};

// Used by one rank; it does not communicate.
class RowFile {
public:
  // Writes the file under a temporary name with all rows zero, reserves its disk space, and renames it. Throws
  // Error if there is not enough space.
  static void create(const std::string& path, const RowLayout& layout);

  // Opens a file that create() made with these columns and any number of rows. Throws Error if the shape or the type of
  // the rows differs.
  RowFile(std::string path, const std::vector<Column>& columns);
  long rows(const std::string& column) const { return places_.at(column).rows; }

  // Rows `row` .. `row + count - 1` of a column, contiguous at `values`. Throws Error, also if these rows do not exist.
  void write(const std::string& column, long row, const void* values, long count = 1) {
    put(column, row, values, count, false);
  }
  // Also throws Error if a row does not have the written values.
  void read(const std::string& column, long row, void* values, long count = 1) const {
    get(column, row, values, count, true);
  }

  // Writes the row that ends a series of rows, such as their number. All earlier writes are on the disk before this
  // one, and this one is on return. If the machine crashes in between, the row has its previous or its new value.
  void write_last(const std::string& column, long row, const void* values) {
    put(column, row, values, 1, true);
  }
  // Reads a row without its hash: the row may be incomplete if the machine crashed during a write.
  void peek(const std::string& column, long row, void* values) const { get(column, row, values, 1, false); }

  void sync() const; // returns when all written data is on the disk
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

// Changes the numbers of rows to those of the layout, if they differ: the rows that both have are kept; attributes and
// constants are taken from the layout. The old file is kept until the new one is complete. Throws Error.
void fit_rows(const std::string& path, const RowLayout& layout);

} // namespace tasuki
