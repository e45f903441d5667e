// Snapshots, for analysis and pictures, and checkpoints, from which a run continues: the fields of a grid in one HDF5 file.
//
//   ts::snapshot("heat.h5", 1000, u);                    // after step 1000
//   ts::checkpoint("heat.checkpoint.h5", 1000, u, v);
//   const long done = ts::restore("heat.checkpoint.h5", u, v).step; // with any number of ranks
//
// A file has three parts. First, an HDF5 user block: 512 bytes of text that verify the rest. Second, HDF5: root
// attributes tasuki, kind, step and extents (x first); the program's own numbers as attributes of /values; each
// field as /fields/<name>, slowest axis first (x last), after a leading axis for the components if there are
// several; x, y, z, t at the root as dimension scales. Third, a list of the fields as text. Complex numbers are
// compounds {r, i}, structs are opaque bytes. Beside a 2-D or 3-D snapshot lies an .xmf for ParaView; 1-D and
// 4-D ones have none. xarray reads a file by open_dataset(path, group="fields", engine="h5netcdf").
//
// A file is written as <path>.part, synced to the disk, hashed, and renamed. If the run ends at any
// moment in between, the previous file is complete. Without HDF5 every call throws an Error that says so.
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

// Writes the owned cells of the fields, all of one grid. If the disk is full, the folder missing or not writable,
// or two fields have one name, throws Error on every rank and leaves the previous file as it was. Collective.
void save(const std::string& path, const std::string& kind, const std::vector<const FieldCore*>& fields,
          long step, const std::map<std::string, double>& values = {});
void save(const std::string& path, const std::string& kind, const std::vector<AnyField>& fields, long step,
          const std::map<std::string, double>& values = {});

// Fills the fields, found by name, from a file that any number of ranks wrote, after checking every byte of it.
// Throws Error on every rank, with the reason: the file is missing, not Tasuki's, of a newer format, truncated,
// altered (and in which field) or of another grid; or a field is missing or of another type. Collective.
FileInfo load(const std::string& path, const std::vector<FieldCore*>& fields);
FileInfo load(const std::string& path, const std::vector<AnyField>& fields);

// The kind, step, extents and values of a file. Checks its header, its list of fields and its length, but no cell. Throws Error. Local.
FileInfo inspect(const std::string& path);

// The version of the HDF5 library, "1.10.8"; "" if this build has none.
std::string hdf5_version();

// checkpoint("run.h5", 1000, u, v);
template <class... T>
void checkpoint(const std::string& path, long step, const Field<T>&... fields) {
  save(path, "checkpoint", std::vector<AnyField>{fields...}, step);
}

// snapshot("u.h5", 1000, u);
template <class... T>
void snapshot(const std::string& path, long step, const Field<T>&... fields) {
  save(path, "snapshot", std::vector<AnyField>{fields...}, step);
}

// const long step = restore("run.h5", u, v).step;
template <class... T>
FileInfo restore(const std::string& path, const Field<T>&... fields) {
  return load(path, std::vector<AnyField>{fields...});
}

} // namespace tasuki
