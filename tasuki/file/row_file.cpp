#include <tasuki/file/row_file.hpp>

#include <tasuki/file/part_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <fcntl.h>

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/file/hdf5.hpp>

namespace tasuki {
namespace {

using h5::check;
using h5::Handle;
using h5::without_times;

std::size_t value_bytes(ValueType type) {
  switch (type) {
    case ValueType::i16: return 2;
    case ValueType::f32:
    case ValueType::i32: return 4;
    case ValueType::f64:
    case ValueType::i64: return 8;
    default: throw Error("a column can hold plain numbers only", "use f32, f64, i32 or i64");
  }
}

std::size_t row_bytes(const Column& column) {
  std::size_t bytes = value_bytes(column.type);
  for (const long n : column.shape) bytes *= static_cast<std::size_t>(n);
  return bytes;
}

std::vector<hsize_t> full_shape(const Column& column) {
  std::vector<hsize_t> shape{static_cast<hsize_t>(column.rows)};
  for (const long n : column.shape) shape.push_back(static_cast<hsize_t>(n));
  return shape;
}

bool same_rows(std::vector<hsize_t> a, std::vector<hsize_t> b) {
  if (a.empty() || b.empty()) return false;
  a.front() = b.front();
  return a == b;
}

// "/a/b/c" -> "/a", "/a/b" (and the whole path where it is a group itself).
void make_groups(hid_t file, const std::string& path, bool itself, std::set<std::string>& made,
                 const std::string& doing) {
  for (std::size_t at = 1; at != std::string::npos && at < path.size();) {
    const std::size_t end = path.find('/', at);
    if (end == std::string::npos && !itself) return;
    const std::string group = path.substr(0, end);
    if (made.insert(group).second) {
      const Handle how = without_times(H5P_GROUP_CREATE, doing);
      const Handle done(H5Gcreate2(file, group.c_str(), H5P_DEFAULT, how, H5P_DEFAULT), H5Gclose, doing);
    }
    at = end == std::string::npos ? end : end + 1;
  }
}

Handle make_dataset(hid_t file, const std::string& path, ValueType type, const std::vector<hsize_t>& shape,
                    const std::string& doing) {
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose,
                     doing);
  const Handle kind = h5::value_type(type, value_bytes(type));
  const Handle how = without_times(H5P_DATASET_CREATE, doing);
  check(H5Pset_layout(how, H5D_CONTIGUOUS), doing);
  check(H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY), doing);
  check(H5Pset_fill_time(how, H5D_FILL_TIME_NEVER), doing);
  return {H5Dcreate2(file, path.c_str(), kind, space, H5P_DEFAULT, how, H5P_DEFAULT), H5Dclose, doing};
}

template <class T>
constexpr ValueType type_of(const std::vector<T>&) {
  return detail::value_type<T>();
}

void write_constant(hid_t file, const Constant& constant, const std::string& doing) {
  std::vector<hsize_t> shape(constant.shape.begin(), constant.shape.end());
  std::visit(
      [&](const auto& values) {
        hsize_t count = 1;
        for (const hsize_t n : shape) count *= n;
        if (count != values.size())
          throw Error(constant.path + " has values that do not fill its shape", "give as many as it holds");
        const ValueType type = type_of(values);
        const Handle made = make_dataset(file, constant.path, type, shape, doing);
        const Handle kind = h5::value_type(type, value_bytes(type));
        check(H5Dwrite(made, kind, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), doing);
      },
      constant.values);
}

void write_skeleton(const std::string& name, const std::string& path, const RowLayout& layout) {
  const h5::Quiet quiet;
  const std::string doing = "write " + path;
  const Handle how = without_times(H5P_FILE_CREATE, doing);
  const Handle access = h5::file_access();
  Handle file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, how, access), H5Fclose, doing);
  std::set<std::string> groups, datasets;
  for (const Constant& constant : layout.constants) {
    make_groups(file, constant.path, false, groups, doing);
    write_constant(file, constant, doing);
    datasets.insert(constant.path);
  }
  for (const Column& column : layout.columns) {
    make_groups(file, column.path, false, groups, doing);
    make_dataset(file, column.path, column.type, full_shape(column), doing).close(doing);
    datasets.insert(column.path);
  }
  for (const auto& [object, attributes] : layout.attributes) {
    if (object != "/" && !datasets.count(object)) make_groups(file, object, true, groups, doing);
    const Handle opened(H5Oopen(file, object.c_str(), H5P_DEFAULT), H5Oclose, doing);
    for (const auto& [key, value] : attributes)
      std::visit([&, key = key](const auto& held) { h5::write_attribute(opened, key, held); }, value);
  }
  file.close(doing);
}

void fill_part(const PartFile& part, const std::string& path, const RowLayout& layout) {
  write_skeleton(part.name(), path, layout);
  const Descriptor made(part.name(), O_RDONLY);
  if (made.get() < 0) throw_write_error(path, errno);
}

} // namespace

