// The HDF5 structure of a file without the fields' values: groups, attributes, scales, and space for each field.
#pragma once

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/file/manifest.hpp>

#include <cstdint>
#include <string>

namespace tasuki {

// Creates the file `name`, stores the offset of each field's values in the manifest, and returns the final size of the
// file. Errors contain `path`. Called by one rank, so that an error there does not leave other ranks waiting inside
// HDF5.
std::uint64_t write_skeleton(const std::string& name, const std::string& path, const std::string& kind,
                             Manifest& manifest);

// Writes the checksums of the fields. Called by one rank.
void write_checksums(const std::string& name, const std::string& path, const Manifest& manifest);

} // namespace tasuki
#endif
