#include <tasuki/file/hdf5.hpp>

#ifdef TASUKI_HAVE_HDF5
#include <algorithm>

namespace tasuki::h5 {
namespace {

// HDF5 calls this for each entry of its error stack, the innermost last; the innermost one has the actual cause.
herr_t take_reason(unsigned, const H5E_error2_t* error, void* to) {
  if (error->desc && *error->desc) *static_cast<std::string*>(to) = error->desc;
  return 0;
}

void attribute(hid_t object, const std::string& name, hid_t type, const hsize_t* count, const void* values) {
  const std::string doing = "write attribute '" + name + "'";
  const Handle space(count ? H5Screate_simple(1, count, nullptr) : H5Screate(H5S_SCALAR), H5Sclose, doing);
  // An existing attribute is overwritten.
  const bool there = H5Aexists(object, name.c_str()) > 0;
  const Handle made(there ? H5Aopen(object, name.c_str(), H5P_DEFAULT)
                          : H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                    H5Aclose, doing);
  check(H5Awrite(made, type, values), doing);
}

} // namespace

Quiet::Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Quiet::~Quiet() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

void check(long long answer, const std::string& doing) {
  if (answer >= 0) return;
  std::string reason = "no reason given";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, take_reason, &reason);
  throw Error("cannot " + doing + " (HDF5: " + reason + ")", "check the disk, or use another place or file");
}

Handle value_type(ValueType type, std::size_t bytes) {
  const std::string doing = "make a type";
  const auto complex_of = [&](hid_t part) {
    Handle pair(H5Tcreate(H5T_COMPOUND, bytes), H5Tclose, doing);
    check(H5Tinsert(pair, "r", 0, part), doing);
    check(H5Tinsert(pair, "i", bytes / 2, part), doing);
    return pair;
  };
  switch (type) {
    case ValueType::f32: return {H5Tcopy(H5T_NATIVE_FLOAT), H5Tclose, doing};
    case ValueType::f64: return {H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose, doing};
    case ValueType::i16: return {H5Tcopy(H5T_NATIVE_INT16), H5Tclose, doing};
    case ValueType::i32: return {H5Tcopy(H5T_NATIVE_INT32), H5Tclose, doing};
    case ValueType::i64: return {H5Tcopy(H5T_NATIVE_INT64), H5Tclose, doing};
    case ValueType::c64: return complex_of(H5T_NATIVE_FLOAT);
    case ValueType::c128: return complex_of(H5T_NATIVE_DOUBLE);
    case ValueType::bytes: break;
  }
  return {H5Tcreate(H5T_OPAQUE, bytes), H5Tclose, doing}; // without a tag: h5py cannot read tagged ones
}

std::vector<hsize_t> shape_of(const std::vector<long>& extents, int components) {
  std::vector<hsize_t> shape;
  if (components > 1) shape.push_back(static_cast<hsize_t>(components));
  for (auto n = extents.rbegin(); n != extents.rend(); ++n) shape.push_back(static_cast<hsize_t>(*n));
  return shape;
}

Handle file_access() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "set file access");
  check(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), "set the format");
#if H5_VERSION_GE(1, 10, 7)
  check(H5Pset_file_locking(access, false, true), "set locking"); // some network disks have no locks
#endif
  return access;
}

Handle without_times(hid_t what, const std::string& doing) {
  Handle how(H5Pcreate(what), H5Pclose, doing);
  check(H5Pset_obj_track_times(how, false), doing);
  return how;
}

void write_attribute(hid_t object, const std::string& name, const std::string& value) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "make a type");
  check(H5Tset_size(type, H5T_VARIABLE), "make a type");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "make a type");
  const char* text = value.c_str();
  attribute(object, name, type, nullptr, &text);
}

void write_attribute(hid_t object, const std::string& name, const std::vector<std::string>& values) {
  std::size_t longest = 1;
  for (const std::string& value : values) longest = std::max(longest, value.size());
  std::vector<char> texts(values.size() * longest, '\0');
  for (std::size_t k = 0; k < values.size(); ++k) values[k].copy(&texts[k * longest], longest);
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "make a type");
  check(H5Tset_size(type, longest), "make a type");
  const hsize_t count = values.size();
  attribute(object, name, type, &count, texts.data());
}

void write_attribute(hid_t object, const std::string& name, double value) {
  attribute(object, name, H5T_NATIVE_DOUBLE, nullptr, &value);
}

void write_attribute(hid_t object, const std::string& name, const std::vector<long>& values) {
  const hsize_t count = values.size();
  attribute(object, name, H5T_NATIVE_LONG, &count, values.data());
}

void write_attribute(hid_t object, const std::string& name, const std::vector<double>& values) {
  const hsize_t count = values.size();
  attribute(object, name, H5T_NATIVE_DOUBLE, &count, values.data());
}

void write_attribute(hid_t object, const std::string& name, long value) {
  attribute(object, name, H5T_NATIVE_LONG, nullptr, &value);
}

void write_attribute(hid_t object, const std::string& name, std::uint64_t value) {
  attribute(object, name, H5T_NATIVE_UINT64, nullptr, &value);
}

} // namespace tasuki::h5
#endif
