// Propagators and spinors in HDF5: the numbers of the SciDAC reader, the same bytes of any ranks, and what is
// refused.
#include <apps/wilson/format/hdf5_spinors.hpp>
#include <tasuki/file/array_file.hpp>
#include <tests/apps/wilson/format_files.hpp>

#include <cstring>
#include <limits>

namespace tasuki::wilson::test {
namespace {

class Hdf5Spinors : public InFolder {
protected:
  Columns columns_of(const Lattice& lattice, int count, std::uint64_t stream) const {
    Columns columns;
    for (int c = 0; c < count; ++c) {
      tasuki::test::Random random = tasuki::test::random(stream + static_cast<std::uint64_t>(c));
      std::normal_distribution<double> normal;
      std::vector<double> whole(static_cast<std::size_t>(sites_of(lattice.extents()) * 24));
      for (double& number : whole) number = normal(random);
      columns.push_back(part_of(lattice, whole, 24));
    }
    return columns;
  }
};

TEST(Hdf5Names, AreToldByTheirEnding) {
  EXPECT_TRUE(is_hdf5_name("a/b.h5"));
  EXPECT_TRUE(is_hdf5_name("b.lime.hdf5"));
  EXPECT_FALSE(is_hdf5_name("a.h5/b.lime"));
  EXPECT_FALSE(is_hdf5_name("h5"));
}

#ifdef TASUKI_HAVE_HDF5

TEST_F(Hdf5Spinors, AreThoseOfSciDac) {
  const Lattice lattice(world(), {4, 2, 6, 8});
  const Columns columns = columns_of(lattice, 12, 20), one{columns[3]};
  for (const int number_bytes : {4, 8})
    for (const bool change : {false, true}) {
      const SpinorOptions options{.number_bytes = number_bytes, .change_basis = change};
      write_propagator(lattice, at("p.lime"), columns, options);
      write_propagator(lattice, at("p.h5"), columns, options);
      write_spinors(lattice, at("s.lime"), one, options);
      write_spinors(lattice, at("s.hdf5"), one, options);
      const SpinorOptions raw{.change_basis = false};
      EXPECT_EQ(read_propagator(lattice, at("p.h5"), raw), read_propagator(lattice, at("p.lime"), raw));
      EXPECT_EQ(read_spinors(lattice, at("s.hdf5"), raw), read_spinors(lattice, at("s.lime"), raw));
      // Who asks for memory's basis gets it: a file of it is not changed.
      const Columns ours = read_propagator(lattice, at(change ? "p.lime" : "p.h5"), {.change_basis = change});
      EXPECT_EQ(read_propagator(lattice, at("p.h5")), ours);
      MPI_Barrier(world().comm());
    }
  write_propagator(lattice, at("p.h5"), columns, {.change_basis = false});
  EXPECT_EQ(read_propagator(lattice, at("p.h5")), columns);
  on_root(world(), [&] { std::filesystem::rename(at("p.h5"), at("p.dat")); });
  EXPECT_EQ(read_propagator(lattice, at("p.dat")), columns) << "another name";
}

TEST_F(Hdf5Spinors, SayWhatTheyAre) {
  const Lattice lattice(world(), {4, 2, 6, 8});
  write_propagator(lattice, at("p.h5"), columns_of(lattice, 12, 40),
                   {.note = "a < b", .attributes = {{"kappa", 0.12}, {"source", std::string("wall")}}});
  const ArrayInfo info = inspect_array(at("p.h5"), "propagator");
  EXPECT_EQ(info.shape, (std::vector<long>{8, 6, 2, 4, 4, 3, 4, 3}));
  EXPECT_EQ(info.type, ValueType::c128);
  EXPECT_EQ(info.texts.at("gamma_basis"), "DeGrand-Rossi");
  EXPECT_EQ(info.texts.at("note"), "a < b");
  EXPECT_EQ(info.texts.at("source"), "wall");
}

// Where a number of sink (spin, colour) and of column stands, by hand.
TEST_F(Hdf5Spinors, HaveTheSinkBeforeTheSource) {
  const Lattice lattice(world(), {2, 2, 4, 4});
  Columns columns(12, std::vector<double>(static_cast<std::size_t>(lattice.owned_sites() * 24)));
  for (std::size_t c = 0; c < 12; ++c)
    for (std::size_t k = 0; k < columns[c].size(); ++k)
      columns[c][k] = 1000 * static_cast<double>(c) + static_cast<double>(k % 24);
  write_propagator(lattice, at("p.h5"), columns, {.change_basis = false});
  Index extents{};
  for (int a = 0; a < kAxes; ++a) extents[a] = lattice.extents()[a];
  const CellArray array{.name = "propagator", .extents = extents, .cell = {4, 3, 4, 3}};
  read_array(world(), at("p.h5"), array, lattice.owned(), [&](const CellPiece& piece) {
    std::vector<double> numbers(piece.bytes.size() / 8);
    std::memcpy(numbers.data(), piece.bytes.data(), piece.bytes.size());
    for (std::size_t n = 0; n < numbers.size(); ++n) {
      const std::size_t part = n % 2, source = n / 2 % 12, sink = n / 24 % 12;
      ASSERT_EQ(numbers[n], 1000 * static_cast<double>(source) + static_cast<double>(2 * sink + part));
    }
  });
}

TEST_F(Hdf5Spinors, ThatAreNoneAreRefused) {
  const Lattice lattice(world(), {4, 2, 2, 4}), other(world(), {2, 4, 2, 4});
  Columns columns = columns_of(lattice, 12, 80);
  const std::string path = at("p.h5"), source = at("s.h5");
  write_propagator(lattice, path, columns);
  write_spinors(lattice, source, {columns[0]});
  const std::string bytes = bytes_of(path);
  MPI_Barrier(world().comm());
  const auto fault = [&](const std::string& changed) {
    make(path, changed);
    const std::string text = fault_of([&] { read_propagator(lattice, path); });
    MPI_Barrier(world().comm());
    return text;
  };
  EXPECT_TRUE(
      has(fault_of([&] { read_propagator(lattice, source); }), "no dataset 'propagator'; it has spinor"));
  EXPECT_TRUE(has(fault_of([&] { read_spinors(lattice, path); }), "no dataset 'spinor'; it has propagator"));
  EXPECT_TRUE(has(fault_of([&] { read_propagator(other, path); }), "4x2x2x4 sites, not 2x4x2x4"));
  EXPECT_TRUE(has(fault_of([&] { read_propagator(lattice, at("none.h5")); }), "there is no file"));
  std::string changed = bytes;
  changed[bytes.size() / 2] ^= 4;
  EXPECT_TRUE(has(fault(changed), "is not what its checksum says"));
  EXPECT_TRUE(has(fault(bytes.substr(0, bytes.size() / 2)), "truncated file"));
  EXPECT_TRUE(has(fault(""), "cannot read"));
  EXPECT_TRUE(has(fault("no HDF5"), "cannot read"));

  // What another program calls so.
  Index extents{};
  for (int a = 0; a < kAxes; ++a) extents[a] = lattice.extents()[a];
  const auto fault_of_array = [&](CellArray array, double number) {
    write_array(world(), path, array, lattice.owned(), [&](CellPiece& piece) {
      std::vector<double> numbers(piece.bytes.size() / 8, number);
      std::memcpy(piece.bytes.data(), numbers.data(), piece.bytes.size());
    });
    const std::string text = fault_of([&] { read_propagator(lattice, path); });
    MPI_Barrier(world().comm());
    return text;
  };
  const CellArray right{.name = "propagator", .extents = extents, .cell = {4, 3, 4, 3}};
  CellArray wrong = right;
  EXPECT_EQ(fault_of_array(right, 0.5), "");
  EXPECT_TRUE(
      has(fault_of_array(right, std::numeric_limits<double>::quiet_NaN()), "at (0, 0, 0, 0) holds a number"));
  wrong.cell = {4, 4, 3, 3};
  EXPECT_TRUE(
      has(fault_of_array(wrong, 0.5), "has shape (4, 2, 2, 4, 4, 4, 3, 3), not (4, 2, 2, 4, 4, 3, 4, 3)"));
  wrong.cell = {4, 3};
  EXPECT_TRUE(has(fault_of_array(wrong, 0.5), "has shape (4, 2, 2, 4, 4, 3), not"));
  wrong = right;
  wrong.type = ValueType::f64;
  EXPECT_TRUE(has(fault_of_array(wrong, 0.5), "holds real numbers of 8 bytes, not complex"));
  wrong = right;
  wrong.attributes = {{"gamma_basis", std::string("chiral")}};
  EXPECT_TRUE(has(fault_of_array(wrong, 0.5), "has the gamma_basis 'chiral'"));

  EXPECT_TRUE(has(fault_of([&] {
                    write_spinors(lattice, path, {columns[0], columns[1]});
                  }),
                  "cannot hold 2 fields"));
  columns[3][0] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(has(fault_of([&] { write_propagator(lattice, at("never.h5"), columns); }), "is not written"));
  EXPECT_FALSE(std::filesystem::exists(at("never.h5")));
}

#else

TEST_F(Hdf5Spinors, AskForABuildThatHasIt) {
  const Lattice lattice(world(), {2, 2, 2, 2});
  const Columns columns = columns_of(lattice, 12, 80);
  EXPECT_TRUE(has(fault_of([&] { write_propagator(lattice, at("p.h5"), columns); }), "no HDF5"));
  EXPECT_TRUE(has(fault_of([&] { read_propagator(lattice, at("p.h5")); }), "no HDF5"));
}

#endif

} // namespace
} // namespace tasuki::wilson::test
