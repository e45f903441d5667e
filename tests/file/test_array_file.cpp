// Arrays over a grid's cells in HDF5 files: any box of what was written is read, and what is refused.
#include <tasuki/file/array_file.hpp>
#include <tests/file/folder.hpp>

#ifdef TASUKI_HAVE_HDF5
#include <hdf5.h>

#include <cstring>

namespace tasuki::test {
namespace {

constexpr Index kExtents{6, 5, 4};

// Number k of the cell at a place.
double number_at(std::uint64_t place, std::size_t k) {
  return static_cast<double>(place) + 0.25 * static_cast<double>(k);
}

// This rank's part of the box: slices of the axis.
Box slices(int axis) {
  Box box = box_of(3, kExtents);
  const long n = kExtents[axis], ranks = world().size(), rank = world().rank();
  box.lo[axis] = n * rank / ranks;
  box.hi[axis] = n * (rank + 1) / ranks;
  return box;
}

CellArray array_of(ValueType type) {
  return {.name = "a", .type = type, .extents = kExtents, .cell = {2, 3}};
}

template <class Real>
std::vector<Real> reals_of(const CellPiece& piece) {
  std::vector<Real> reals(piece.bytes.size() / sizeof(Real));
  std::memcpy(reals.data(), piece.bytes.data(), piece.bytes.size());
  return reals;
}

template <class Real>
void write(const std::string& path, const CellArray& array, const Box& box) {
  const std::size_t count = array.cell_bytes() / sizeof(Real);
  write_array(world(), path, array, box, [&](CellPiece& piece) {
    std::vector<Real> reals;
    for (const std::uint64_t place : piece.places)
      for (std::size_t k = 0; k < count; ++k) reals.push_back(static_cast<Real>(number_at(place, k)));
    ASSERT_EQ(piece.bytes.size(), reals.size() * sizeof(Real));
    std::memcpy(piece.bytes.data(), reals.data(), piece.bytes.size());
  });
}

// Each cell of the box comes once, in the box's order, as it was written.
template <class Real>
void expect_read(const std::string& path, const CellArray& array, const Box& box) {
  const std::size_t count = array.cell_bytes() / sizeof(Real);
  std::vector<std::uint64_t> wanted, places;
  for_runs(box, kExtents, [&](std::uint64_t place, long cells) {
    for (long i = 0; i < cells; ++i) wanted.push_back(place + static_cast<std::uint64_t>(i));
  });
  read_array(world(), path, array, box, [&](const CellPiece& piece) {
    EXPECT_EQ(piece.first, static_cast<long>(places.size()));
    places.insert(places.end(), piece.places.begin(), piece.places.end());
    const std::vector<Real> reals = reals_of<Real>(piece);
    ASSERT_EQ(reals.size(), piece.places.size() * count);
    for (std::size_t i = 0; i < piece.places.size(); ++i)
      for (std::size_t k = 0; k < count; ++k)
        ASSERT_EQ(reals[i * count + k], static_cast<Real>(number_at(piece.places[i], k)));
  });
  EXPECT_EQ(places, wanted);
}

class ArrayFiles : public InFolder {};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(ArrayFiles, HoldWhatWasWritten) {
  for (int axis = 0; axis < 3; ++axis) {
    write<double>(at("c128"), array_of(ValueType::c128), slices(axis));
    write<float>(at("c64"), array_of(ValueType::c64), slices(axis));
    write<double>(at("f64"), array_of(ValueType::f64), slices(axis));
    write<float>(at("f32"), array_of(ValueType::f32), slices(axis));
    for (const Box& box : {slices(2), slices((axis + 1) % 3)}) {
      expect_read<double>(at("c128"), array_of(ValueType::c128), box);
      expect_read<float>(at("c64"), array_of(ValueType::c64), box);
      expect_read<double>(at("f64"), array_of(ValueType::f64), box);
      expect_read<float>(at("f32"), array_of(ValueType::f32), box);
      // The numbers are few enough that no width rounds them.
      expect_read<double>(at("c64"), array_of(ValueType::c128), box);
      expect_read<float>(at("c128"), array_of(ValueType::c64), box);
    }
    MPI_Barrier(world().comm());
  }
}

TEST_F(ArrayFiles, HaveTheSameBytesOfAnyRanks) {
  CellArray array = array_of(ValueType::c128);
  array.attributes = {{"b", 0.5}, {"note", std::string("twelve")}};
  write<double>(at("one"), array, world().rank() == 0 ? box_of(3, kExtents) : Box{.dims = 3});
  write<double>(at("all"), array, slices(1));
  const std::string one = bytes_of(at("one")), all = bytes_of(at("all"));
  EXPECT_EQ(one, all);
  EXPECT_FALSE(std::filesystem::exists(part_name(at("all"))));
}

TEST_F(ArrayFiles, SayWhatTheyHold) {
  CellArray array = array_of(ValueType::c64);
  array.axes = {"z", "y", "x", "spin", "colour"};
  array.attributes = {{"b", 0.5}, {"note", std::string("twelve")}};
  write<float>(at("a"), array, slices(0));
  const ArrayInfo info = inspect_array(at("a"), "a");
  EXPECT_EQ(info.shape, (std::vector<long>{4, 5, 6, 2, 3}));
  EXPECT_EQ(info.type, ValueType::c64);
  EXPECT_EQ(info.numbers, "complex numbers of 8 bytes");
  EXPECT_EQ(info.texts.at("note"), "twelve");
  EXPECT_EQ(info.texts.count("b"), 0u);
}

// Of chunks that no slice ends with, packed, of another order of bytes.
TEST_F(ArrayFiles, OfChunksAndOtherNumbersAreReadToo) {
  on_root(world(), [&] {
    const hsize_t shape[] = {4, 5, 6, 2, 3}, chunk[] = {3, 2, 4, 1, 2};
    std::vector<double> numbers;
    for (std::uint64_t place = 0; place < 120; ++place)
      for (std::size_t k = 0; k < 6; ++k) numbers.push_back(number_at(place, k));
    const hid_t file = H5Fcreate(at("a").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(5, shape, nullptr), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, 5, chunk);
    H5Pset_shuffle(how);
    H5Pset_deflate(how, 6);
    const auto keep = [&](const char* name, hid_t type) {
      const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
      EXPECT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), 0);
      H5Dclose(set);
    };
    keep("a", H5T_IEEE_F32BE); // no list of both: nvcc loses the parentheses of HDF5's macros in one
    keep("other", H5T_STD_I32LE);
    H5Pclose(how);
    H5Sclose(space);
    EXPECT_GE(H5Fclose(file), 0);
  });
  EXPECT_EQ(inspect_array(at("a"), "a").type, ValueType::f32);
  for (int axis = 0; axis < 3; ++axis) {
    expect_read<float>(at("a"), array_of(ValueType::f32), slices(axis));
    expect_read<double>(at("a"), array_of(ValueType::f64), slices(axis));
  }
  const auto fault = [&](const std::string& name, ValueType type) {
    CellArray array = array_of(type);
    array.name = name;
    return fault_of([&] { read_array(world(), at("a"), array, slices(0), [](const CellPiece&) {}); });
  };
  EXPECT_TRUE(has(fault("a", ValueType::c64), "holds real numbers of 4 bytes, not complex numbers"));
  EXPECT_TRUE(has(fault("other", ValueType::f64), "holds integers of 4 bytes, not real numbers"));
  EXPECT_TRUE(has(fault("another", ValueType::f64), "has no dataset 'another'; it has a, other"));
}

