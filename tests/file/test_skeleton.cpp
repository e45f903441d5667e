// The structure of a snapshot before it has values: bytes that are stored at its fields' places are what HDF5
// reads as their values.
#include <tasuki/file/skeleton.hpp>
#include <tests/file/folder.hpp>

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/file/hdf5.hpp>
#include <tasuki/file/header.hpp>

#include <hdf5_hl.h>

#include <algorithm>
#include <cstring>
#include <fstream>

namespace tasuki {
namespace {

using h5::Handle;

class Skeletons : public test::InFolder {
protected:
  // A rank makes files of its own: nothing communicates.
  std::string own(const std::string& name) const { return at(name + std::to_string(test::world().rank())); }
};

// Of up to four axes, and of all types but structs, which HDF5 takes as bytes.
Manifest manifest_by_chance(test::Random& random) {
  const std::pair<ValueType, std::size_t> types[] = {
      {ValueType::f32, 4}, {ValueType::f64, 8}, {ValueType::c128, 16}, {ValueType::i16, 2},
      {ValueType::i32, 4}, {ValueType::i64, 8}, {ValueType::bytes, 12}};
  Manifest manifest{
      .step = test::pick(random, 0, 1000000), .extents = {}, .values = {{"a", 0.5}}, .fields = {}};
  for (long d = test::pick(random, 1, 4); d > 0; --d) manifest.extents.push_back(test::pick(random, 1, 5));
  for (long f = test::pick(random, 1, 6); f > 0; --f) {
    const auto& [type, bytes] = types[test::pick(random, 0, 6)];
    StoredField field;
    field.name = "field" + std::to_string(f);
    field.type = type;
    field.element_bytes = bytes;
    field.components = static_cast<int>(test::pick(random, 0, 1) ? 1 : test::pick(random, 2, 4));
    manifest.fields.push_back(field);
  }
  return manifest;
}

std::size_t bytes_of_field(const Manifest& manifest, const StoredField& field) {
  std::size_t bytes = field.element_bytes * static_cast<std::size_t>(field.components);
  for (const long n : manifest.extents) bytes *= static_cast<std::size_t>(n);
  return bytes;
}

std::vector<char> read_by_hdf5(hid_t file, const std::string& name, std::vector<hsize_t>& shape,
                               std::size_t bytes) {
  const Handle set(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "read");
  const Handle space(H5Dget_space(set), H5Sclose, "read"), type(H5Dget_type(set), H5Tclose, "read");
  shape.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  std::vector<char> values(bytes);
  h5::check(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "read");
  return values;
}

bool attached(hid_t file, const std::string& field, const std::string& scale, unsigned place) {
  const Handle set(H5Dopen2(file, field.c_str(), H5P_DEFAULT), H5Dclose, "read"),
      of(H5Dopen2(file, scale.c_str(), H5P_DEFAULT), H5Dclose, "read");
  return H5DSis_attached(set, of, place) > 0;
}

template <class T>
T attribute(hid_t object, const char* name, hid_t type) {
  const Handle there(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, "read");
  T value{};
  h5::check(H5Aread(there, type, &value), "read");
  return value;
}

TEST_F(Skeletons, HaveAPlaceForEachFieldWhereHdf5LooksForIt) {
  test::Random random = test::random(91);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  const char* const axes[] = {"x", "y", "z", "t"};
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Manifest manifest = manifest_by_chance(random);
    const std::string path = own("s.h5");
    const std::uint64_t size = write_skeleton(path, path, "snapshot", manifest);
    EXPECT_EQ(size, std::filesystem::file_size(path));
    // Places of their own, behind the header.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> places{{0, kHeaderBytes}};
    for (const StoredField& field : manifest.fields)
      places.emplace_back(field.offset, field.offset + bytes_of_field(manifest, field));
    std::sort(places.begin(), places.end());
    for (std::size_t k = 1; k < places.size(); ++k) EXPECT_LE(places[k - 1].second, places[k].first);
    EXPECT_LE(places.back().second, size);

    std::vector<std::vector<char>> values;
    {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      for (StoredField& field : manifest.fields) {
        std::vector<char>& bytes = values.emplace_back(bytes_of_field(manifest, field));
        for (char& byte : bytes) byte = static_cast<char>(random());
        file.seekp(static_cast<long>(field.offset)).write(bytes.data(), static_cast<long>(bytes.size()));
        field.checksum = random();
      }
    }
    write_checksums(path, path, manifest);
    const Handle access = h5::file_access();
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "read");
    EXPECT_EQ(attribute<long>(file, "step", H5T_NATIVE_LONG), manifest.step);
    for (std::size_t f = 0; f < manifest.fields.size(); ++f) {
      const StoredField& field = manifest.fields[f];
      const std::string name = "fields/" + field.name;
      std::vector<hsize_t> shape, due; // components slowest, x fastest
      if (field.components > 1) due.push_back(static_cast<hsize_t>(field.components));
      for (std::size_t a = manifest.extents.size(); a-- > 0;)
        due.push_back(static_cast<hsize_t>(manifest.extents[a]));
      EXPECT_TRUE(read_by_hdf5(file, name, shape, values[f].size()) == values[f]) << name;
      EXPECT_EQ(shape, due);
      const Handle set(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "read");
      EXPECT_EQ(attribute<std::uint64_t>(set, "checksum", H5T_NATIVE_UINT64), field.checksum);
      for (std::size_t a = 0; a < manifest.extents.size(); ++a)
        EXPECT_TRUE(attached(file, name, axes[a], static_cast<unsigned>(due.size() - 1 - a))) << axes[a];
      if (field.components > 1) {
        EXPECT_TRUE(attached(file, name, "component_" + std::to_string(field.components), 0));
      }
    }
    for (std::size_t a = 0; a < manifest.extents.size(); ++a) { // a scale counts
      std::vector<hsize_t> shape;
      std::vector<long> counts(static_cast<std::size_t>(manifest.extents[a])), due;
      for (long k = 0; k < manifest.extents[a]; ++k) due.push_back(k);
      const std::vector<char> bytes = read_by_hdf5(file, axes[a], shape, counts.size() * sizeof(long));
      std::memcpy(counts.data(), bytes.data(), bytes.size());
      EXPECT_EQ(counts, due);
    }
  }
}

