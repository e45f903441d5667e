// Writes the values of fields to a file and reads them back; each rank accesses its own block.
//
// HDF5 stores the values of a dataset contiguously and reports their offset; the ranks then read and write them
// directly. HDF5 itself would use MPI-IO, which is not safe enough: collective writes of Open MPI 4 report success
// if the disk is full on the rank that writes for others, and a run that is killed during a write leaves a lock
// that blocks the next run for ever.
#pragma once

#include <tasuki/file/manifest.hpp>

#include <string>
#include <vector>

namespace tasuki {

// Writes to a file with space for each field at its offset, and stores the checksums in the manifest. `name` is the
// current name of the file; errors contain `path`. Throws Error. Collective.
void write_blocks(World& world, const std::string& name, const std::string& path,
                  const std::vector<const FieldCore*>& fields, Manifest& manifest);

// Reads from a verified file. Throws Error if a field cannot be read or does not match its checksum; this field and
// the following ones then keep their values. Collective.
void read_blocks(World& world, const std::string& path, const std::vector<FieldCore*>& fields,
                 const Manifest& manifest);

} // namespace tasuki
