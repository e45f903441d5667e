// Everything of a file's HDF5 but the fields' values: groups, attributes, scales, and space for each field.
#pragma once

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/file/manifest.hpp>

#include <cstdint>
#include <string>

namespace tasuki {

// Makes the file `name` and notes in the manifest where each field's values will lie. Returns the bytes of the file,
// which no later write makes longer. Errors name `path`. One rank does it: what it meets, the others need not wait
// for inside HDF5.
std::uint64_t write_skeleton(const std::string& name, const std::string& path, const std::string& kind,
                             Manifest& manifest);

// Fills in the checksums of the fields. One rank does it.
void write_checksums(const std::string& name, const std::string& path, const Manifest& manifest);

} // namespace tasuki
#endif
