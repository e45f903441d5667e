// Snapshots, to look at, and checkpoints, to go on from: the fields of a grid in one HDF5 file.
//
// The file: 512 bytes of text that prove the rest (an HDF5 user block), then HDF5: root attributes tasuki, kind, step
// and extents (x first), a program's own numbers as attributes of /values, each field as /fields/<name> with the
// slowest axis first (x last) and the components of a field of several as a leading axis, x, y, z, t at the root as
// dimension scales; then a list of the fields as text. Complex numbers are compounds {r, i}, structs opaque bytes.
// Beside a 2-D or 3-D snapshot lies an .xmf for ParaView; 1-D and 4-D ones have none. xarray reads a file by
// open_dataset(path, group="fields", engine="h5netcdf").
//
// A file is written as <path>.part, synced to the disk, hashed, and renamed: whatever ends the run meanwhile, what
// stood under the path before stays whole. Without HDF5 every call throws Error that says so.
#pragma once

#include <tasuki/field/field.hpp>

#include <map>
#include <string>
#include <vector>

namespace tasuki {

struct FileInfo {
  std::string kind; // "snapshot" or "checkpoint"
  long step = 0;
  std::vector<long> extents;            // x first
  std::map<std::string, double> values; // a program's own numbers
};

// Writes the owned cells of the fields, all of one grid. Throws Error on every rank, and leaves what was under the
// path: a disk that is full, a folder that is not there or not writable, fields of one name. Collective.
void save(const std::string& path, const std::string& kind, const std::vector<const FieldCore*>& fields,
          long step, const std::map<std::string, double>& values = {});

// Fills the fields, found by name, from a file of any number of ranks, after checking every byte of it. Throws Error
// on every rank, each naming what is wrong: not there, no file of Tasuki, a newer format, cut short, altered (and
// which field), another grid, a field that is missing or of another type. Collective.
FileInfo load(const std::string& path, const std::vector<FieldCore*>& fields);

// What the file is. Checks its header and its list of fields, and its length, but no cell. Throws Error. Local.
FileInfo inspect(const std::string& path);

// Of the HDF5 library, "1.10.8", or "" where this build has none.
std::string hdf5_version();

// checkpoint("run.h5", 1000, u, v);
template <class... T>
void checkpoint(const std::string& path, long step, const Field<T>&... fields) {
  save(path, "checkpoint", {fields.core().get()...}, step);
}

// snapshot("u.h5", 1000, u);
template <class... T>
void snapshot(const std::string& path, long step, const Field<T>&... fields) {
  save(path, "snapshot", {fields.core().get()...}, step);
}

// const long step = restore("run.h5", u, v).step;
template <class... T>
FileInfo restore(const std::string& path, const Field<T>&... fields) {
  return load(path, {fields.core().get()...});
}

} // namespace tasuki
