// The HDF5 structure of a file of rows: creation before the first row, and the positions of the rows. For row_file.cpp.
#pragma once

#include <tasuki/file/row_file.hpp>

#include <map>
#include <string>
#include <vector>

namespace tasuki {

std::size_t row_bytes(const Column& column); // throws Error if it is not a column of plain numbers

// Writes all groups, attributes, constants and columns, the sums of the columns, and the header with the hash of all
// bytes but rows and sums. Errors contain `path`. Throws Error.
void write_row_skeleton(const std::string& name, const std::string& path, const RowLayout& layout);

// The positions of the rows of the columns, after a check of the header if the file has one. Throws Error if the shape
// or type of the rows differs, or if the file is altered or truncated.
std::map<std::string, RowPlace> find_rows(const std::string& path, const std::vector<Column>& columns);

} // namespace tasuki