std::size_t RowLayout::bytes() const {
  std::size_t bytes = 0;
  for (const Column& column : columns) bytes += row_bytes(column) * static_cast<std::size_t>(column.rows);
  return bytes;
}

void RowFile::create(const std::string& path, const RowLayout& layout) {
  const IgnoreFileLimitSignal no_signal;
  PartFile part(path);
  fill_part(part, path, layout);
  part.reserve(Descriptor(part.name(), O_RDONLY).size());
  part.commit();
}

RowFile::RowFile(std::string path, const std::vector<Column>& columns) : path_(std::move(path)) {
  const h5::Quiet quiet;
  const Descriptor there(path_, O_RDONLY);
  if (there.get() < 0) throw_read_error(path_, errno);
  const std::string doing = "read " + path_;
  const Handle access = h5::file_access();
  const Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access), H5Fclose, doing);
  for (const Column& column : columns) {
    const Handle set(H5Dopen2(file, column.path.c_str(), H5P_DEFAULT), H5Dclose, doing);
    const Handle space(H5Dget_space(set), H5Sclose, doing);
    const Handle type(H5Dget_type(set), H5Tclose, doing), wanted = h5::value_type(column.type, 0);
    std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
    H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    if (!same_rows(shape, full_shape(column)) || H5Tequal(type, wanted) <= 0)
      throw Error(
          fmt::format("{} of {} is of another shape or type than this run writes", column.path, path_),
          "use the folder of this run, or another one");
    const haddr_t offset = H5Dget_offset(set);
    const auto rows = static_cast<long>(shape.front());
    if (offset == HADDR_UNDEF && row_bytes(column) * static_cast<std::size_t>(rows) > 0)
      throw Error(column.path + " of " + path_ + " has no place in the file",
                  "use a file that Tasuki laid out");
    places_[column.path] = {offset, row_bytes(column), rows};
  }
}

void fit_rows(const std::string& path, const RowLayout& layout) {
  const IgnoreFileLimitSignal no_signal;
  const RowFile old(path, layout.columns);
  if (std::all_of(layout.columns.begin(), layout.columns.end(),
                  [&](const Column& column) { return old.rows(column.path) == column.rows; }))
    return;
  PartFile part(path);
  fill_part(part, path, layout);
  part.reserve(Descriptor(part.name(), O_RDONLY).size());
  {
    RowFile fresh(part.name(), layout.columns);
    for (const Column& column : layout.columns) {
      const long rows = std::min(old.rows(column.path), column.rows);
      const long piece =
          std::max<long>(1, (1 << 23) / static_cast<long>(std::max<std::size_t>(1, row_bytes(column))));
      std::vector<char> values;
      for (long row = 0; row < rows; row += piece) {
        const long count = std::min(piece, rows - row);
        values.resize(row_bytes(column) * static_cast<std::size_t>(count));
        old.read(column.path, row, values.data(), count);
        fresh.write(column.path, row, values.data(), count);
      }
    }
  }
  part.commit();
}

} // namespace tasuki

#else
#include <tasuki/file/hdf5.hpp>

namespace tasuki {

using h5::throw_absent;

std::size_t RowLayout::bytes() const { return 0; }
void RowFile::create(const std::string&, const RowLayout&) { throw_absent(); }
RowFile::RowFile(std::string, const std::vector<Column>&) { throw_absent(); }
void fit_rows(const std::string&, const RowLayout&) { throw_absent(); }

} // namespace tasuki

#endif

namespace tasuki {

RowFile::Place RowFile::find(const std::string& column, long row, long count) const {
  const auto found = places_.find(column);
  if (found == places_.end() || row < 0 || count < 0 || row + count > found->second.rows)
    throw Error(fmt::format("{} has no rows {} to {} of {}", path_, row, row + count - 1, column),
                "make the file with room for them");
  return found->second;
}

void RowFile::write(const std::string& column, long row, const void* values, long count) {
  const IgnoreFileLimitSignal no_signal;
  const Place place = find(column, row, count);
  const Descriptor file(path_, O_WRONLY);
  if (file.get() < 0) throw_write_error(path_, errno);
  write_at(file.get(), values, place.row_bytes * static_cast<std::size_t>(count),
           place.offset + place.row_bytes * static_cast<std::size_t>(row), path_);
}

void RowFile::read(const std::string& column, long row, void* values, long count) const {
  const Place place = find(column, row, count);
  const Descriptor file(path_, O_RDONLY);
  if (file.get() < 0) throw_read_error(path_, errno);
  read_at(file.get(), values, place.row_bytes * static_cast<std::size_t>(count),
          place.offset + place.row_bytes * static_cast<std::size_t>(row), path_);
}

void RowFile::sync() const { sync_file(path_, path_); }

} // namespace tasuki
