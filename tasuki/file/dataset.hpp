// The fields' values on their way into a file and out of it, each rank its own block.
#pragma once

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/file/manifest.hpp>

#include <string>
#include <vector>

namespace tasuki {

// Into a file that has a dataset for each; puts their checksums into the manifest. Throws Error. Collective.
void write_fields(World& world, const std::string& name, const std::string& path,
                  const std::vector<const FieldCore*>& fields, Manifest& manifest);

// Out of a file that was verified. Throws Error where a field is not what its checksum says. Collective.
void read_fields(World& world, const std::string& path, const std::vector<FieldCore*>& fields,
                 const Manifest& manifest);

} // namespace tasuki
#endif
