#include <tasuki/file/checkpoint.hpp>

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/base/agree.hpp>
#include <tasuki/base/on_all.hpp>
#include <tasuki/file/blocks.hpp>
#include <tasuki/file/hdf5.hpp>
#include <tasuki/file/header.hpp>
#include <tasuki/file/integrity.hpp>
#include <tasuki/file/manifest.hpp>
#include <tasuki/file/part_file.hpp>
#include <tasuki/file/site_file.hpp>
#include <tasuki/file/skeleton.hpp>
#include <tasuki/file/xdmf.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>

namespace tasuki {
namespace {

constexpr const char* kAnotherFile = "use another checkpoint";

std::vector<long> extents_of(const GridCore& grid) {
  return {grid.extents().begin(), grid.extents().begin() + grid.dims()};
}

// Throws Error if the name cannot be the name of an HDF5 dataset.
void check_name(const std::string& name) {
  const bool plain =
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return c >= ' ' && c != '/' && c != 127; });
  if (name.empty() || name == "." || name == ".." || !plain)
    throw Error("a field named '" + name + "' cannot be stored", "give it a name of letters and digits");
}

// Throws Error unless the fields are of one grid and have different names.
template <class Fields>
void check_fields(const std::string& path, const Fields& fields) {
  if (fields.empty()) throw Error("no field was given for " + path, "give at least one");
  std::set<std::string> names;
  for (const FieldCore* field : fields) {
    check_name(field->name());
    if (!names.insert(field->name()).second)
      throw Error("two fields for " + path + " are named '" + field->name() + "'",
                  "give each a name of its own");
    if (extents_of(field->grid()) != extents_of(fields.front()->grid()))
      throw Error(fmt::format("fields '{}' and '{}' for {} are of different grids", fields.front()->name(),
                              field->name(), path),
                  "write one file a grid");
  }
}

Manifest describe(const std::vector<const FieldCore*>& fields, long step,
                  const std::map<std::string, double>& values) {
  Manifest manifest;
  manifest.step = step;
  manifest.extents = extents_of(fields.front()->grid());
  manifest.values = values;
  for (const FieldCore* field : fields)
    manifest.fields.push_back(
        {field->name(), field->type(), field->element_bytes(), field->components(), 0, 0});
  return manifest;
}

// The bytes of all fields, and of the metadata around them.
std::size_t bytes_needed(const Manifest& manifest) {
  std::size_t bytes = 64 * 1024;
  for (const long extent : manifest.extents) bytes += static_cast<std::size_t>(extent) * 8;
  for (const StoredField& field : manifest.fields)
    bytes += manifest.cells() * field.components * field.element_bytes;
  return bytes;
}

void append_manifest(const std::string& name, const std::string& path, const Manifest& manifest,
                     Header& header) {
  const std::string text = to_text(manifest);
  const Descriptor file(name, O_WRONLY);
  if (file.get() < 0) throw_write_error(path, errno);
  header.manifest = file.size();
  header.bytes = header.manifest + text.size();
  header.manifest_hash = hash_bytes(text.data(), text.size(), 0);
  write_at(file.get(), text.data(), text.size(), header.manifest, path);
}

void write_header(const std::string& name, const std::string& path, const Header& header) {
  const auto block = to_block(header);
  const Descriptor file(name, O_WRONLY);
  if (file.get() < 0) throw_write_error(path, errno);
  write_at(file.get(), block.data(), block.size(), 0, path);
}

// The header and the manifest of a file, both verified.
struct Contents {
  std::string block, text;
  Header header;
  Manifest manifest;
};

void parse(const std::string& path, std::uint64_t bytes, Contents& contents) {
  contents.header = parse_header(path, contents.block, bytes);
  contents.manifest = parse_manifest(path, contents.text);
}

Contents read_contents(const std::string& path) {
  const Descriptor file(path, O_RDONLY);
  if (file.get() < 0) throw_read_error(path, errno);
  Contents contents;
  contents.block.resize(std::min(kHeaderBytes, file.size()));
  read_at(file.get(), contents.block.data(), contents.block.size(), 0, path);
  const Header header = parse_header(path, contents.block, file.size());
  if (header.kind == "rows")
    throw Error(path + " holds the results of a run, and no fields", "give a snapshot or checkpoint");
  contents.text.resize(header.bytes - header.manifest);
  read_at(file.get(), contents.text.data(), contents.text.size(), header.manifest, path);
  if (hash_bytes(contents.text.data(), contents.text.size(), 0) != header.manifest_hash)
    throw Error(path + " was altered since it was written: its list of fields is damaged", kAnotherFile);
  parse(path, file.size(), contents);
  return contents;
}

FileInfo info_of(const Contents& contents) {
  return {contents.header.kind, contents.manifest.step, contents.manifest.extents, contents.manifest.values};
}

// Compares the fields of this run with those of the file.
void check_match(const std::string& path, const Manifest& manifest, const std::vector<FieldCore*>& fields) {
  const std::vector<long> extents = extents_of(fields.front()->grid());
  if (manifest.extents != extents)
    throw Error(fmt::format("{} was written for a grid of {}, this run has {}", path,
                            fmt::join(manifest.extents, "x"), fmt::join(extents, "x")),
                fmt::format("run with a grid of {}, or use another file", fmt::join(manifest.extents, "x")));
  for (const FieldCore* field : fields) {
    const StoredField* stored = manifest.find(field->name());
    if (!stored) {
      std::vector<std::string> names;
      for (const StoredField& other : manifest.fields) names.push_back(other.name);
      throw Error(fmt::format("{} has no field '{}'; it has {}", path, field->name(), fmt::join(names, ", ")),
                  "use a file that the same program wrote");
    }
    if (stored->type != field->type() || stored->element_bytes != field->element_bytes() ||
        stored->components != field->components())
      throw Error(fmt::format("field '{}' of {} holds {}, this run's holds {}", field->name(), path,
                              value_text(stored->type, stored->element_bytes, stored->components),
                              value_text(field->type(), field->element_bytes(), field->components())),
                  "run with the precision that it was written with");
  }
}

