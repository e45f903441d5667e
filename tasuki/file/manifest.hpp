// The content of a snapshot or checkpoint, as text at its end: enough to check every field without parsing HDF5.
#pragma once

#include <tasuki/field/field.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tasuki {

// A field in the file: components slowest, then the grid's axes, x fastest.
struct StoredField {
  std::string name;
  ValueType type = ValueType::bytes;
  std::size_t element_bytes = 0;
  int components = 1;
  std::uint64_t offset = 0;   // byte of its first value
  std::uint64_t checksum = 0; // see checksum() of integrity.hpp
};

struct Manifest {
  long step = 0;
  std::vector<long> extents; // x first
  std::map<std::string, double> values;
  std::vector<StoredField> fields;

  std::uint64_t cells() const;
  const StoredField* find(const std::string& name) const; // null if there is none
};

std::string to_text(const Manifest& manifest);                             // JSON
Manifest parse_manifest(const std::string& path, const std::string& text); // throws Error

// "float", "complex of double", "32-byte values"; with several components "float[4]".
std::string value_text(ValueType type, std::size_t element_bytes, int components);

} // namespace tasuki