TEST_F(ArrayFiles, ThatAreNoneAreRefused) {
  const CellArray array = array_of(ValueType::c128);
  write<double>(at("a"), array, slices(0));
  const std::string bytes = bytes_of(at("a"));
  const auto fault = [&](const std::string& path, const CellArray& wanted) {
    return fault_of([&] { read_array(world(), path, wanted, slices(0), [](const CellPiece&) {}); });
  };
  const auto fault_of_bytes = [&](const std::string& changed) {
    make(at("changed"), changed);
    const std::string text = fault(at("changed"), array);
    MPI_Barrier(world().comm());
    return text;
  };
  EXPECT_EQ(fault_of_bytes(bytes), "");
  EXPECT_TRUE(has(fault_of_bytes(bytes.substr(0, bytes.size() / 2)), "truncated file"));
  EXPECT_TRUE(has(fault_of_bytes(""), "cannot read"));
  EXPECT_TRUE(has(fault_of_bytes("no HDF5"), "cannot read"));
  std::string changed = bytes;
  changed[bytes.size() / 2] ^= 4;
  EXPECT_TRUE(has(fault_of_bytes(changed), "is not what its checksum says"));
  EXPECT_TRUE(has(fault(at("none"), array), "there is no file"));
  CellArray other = array;
  other.cell = {3, 2};
  EXPECT_TRUE(has(fault(at("a"), other), "has shape (4, 5, 6, 2, 3), not (4, 5, 6, 3, 2)"));
  other = array;
  other.type = ValueType::i32;
  EXPECT_TRUE(has(fault(at("a"), other), "real or complex numbers only"));
  other = array;
  other.name = "b";
  EXPECT_TRUE(has(fault(at("a"), other), "has no dataset 'b'; it has a"));
  EXPECT_TRUE(has(fault_of([&] { write<double>(at("no/a"), array, slices(0)); }), "does not exist"));
}

} // namespace
} // namespace tasuki::test
#endif
