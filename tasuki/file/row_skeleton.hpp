// A file of rows as HDF5 has it: made whole before the first row, and asked where its rows lie. For row_file.cpp alone.
#pragma once

#include <tasuki/file/row_file.hpp>

#include <map>
#include <string>
#include <vector>

namespace tasuki {

std::size_t row_bytes(const Column& column); // throws Error where it holds no plain numbers

// All groups, attributes, constants and columns, the sums of the columns, and the header that proves all but rows and
// sums. Errors name `path`. Throws Error.
void write_row_skeleton(const std::string& name, const std::string& path, const RowLayout& layout);

// Where the rows of the columns lie, after the header was checked where the file has one. Throws Error: rows of another
// shape or type, a file that was altered or cut short.
std::map<std::string, RowPlace> find_rows(const std::string& path, const std::vector<Column>& columns);

} // namespace tasuki
