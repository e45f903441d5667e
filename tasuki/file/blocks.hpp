// The fields' values on their way into a file and out of it, each rank its own block.
//
// HDF5 lays a dataset's values out in one piece and tells where; the ranks move theirs there and back by themselves.
// MPI-IO, which HDF5 would do it with, can lose what matters here: Open MPI 4's collective writes report success
// where the rank that writes for the others meets a full disk, and a run killed in a write leaves a lock that the
// next one waits on for ever.
#pragma once

#include <tasuki/file/manifest.hpp>

#include <string>
#include <vector>

namespace tasuki {

// Into a file that has room for each at its offset; puts the checksums into the manifest. `name` is the file's name
// now, errors name `path`. Throws Error. Collective.
void write_blocks(World& world, const std::string& name, const std::string& path,
                  const std::vector<const FieldCore*>& fields, Manifest& manifest);

// Out of a file that was verified. Throws Error where a field is not what its checksum says, or cannot be read: it
// and those after it are then left as they were. Collective.
void read_blocks(World& world, const std::string& path, const std::vector<FieldCore*>& fields,
                 const Manifest& manifest);

} // namespace tasuki