// Compares the hash of all bytes after the header. If it differs, the checksum of each field shows the altered one.
void verify(World& world, const std::string& path, const Contents& contents) {
  const std::uint64_t hash = hash_file(world, path, path, kHeaderBytes, contents.header.bytes);
  if (hash == contents.header.hash) return;
  std::vector<std::string> altered;
  for (const StoredField& field : contents.manifest.fields) {
    const std::uint64_t count = contents.manifest.cells() * field.components;
    if (checksum_in_file(world, path, field.offset, count, field.element_bytes) != field.checksum)
      altered.push_back("'" + field.name + "'");
  }
  throw Error(
      path + " was altered since it was written: " +
          (altered.empty() ? "the structure around its fields is damaged"
                           : fmt::format("field {} is not what was saved", fmt::join(altered, " and "))),
      kAnotherFile);
}

} // namespace

void save(const std::string& path, const std::string& kind, const std::vector<const FieldCore*>& fields,
          long step, const std::map<std::string, double>& values) {
  check_fields(path, fields);
  if (kind != "snapshot" && kind != "checkpoint")
    throw Error("'" + kind + "' is no kind of file", "use snapshot or checkpoint");
  World& world = fields.front()->grid().world();
  agree(world, "writes a file", {{"path", path}, {"kind", kind}, {"step", std::to_string(step)}});
  const h5::Quiet quiet;
  const IgnoreFileLimitSignal no_signal;

  Manifest manifest = describe(fields, step, values);
  Header header{.kind = kind};
  std::string name = part_name(path);
  share(world, name);           // of rank 0: a symbolic link may have another target on another host
  std::optional<PartFile> part; // on rank 0 only
  std::uint64_t bytes = 0;
  const auto write = [&] {
    on_root(world, [&] {
      part.emplace(path);
      part->reserve(bytes_needed(manifest));
      bytes = write_skeleton(name, path, kind, manifest);
      // The skeleton has truncated the file, so its space is no longer reserved.
      part->reserve(bytes);
    });
    bytes = of_root(world, bytes);
    for (StoredField& field : manifest.fields) field.offset = of_root(world, field.offset);
    check_visible(world, name, path, bytes);

    write_blocks(world, name, path, fields, manifest);
    on_root(world, [&] {
      write_checksums(name, path, manifest);
      append_manifest(name, path, manifest, header);
    });
    header.bytes = of_root(world, header.bytes);
    // Synced on every node, so that the bytes which other nodes read back are those that survive a crash.
    on_all(world, [&] {
      if (world.node_rank() == 0) sync_file(name, path);
    });
    header.hash = hash_file(world, name, path, kHeaderBytes, header.bytes);
    on_root(world, [&] {
      write_header(name, path, header);
      part->commit();
      if (kind != "snapshot") return;
      const std::string xml = xdmf_text(path, manifest);
      if (!xml.empty()) replace_file(xdmf_path(path), xml);
    });
  };
  or_undo(world, write, [&] { part.reset(); });
}

FileInfo load(const std::string& path, const std::vector<FieldCore*>& fields) {
  check_fields(path, fields);
  World& world = fields.front()->grid().world();
  agree(world, "reads a file", {{"path", path}});
  const h5::Quiet quiet;

  Contents contents;
  on_root(world, [&] { contents = read_contents(path); });
  share(world, contents.block);
  share(world, contents.text);
  std::uint64_t bytes = contents.header.bytes;
  bytes = of_root(world, bytes);
  if (world.rank() != 0) parse(path, bytes, contents);

  check_match(path, contents.manifest, fields);
  check_visible(world, path, path, bytes);
  verify(world, path, contents);
  read_blocks(world, path, fields, contents.manifest);
  return info_of(contents);
}

FileInfo inspect(const std::string& path) { return info_of(read_contents(path)); }

std::string hdf5_version() { return fmt::format("{}.{}.{}", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE); }

} // namespace tasuki

#else
#include <tasuki/file/hdf5.hpp>

namespace tasuki {

using h5::throw_absent;

void save(const std::string&, const std::string&, const std::vector<const FieldCore*>&, long,
          const std::map<std::string, double>&) {
  throw_absent();
}
FileInfo load(const std::string&, const std::vector<FieldCore*>&) { throw_absent(); }
FileInfo inspect(const std::string&) { throw_absent(); }
std::string hdf5_version() { return ""; }

} // namespace tasuki

#endif

namespace tasuki {

void save(const std::string& path, const std::string& kind, const std::vector<AnyField>& fields, long step,
          const std::map<std::string, double>& values) {
  std::vector<const FieldCore*> cores;
  for (const AnyField& field : fields) cores.push_back(field.core().get());
  save(path, kind, cores, step, values);
}

FileInfo load(const std::string& path, const std::vector<AnyField>& fields) {
  std::vector<FieldCore*> cores;
  for (const AnyField& field : fields) cores.push_back(field.core().get());
  return load(path, cores);
}

} // namespace tasuki
