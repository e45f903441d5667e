// The room's way to call HDF5: faults are Errors with HDF5's reason, types and shapes are those that h5py has.
#include <tasuki/file/hdf5.hpp>
#include <tests/file/folder.hpp>

namespace tasuki {
namespace {

#ifdef TASUKI_HAVE_HDF5
class Hdf5 : public test::InFolder {};

TEST_F(Hdf5, FaultsAreErrorsWithAReason) {
  const h5::Quiet quiet;
  try {
    const h5::Handle file(H5Fopen(at("none.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose,
                          "read none.h5");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).rfind("cannot read none.h5 (HDF5: ", 0), 0u) << error.what();
  }
  h5::check(0, "nothing");
}

TEST_F(Hdf5, ShapesAreSlowestFirst) {
  EXPECT_EQ(h5::shape_of({5, 4, 3}, 1), (std::vector<hsize_t>{3, 4, 5}));
  EXPECT_EQ(h5::shape_of({5, 4}, 2), (std::vector<hsize_t>{2, 4, 5}));
}

TEST_F(Hdf5, ComplexNumbersArePairsAndStructsAreBytes) {
  const h5::Handle pair = h5::value_type(ValueType::c64, 8), bytes = h5::value_type(ValueType::bytes, 24);
  EXPECT_EQ(H5Tget_class(pair), H5T_COMPOUND);
  EXPECT_EQ(H5Tget_nmembers(pair), 2);
  EXPECT_EQ(H5Tget_size(pair), 8u);
  EXPECT_EQ(H5Tget_class(bytes), H5T_OPAQUE);
  EXPECT_EQ(H5Tget_size(bytes), 24u);
}

// Attributes that are written twice, and equal files of equal calls.
TEST_F(Hdf5, AttributesAreReplacedAndFilesHaveNoTimes) {
  const auto write = [&](const std::string& path) {
    const h5::Handle how = h5::without_times(H5P_FILE_CREATE, "write"), access = h5::file_access();
    const h5::Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, how, access), H5Fclose, "write");
    h5::write_attribute(file, "n", 1L);
    h5::write_attribute(file, "n", 2L);
    h5::write_attribute(file, "words", std::vector<std::string>{"a", "longer"});
  };
  const std::string one = at("one" + std::to_string(test::world().rank())), other = one + "x";
  write(one);
  write(other);
  EXPECT_EQ(bytes_of(one), bytes_of(other));
  const h5::Handle file(H5Fopen(one.c_str(), H5F_ACC_RDONLY, h5::file_access()), H5Fclose, "read");
  const h5::Handle attribute(H5Aopen(file, "n", H5P_DEFAULT), H5Aclose, "read");
  long n = 0;
  h5::check(H5Aread(attribute, H5T_NATIVE_LONG, &n), "read");
  EXPECT_EQ(n, 2);
}
#else
TEST(Hdf5, SaysThatItIsNotThere) {
  try {
    h5::throw_absent();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).rfind("this build has no HDF5; ", 0), 0u);
  }
}
#endif

} // namespace
} // namespace tasuki
