#include <tasuki/file/skeleton.hpp>

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/file/hdf5.hpp>
#include <tasuki/file/header.hpp>
#include <tasuki/file/part_file.hpp>

#include <fcntl.h>
#include <hdf5_hl.h>

#include <numeric>

namespace tasuki {
namespace {

using h5::check;
using h5::Handle;
using h5::without_times;

std::string axis_name(std::size_t axis) {
  static const char* names[] = {"x", "y", "z", "t"};
  return axis < 4 ? names[axis] : "axis" + std::to_string(axis);
}

// A dimension scale at the root: the indices of the cells, or of the components.
void write_scale(hid_t file, const std::string& name, long count, const std::string& doing) {
  std::vector<long> places(static_cast<std::size_t>(count));
  std::iota(places.begin(), places.end(), 0L);
  const hsize_t size = places.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose, doing);
  const Handle how = without_times(H5P_DATASET_CREATE, doing);
  const Handle scale(H5Dcreate2(file, name.c_str(), H5T_NATIVE_LONG, space, H5P_DEFAULT, how, H5P_DEFAULT),
                     H5Dclose, doing);
  check(H5Dwrite(scale, H5T_NATIVE_LONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, places.data()), doing);
  check(H5DSset_scale(scale, name.c_str()), doing);
}

// All fields with the same number of components share a scale: component_3.
std::string component_scale(int components) { return "component_" + std::to_string(components); }

void attach_scale(hid_t file, hid_t field, const std::string& scale, unsigned place,
                  const std::string& doing) {
  const Handle opened(H5Dopen2(file, scale.c_str(), H5P_DEFAULT), H5Dclose, doing);
  check(H5DSattach_scale(field, opened, place), doing);
}

void write_field(hid_t file, hid_t fields, const std::vector<long>& extents, StoredField& stored,
                 const std::string& doing) {
  const std::vector<hsize_t> shape = h5::shape_of(extents, stored.components);
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose,
                     doing);
  const Handle type = h5::value_type(stored.type, stored.element_bytes);
  const Handle how = without_times(H5P_DATASET_CREATE, doing);
  check(H5Pset_layout(how, H5D_CONTIGUOUS), doing);
  check(H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY), doing);
  check(H5Pset_fill_time(how, H5D_FILL_TIME_NEVER), doing);
  const Handle made(H5Dcreate2(fields, stored.name.c_str(), type, space, H5P_DEFAULT, how, H5P_DEFAULT),
                    H5Dclose, doing);
  h5::write_attribute(made, "checksum", std::uint64_t(0));
  unsigned place = 0;
  if (stored.components > 1) {
    const std::string scale = component_scale(stored.components);
    if (H5Lexists(file, scale.c_str(), H5P_DEFAULT) <= 0) write_scale(file, scale, stored.components, doing);
    attach_scale(file, made, scale, place++, doing);
  }
  for (std::size_t a = extents.size(); a-- > 0;) attach_scale(file, made, axis_name(a), place++, doing);
  const haddr_t offset = H5Dget_offset(made);
  if (offset == HADDR_UNDEF) throw Error("HDF5 gave field '" + stored.name + "' no place", "write it again");
  stored.offset = offset;
}

} // namespace

std::uint64_t write_skeleton(const std::string& name, const std::string& path, const std::string& kind,
                             Manifest& manifest) {
  const std::string doing = "write " + path;
  const Handle layout = without_times(H5P_FILE_CREATE, doing);
  check(H5Pset_userblock(layout, kHeaderBytes), doing);
  const Handle access = h5::file_access();
  Handle file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, layout, access), H5Fclose, doing);
  {
    h5::write_attribute(file, "tasuki", std::string(TASUKI_VERSION));
    h5::write_attribute(file, "kind", kind);
    h5::write_attribute(file, "step", manifest.step);
    h5::write_attribute(file, "extents", manifest.extents);
    const Handle group = without_times(H5P_GROUP_CREATE, doing);
    const Handle values(H5Gcreate2(file, "values", H5P_DEFAULT, group, H5P_DEFAULT), H5Gclose, doing);
    for (const auto& [key, value] : manifest.values) h5::write_attribute(values, key, value);
    for (std::size_t a = 0; a < manifest.extents.size(); ++a)
      write_scale(file, axis_name(a), manifest.extents[a], doing);
    const Handle fields(H5Gcreate2(file, "fields", H5P_DEFAULT, group, H5P_DEFAULT), H5Gclose, doing);
    for (StoredField& stored : manifest.fields) write_field(file, fields, manifest.extents, stored, doing);
  }
  file.close(doing);
  const Descriptor made(name, O_RDONLY);
  if (made.get() < 0) throw_write_error(path, errno);
  return made.size();
}

void write_checksums(const std::string& name, const std::string& path, const Manifest& manifest) {
  const std::string doing = "write " + path;
  const Handle access = h5::file_access();
  Handle file(H5Fopen(name.c_str(), H5F_ACC_RDWR, access), H5Fclose, doing);
  for (const StoredField& stored : manifest.fields) {
    const Handle field(H5Dopen2(file, ("fields/" + stored.name).c_str(), H5P_DEFAULT), H5Dclose, doing);
    h5::write_attribute(field, "checksum", stored.checksum);
  }
  file.close(doing);
}

} // namespace tasuki
#endif
