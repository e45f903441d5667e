#include <tasuki/file/row_skeleton.hpp>

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/file/hdf5.hpp>
#include <tasuki/file/header.hpp>
#include <tasuki/file/part_file.hpp>
#include <tasuki/file/row_sums.hpp>

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>

namespace tasuki {
namespace {

const std::string kSums = "/checksums"; // contains a dataset for each column, with the same path
const char* const kMend = "use a copy of it, or repeat the run";

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

} // namespace

std::size_t row_bytes(const Column& column) {
  std::size_t bytes = value_bytes(column.type);
  for (const long n : column.shape) bytes *= static_cast<std::size_t>(n);
  return bytes;
}

namespace {

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

// Creates the groups of a path: for "/a/b/c" those of "/a" and "/a/b", and "/a/b/c" if it is itself a group.
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

Handle make_dataset(hid_t file, const std::string& path, hid_t kind, const std::vector<hsize_t>& shape,
                    const std::string& doing) {
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose,
                     doing);
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
        const Handle kind = h5::value_type(type, value_bytes(type));
        const Handle made = make_dataset(file, constant.path, kind, shape, doing);
        check(H5Dwrite(made, kind, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), doing);
      },
      constant.values);
}

void write_structure(const std::string& name, const std::string& path, const RowLayout& layout) {
  const h5::Quiet quiet;
  const std::string doing = "write " + path;
  const Handle how = without_times(H5P_FILE_CREATE, doing);
  check(H5Pset_userblock(how, kHeaderBytes), doing);
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
    const Handle kind = h5::value_type(column.type, value_bytes(column.type));
    make_dataset(file, column.path, kind, full_shape(column), doing).close(doing);
    datasets.insert(column.path);
    make_groups(file, kSums + column.path, false, groups, doing);
    const std::vector<hsize_t> two = {static_cast<hsize_t>(column.rows), 2};
    make_dataset(file, kSums + column.path, H5T_NATIVE_UINT64, two, doing).close(doing);
  }
  for (const auto& [object, attributes] : layout.attributes) {
    if (object != "/" && !datasets.count(object)) make_groups(file, object, true, groups, doing);
    const Handle opened(H5Oopen(file, object.c_str(), H5P_DEFAULT), H5Oclose, doing);
    for (const auto& [key, value] : attributes)
      std::visit([&, key = key](const auto& held) { h5::write_attribute(opened, key, held); }, value);
  }
  file.close(doing);
}

// The byte ranges of the columns and their sums: everything that changes after the file was created.
std::vector<ByteRange> rows_of(hid_t file, const std::string& doing) {
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5L_info_t*, void* to) -> herr_t {
    static_cast<std::vector<std::string>*>(to)->emplace_back(name);
    return 0;
  };
  if (H5Lexists(file, kSums.c_str(), H5P_DEFAULT) <= 0) return {}; // only constants, verified by the header
  const Handle group(H5Gopen2(file, kSums.c_str(), H5P_DEFAULT), H5Gclose, doing);
  check(H5Lvisit(group, H5_INDEX_NAME, H5_ITER_INC, take, &names), doing);
  std::vector<ByteRange> ranges;
  for (const std::string& name : names) {
    const Handle sums(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose, doing);
    if (H5Iget_type(sums) != H5I_DATASET) continue;
    const Handle column(H5Dopen2(file, ("/" + name).c_str(), H5P_DEFAULT), H5Dclose, doing);
    for (const hid_t set : {hid_t(sums), hid_t(column)}) {
      const haddr_t from = H5Dget_offset(set);
      if (from != HADDR_UNDEF) ranges.push_back({from, from + H5Dget_storage_size(set)});
    }
  }
  return ranges;
}

Header read_header(const std::string& path, const Descriptor& file) {
  std::string block(std::min(kHeaderBytes, file.size()), '\0');
  read_at(file.get(), block.data(), block.size(), 0, path);
  return parse_header(path, block, file.size(), kMend);
}

// True if HDF5 begins at the first byte: a file of a Tasuki version without sums.
bool is_unproven(const Descriptor& file, const std::string& path) {
  constexpr char kSignature[] = "\x89HDF\r\n\x1a\n";
  char first[8] = {};
  if (file.size() >= sizeof first) read_at(file.get(), first, sizeof first, 0, path);
  return std::equal(first, first + sizeof first, kSignature);
}

std::uint64_t offset_of(hid_t set, const std::string& what, const std::string& path, std::size_t bytes) {
  const haddr_t offset = H5Dget_offset(set);
  if (offset == HADDR_UNDEF && bytes > 0)
    throw Error(what + " of " + path + " has no place in the file", "use a file that Tasuki laid out");
  return offset;
}

} // namespace

void write_row_skeleton(const std::string& name, const std::string& path, const RowLayout& layout) {
  write_structure(name, path, layout);
  Header header{.kind = "rows"};
  {
    const Descriptor made(name, O_RDONLY);
    if (made.get() < 0) throw_write_error(path, errno);
    header.bytes = header.manifest = made.size();
  }
  std::vector<ByteRange> rows;
  {
    const h5::Quiet quiet;
    const Handle access = h5::file_access();
    const Handle file(H5Fopen(name.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "write " + path);
    rows = rows_of(file, "write " + path);
  }
  header.hash = hash_around(name, path, rows, header.bytes);
  const auto block = to_block(header);
  const Descriptor file(name, O_WRONLY);
  if (file.get() < 0) throw_write_error(path, errno);
  write_at(file.get(), block.data(), block.size(), 0, path);
}

std::map<std::string, RowPlace> find_rows(const std::string& path, const std::vector<Column>& columns) {
  const h5::Quiet quiet;
  const Descriptor there(path, O_RDONLY);
  if (there.get() < 0) throw_read_error(path, errno);
  std::optional<Header> header;
  if (!is_unproven(there, path)) header = read_header(path, there);
  const std::string doing = "read " + path;
  const Handle access = h5::file_access();
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose, doing);
  if (header && hash_around(path, path, rows_of(file, doing), header->bytes) != header->hash)
    throw Error(path + " was altered since it was written: the structure around its rows is damaged", kMend);
  std::map<std::string, RowPlace> places;
  for (const Column& column : columns) {
    const std::size_t bytes = row_bytes(column); // refuses what a column cannot hold
    const Handle set(H5Dopen2(file, column.path.c_str(), H5P_DEFAULT), H5Dclose, doing);
    const Handle space(H5Dget_space(set), H5Sclose, doing);
    const Handle type(H5Dget_type(set), H5Tclose, doing), wanted = h5::value_type(column.type, 0);
    std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
    H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    if (!same_rows(shape, full_shape(column)) || H5Tequal(type, wanted) <= 0)
      throw Error(fmt::format("{} of {} is of another shape or type than this run writes", column.path, path),
                  "use the folder of this run, or another one");
    RowPlace& place = places[column.path];
    place.rows = static_cast<long>(shape.front());
    place.row_bytes = bytes;
    place.offset = offset_of(set, column.path, path, place.row_bytes * static_cast<std::size_t>(place.rows));
    if (!header) continue;
    const Handle sums(H5Dopen2(file, (kSums + column.path).c_str(), H5P_DEFAULT), H5Dclose, doing);
    place.sums = offset_of(sums, kSums + column.path, path, static_cast<std::size_t>(place.rows));
  }
  return places;
}

} // namespace tasuki
#endif
