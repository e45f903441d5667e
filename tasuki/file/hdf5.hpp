// Small wrappers of HDF5: handles that close automatically, and errors as exceptions. For tasuki/file only.
#pragma once

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/field/field.hpp>

#include <hdf5.h>

#include <string>
#include <utility>
#include <vector>

namespace tasuki::h5 {

// Disables the error printing of HDF5 during its lifetime.
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

// Throws Error "cannot <doing> (<HDF5's reason>); ..." if an HDF5 call returned a negative number.
void check(long long answer, const std::string& doing);

// An identifier of HDF5. The constructor throws, like check(), if it is invalid.
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

// The type of a value in memory and in the file: h5py's convention for complex numbers, opaque bytes for structs.
Handle value_type(ValueType type, std::size_t bytes);

// Extents (x first) in the order of HDF5: slowest axis first, preceded by the components if there are
// several.
std::vector<hsize_t> shape_of(const std::vector<long>& extents, int components);

// The access properties of files: opened by one rank, in the newest format.
Handle file_access();

// The creation properties of objects of class `what`: without timestamps, so that equal runs produce equal files.
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

// The error of all functions that need HDF5, in a build without it.
[[noreturn]] inline void throw_absent() {
  throw Error("this build has no HDF5", "install libhdf5-dev and libxxhash-dev and build again");
}

} // namespace tasuki::h5
#endif
