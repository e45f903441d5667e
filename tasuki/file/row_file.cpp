#include <tasuki/file/row_file.hpp>

#include <tasuki/file/part_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/file/row_skeleton.hpp>
#include <tasuki/file/row_sums.hpp>

namespace tasuki {
namespace {

void fill_part(PartFile& part, const std::string& path, const RowLayout& layout) {
  write_row_skeleton(part.name(), path, layout);
  part.reserve(Descriptor(part.name(), O_RDONLY).size());
}

} // namespace

std::size_t RowLayout::bytes() const {
  std::size_t bytes = 0;
  for (const Column& column : columns)
    bytes += (row_bytes(column) + sizeof(RowSums)) * static_cast<std::size_t>(column.rows);
  return bytes;
}

void RowFile::create(const std::string& path, const RowLayout& layout) {
  const IgnoreFileLimitSignal no_signal;
  PartFile part(path);
  fill_part(part, path, layout);
  part.commit();
}

RowFile::RowFile(std::string path, const std::vector<Column>& columns)
    : path_(std::move(path)), places_(find_rows(path_, columns)) {}

void fit_rows(const std::string& path, const RowLayout& layout) {
  const IgnoreFileLimitSignal no_signal;
  const RowFile old(path, layout.columns);
  if (std::all_of(layout.columns.begin(), layout.columns.end(),
                  [&](const Column& column) { return old.rows(column.path) == column.rows; }))
    return;
  PartFile part(path);
  fill_part(part, path, layout);
  {
    RowFile fresh(part.name(), layout.columns);
    for (const Column& column : layout.columns)
      fresh.take(old, column.path, std::min(old.rows(column.path), column.rows));
  }
  part.commit();
}

// Copies rows and sums unchanged: a damaged row stays detectable, and rows that this run will rewrite may be damaged.
void RowFile::take(const RowFile& other, const std::string& column, long rows) {
  const RowPlace &from = other.places_.at(column), &to = places_.at(column);
  const Descriptor source(other.path_, O_RDONLY), target(path_, O_WRONLY);
  if (source.get() < 0) throw_read_error(other.path_, errno);
  if (target.get() < 0) throw_write_error(path_, errno);
  const long most = std::max<long>(1, (1 << 23) / static_cast<long>(std::max<std::size_t>(1, to.row_bytes)));
  std::vector<char> values;
  std::vector<RowSums> sums;
  for (long row = 0; row < rows; row += most) {
    const auto count = static_cast<std::size_t>(std::min(most, rows - row)),
               at = static_cast<std::size_t>(row);
    values.resize(to.row_bytes * count);
    read_at(source.get(), values.data(), values.size(), from.offset + at * to.row_bytes, other.path_);
    if (!from.sums) { // from a Tasuki version without sums
      write(column, row, values.data(), static_cast<long>(count));
      continue;
    }
    write_at(target.get(), values.data(), values.size(), to.offset + at * to.row_bytes, path_);
    sums.resize(count);
    read_at(source.get(), sums.data(), count * sizeof(RowSums), *from.sums + at * sizeof(RowSums),
            other.path_);
    write_at(target.get(), sums.data(), count * sizeof(RowSums), *to.sums + at * sizeof(RowSums), path_);
  }
}

void RowFile::write_sums(const RowPlace& place, int file, long row, const char* values, long count,
                         bool again) {
  const auto n = static_cast<std::size_t>(count);
  const std::uint64_t at = *place.sums + static_cast<std::size_t>(row) * sizeof(RowSums);
  std::vector<RowSums> sums(n);
  read_at(file, sums.data(), n * sizeof(RowSums), at, path_);
  std::vector<char> now;
  if (again ||
      std::any_of(sums.begin(), sums.end(), [](const RowSums& s) { return s[0] != 0 || s[1] != 0; })) {
    now.resize(n * place.row_bytes);
    read_at(file, now.data(), now.size(), place.offset + static_cast<std::size_t>(row) * place.row_bytes,
            path_);
  }
  for (std::size_t i = 0; i < n; ++i)
    sums[i] = sums_for(sums[i], now.empty() ? nullptr : &now[i * place.row_bytes],
                       values + i * place.row_bytes, place.row_bytes, row + static_cast<long>(i));
  write_at(file, sums.data(), n * sizeof(RowSums), at, path_);
}

void RowFile::check_sums(const RowPlace& place, int file, const std::string& column, long row,
                         const char* values, long count) const {
  std::vector<RowSums> sums(static_cast<std::size_t>(count));
  read_at(file, sums.data(), sums.size() * sizeof(RowSums),
          *place.sums + static_cast<std::size_t>(row) * sizeof(RowSums), path_);
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (!holds(sums[i], values + i * place.row_bytes, place.row_bytes, row + static_cast<long>(i)))
      throw Error(fmt::format("{} of {} is not what was written, in row {}", column, path_,
                              row + static_cast<long>(i)),
                  "use a copy of it, or repeat the run");
}

} // namespace tasuki

#else
#include <tasuki/file/hdf5.hpp>

namespace tasuki {

using h5::throw_absent;

std::size_t RowLayout::bytes() const { return 0; }
void RowFile::create(const std::string&, const RowLayout&) { throw_absent(); }
RowFile::RowFile(std::string, const std::vector<Column>&) { throw_absent(); }
void RowFile::take(const RowFile&, const std::string&, long) { throw_absent(); }
void RowFile::write_sums(const RowPlace&, int, long, const char*, long, bool) { throw_absent(); }
void RowFile::check_sums(const RowPlace&, int, const std::string&, long, const char*, long) const {
  throw_absent();
}
void fit_rows(const std::string&, const RowLayout&) { throw_absent(); }

} // namespace tasuki

#endif

namespace tasuki {

RowPlace RowFile::find(const std::string& column, long row, long count) const {
  const auto found = places_.find(column);
  if (found == places_.end() || row < 0 || count < 0 || row + count > found->second.rows)
    throw Error(fmt::format("{} has no rows {} to {} of {}", path_, row, row + count - 1, column),
                "make the file with room for them");
  return found->second;
}

void RowFile::put(const std::string& column, long row, const void* values, long count, bool durable) {
  const IgnoreFileLimitSignal no_signal;
  const RowPlace place = find(column, row, count);
  const Descriptor file(path_, O_RDWR);
  if (file.get() < 0) throw_write_error(path_, errno);
  if (place.sums) write_sums(place, file.get(), row, static_cast<const char*>(values), count, durable);
  if (durable) sync();
  write_at(file.get(), values, place.row_bytes * static_cast<std::size_t>(count),
           place.offset + place.row_bytes * static_cast<std::size_t>(row), path_);
  if (durable) sync();
}

void RowFile::get(const std::string& column, long row, void* values, long count, bool checked) const {
  const RowPlace place = find(column, row, count);
  const Descriptor file(path_, O_RDONLY);
  if (file.get() < 0) throw_read_error(path_, errno);
  read_at(file.get(), values, place.row_bytes * static_cast<std::size_t>(count),
          place.offset + place.row_bytes * static_cast<std::size_t>(row), path_);
  if (checked && place.sums)
    check_sums(place, file.get(), column, row, static_cast<const char*>(values), count);
}

void RowFile::sync() const { sync_file(path_, path_); }

} // namespace tasuki