TEST_F(Skeletons, OfOneManifestAreTheSameBytes) {
  test::Random random = test::random(92);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 5; ++round) {
    Manifest manifest = manifest_by_chance(random), again = manifest;
    write_skeleton(own("one.h5"), "one.h5", "checkpoint", manifest);
    write_skeleton(own("other.h5"), "other.h5", "checkpoint", again);
    EXPECT_EQ(to_text(again), to_text(manifest));
    // What HDF5 leaves in the fields' places is not its structure.
    std::string one = bytes_of(own("one.h5")), other = bytes_of(own("other.h5"));
    for (const StoredField& field : manifest.fields)
      for (std::string* bytes : {&one, &other})
        bytes->replace(field.offset, bytes_of_field(manifest, field), bytes_of_field(manifest, field), '-');
    EXPECT_TRUE(one == other);
  }
}

TEST_F(Skeletons, NameThePathWhereTheyCannotBeWritten) {
  const h5::Quiet quiet;
  Manifest manifest{.step = 1, .extents = {2}, .values = {}, .fields = {}};
  try {
    write_skeleton(own("no/folder/s.h5"), "the path", "snapshot", manifest);
    ADD_FAILURE() << "it was written";
  } catch (const Error& fault) {
    EXPECT_NE(std::string(fault.what()).find("cannot write the path"), std::string::npos) << fault.what();
  }
}

} // namespace
} // namespace tasuki
#endif
