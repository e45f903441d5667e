// HDF5 behind small types: handles that close themselves, and faults that are Errors. For this room alone.
#pragma once

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/field/field.hpp>

#include <hdf5.h>

#include <string>
#include <utility>
#include <vector>

namespace tasuki::h5 {

// Turns HDF5's own error printing off, and back to what it was.
class Quiet {
public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

// Throws Error "cannot <doing> (<HDF5's reason>); ..." where an HDF5 call answered a negative number.
void check(long long answer, const std::string& doing);

// An identifier of HDF5. Throws like check() where it is none.
class Handle {
public:
  using Closer = herr_t (*)(hid_t);
  Handle(hid_t id, Closer closer, const std::string& doing) : id_(id), closer_(closer) { check(id, doing); }
  ~Handle() {
    if (id_ >= 0) closer_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  Handle& operator=(Handle&&) = delete;
  operator hid_t() const { return id_; }
  void close(const std::string& doing) { check(closer_(std::exchange(id_, -1)), doing); }

private:
  hid_t id_;
  Closer closer_;
};

// The type of a value in memory and in the file: h5py's conventions for complex numbers, opaque bytes for structs.
Handle value_type(ValueType type, std::size_t bytes);

// Extents (x first) as HDF5 counts them: slowest axis first, with components as a leading axis where there are
// several.
std::vector<hsize_t> shape_of(const std::vector<long>& extents, int components);

// How a file is opened: by one rank, in the newest format.
Handle file_access();

// How an object of class `what` is made: without the time of day, so that equal runs leave equal files.
Handle without_times(hid_t what, const std::string& doing);

void write_attribute(hid_t object, const std::string& name, const std::string& value);
void write_attribute(hid_t object, const std::string& name, double value);
void write_attribute(hid_t object, const std::string& name, const std::vector<long>& values);
void write_attribute(hid_t object, const std::string& name, long value);
void write_attribute(hid_t object, const std::string& name, std::uint64_t value);
void write_attribute(hid_t object, const std::string& name, const std::vector<double>& values);
void write_attribute(hid_t object, const std::string& name, const std::vector<std::string>& values);

} // namespace tasuki::h5

#else
#include <tasuki/base/error.hpp>

namespace tasuki::h5 {

// What all that needs HDF5 does in a build without it.
[[noreturn]] inline void throw_absent() {
  throw Error("this build has no HDF5", "install libhdf5-dev and libxxhash-dev and build again");
}

} // namespace tasuki::h5
#endif
