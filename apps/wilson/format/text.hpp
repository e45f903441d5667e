// Words and numbers in the headers of files.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tasuki::wilson {

std::vector<std::string> lines_of(const std::string& text);
std::string trimmed(const std::string& text); // without surrounding blanks
std::string shown(const std::string& text);   // of a file, in a message: printable, 60 characters at most
std::string extents_text(const std::array<long, 4>& extents); // "4x4x4x8"

// These throw Error with the file and the text, if it is not such a number.
double parse_number(const std::string& text, const std::string& path, const std::string& what);
// An integer from 0 to `most`.
long parse_count(const std::string& text, const std::string& path, const std::string& what, long most);
long parse_extent(const std::string& text, const std::string& path); // 1 to 2^20
std::uint32_t parse_hex(const std::string& text, const std::string& path);

// The accuracy of a printed number: one unit of its last digit. "0.594" and "5.94e-1": 0.001.
double last_place(const std::string& text);

} // namespace tasuki::wilson
