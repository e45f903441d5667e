// Files whose rows are filled in: what was written is read, by HDF5 as well, and they grow without losing a row.
#include <tasuki/file/checkpoint.hpp>
#include <tasuki/file/row_file.hpp>
#include <tests/file/folder.hpp>

#include <random>

#ifdef TASUKI_HAVE_HDF5
#include <hdf5.h>
#endif

namespace tasuki {
namespace {

using test::world;

class RowFiles : public test::InFolder {
protected:
  void SetUp() override {
    InFolder::SetUp();
    if (hdf5_version().empty()) GTEST_SKIP() << "no HDF5 in this build";
    path_ = at("rows-" + std::to_string(world().rank()) + ".h5"); // each rank its own: nothing communicates
  }

  static RowLayout layout(long rows) {
    return {{{"/", {{"format", std::string("test")}, {"number", 3L}}},
             {"/a", {{"names", std::vector<std::string>{"one", "three"}}, {"x", std::vector<double>{0.5}}}}},
            {{"/a/fixed", {2, 2}, std::vector<double>{1, 2, 3, 4}}},
            {{"/a/rows", ValueType::i64},
             {"/a/b/table", ValueType::f64, rows, {3}},
             {"/a/list", ValueType::i32, rows}}};
  }

  std::string path_;
};

TEST_F(RowFiles, HoldWhatWasWritten) {
  RowFile::create(path_, layout(10));
  RowFile file(path_, layout(10).columns);
  const std::vector<double> table{1, 2, 3, 4, 5, 6};
  const std::vector<int> list{7, 8};
  file.write("/a/b/table", 4, table.data(), 2);
  file.write("/a/list", 8, list.data(), 2);
  file.sync();
  std::vector<double> back(9);
  file.read("/a/b/table", 3, back.data(), 3);
  EXPECT_EQ(back, (std::vector<double>{0, 0, 0, 1, 2, 3, 4, 5, 6}));
  EXPECT_THROW(file.write("/a/list", 9, list.data(), 2), Error);
  EXPECT_THROW(file.write("/a/none", 0, list.data(), 1), Error);
#ifdef TASUKI_HAVE_HDF5
  const hid_t opened = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = H5Dopen2(opened, "/a/list", H5P_DEFAULT),
              fixed = H5Dopen2(opened, "/a/fixed", H5P_DEFAULT);
  std::vector<int> all(10);
  std::vector<double> four(4);
  H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data());
  H5Dread(fixed, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, four.data());
  H5Dclose(set);
  H5Dclose(fixed);
  H5Fclose(opened);
  EXPECT_EQ(all, (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0, 7, 8}));
  EXPECT_EQ(four, (std::vector<double>{1, 2, 3, 4}));
#endif
}

TEST_F(RowFiles, GrowAndShrinkAndKeepTheirRows) {
  RowFile::create(path_, layout(5));
  const std::vector<int> list{1, 2, 3, 4, 5, 6, 7, 8};
  RowFile(path_, layout(5).columns).write("/a/list", 0, list.data(), 5);
  fit_rows(path_, layout(8));
  RowFile grown(path_, layout(1).columns);
  EXPECT_EQ(grown.rows("/a/list"), 8);
  std::vector<int> back(8, -1);
  grown.read("/a/list", 0, back.data(), 8);
  EXPECT_EQ(back, (std::vector<int>{1, 2, 3, 4, 5, 0, 0, 0}));
  fit_rows(path_, layout(3));
  RowFile(path_, layout(3).columns).read("/a/list", 0, back.data(), 3);
  EXPECT_EQ(back[2], 3);
  EXPECT_THROW(RowFile(path_, layout(3).columns).read("/a/list", 0, back.data(), 4), Error);
}

TEST_F(RowFiles, RefuseOthers) {
  RowFile::create(path_, layout(5));
  std::vector<Column> columns = layout(5).columns;
  columns[1].shape = {4};
  EXPECT_THROW(RowFile(path_, columns), Error);
  columns[1].shape = {3};
  columns[2].type = ValueType::f32;
  EXPECT_THROW(RowFile(path_, columns), Error);
  EXPECT_THROW(RowFile(at("none.h5"), layout(5).columns), Error);
  EXPECT_THROW(RowFile::create(at("no/folder.h5"), layout(5)), Error);
}

#ifdef TASUKI_HAVE_HDF5
// Every bit of a small file, in random order up to a limit: reading refuses it, or gives what was written.
TEST_F(RowFiles, AreRefusedOrReadAsTheyWereWritten) {
  RowFile::create(path_, layout(6));
  const std::vector<double> table{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<int> list{7, 8, 9};
  const std::int64_t rows = 3;
  {
    RowFile file(path_, layout(6).columns);
    file.write("/a/b/table", 0, table.data(), 3);
    file.write("/a/list", 0, list.data(), 3);
    file.write_last("/a/rows", 0, &rows);
  }
  std::string whole = bytes_of(path_);
  std::mt19937_64 chance(test::seed() + static_cast<unsigned>(world().rank()));
  long refused = 0, same = 0;
  for (int n = 0; n < 400; ++n) {
    const std::size_t bit = chance() % (whole.size() * 8);
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    std::ofstream(path_, std::ios::binary) << flipped;
    std::vector<double> back(9);
    std::vector<int> ints(3);
    std::int64_t count = 0;
    try {
      const RowFile file(path_, layout(6).columns);
      file.read("/a/rows", 0, &count);
      file.read("/a/b/table", 0, back.data(), 3);
      file.read("/a/list", 0, ints.data(), 3);
      EXPECT_TRUE(back == table && ints == list && count == rows) << "bit " << bit;
      ++same;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(path_), std::string::npos) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(same, 0); // in rows that are not there yet
  // One of the numbers that are read, for sure.
  const double five = 5;
  std::string text(reinterpret_cast<const char*>(&five), 8);
  whole[whole.find(text) + 3] ^= 4;
  std::ofstream(path_, std::ios::binary) << whole;
  std::vector<double> back(9);
  const RowFile file(path_, layout(6).columns);
  try {
    file.read("/a/b/table", 0, back.data(), 3);
    ADD_FAILURE() << "it was read";
  } catch (const Error& error) {
    EXPECT_NE(
        std::string(error.what()).find("/a/b/table of " + path_ + " is not what was written, in row 1; "),
        std::string::npos)
        << error.what();
  }
}

// A row that is written again is whole whatever ends the run: with the new hash and the old row, and with both.
TEST_F(RowFiles, AreWholeAtEachMomentOfAWrite) {
  RowFile::create(path_, layout(4));
  RowFile file(path_, layout(4).columns);
  for (std::int64_t value = 1; value < 6; ++value) {
    const std::string before = bytes_of(path_);
    file.write_last("/a/rows", 0, &value);
    const std::string after = bytes_of(path_);
    // The hash is one place of eight bytes, the row another: each of them alone has to do.
    std::string half = before;
    std::size_t differs = 0;
    for (std::size_t at = 0; at < after.size(); ++at)
      if (before[at] != after[at]) ++differs;
    EXPECT_GT(differs, 0u);
    // The row lies before its sums; take all changes behind the row's place, which are the sums.
    std::size_t row = 0;
    while (before[row] == after[row]) ++row;
    half.replace(row + 8, std::string::npos, after.substr(row + 8));
    std::ofstream(path_, std::ios::binary) << half;
    std::int64_t back = -1;
    RowFile(path_, layout(4).columns).read("/a/rows", 0, &back);
    EXPECT_EQ(back, value - 1);
    std::ofstream(path_, std::ios::binary) << after;
    RowFile(path_, layout(4).columns).read("/a/rows", 0, &back);
    EXPECT_EQ(back, value);
  }
}

// As an older Tasuki laid it out: without a header, and without sums.
TEST_F(RowFiles, OfAnOlderTasukiAreReadAndGoneOnWith) {
  {
    const hid_t file = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "/a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t inner = H5Gcreate2(file, "/a/b", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const auto put = [&](const char* name, hid_t type, std::vector<hsize_t> shape, const void* values) {
      const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
      const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
      H5Dclose(set);
      H5Sclose(space);
    };
    const std::int64_t rows = 2;
    const std::vector<double> table{1, 2, 3, 4, 5, 6};
    const std::vector<int> list{7, 8};
    put("/a/rows", H5T_NATIVE_INT64, {1}, &rows);
    put("/a/b/table", H5T_NATIVE_DOUBLE, {2, 3}, table.data());
    put("/a/list", H5T_NATIVE_INT, {2}, list.data());
    H5Gclose(inner);
    H5Gclose(group);
    H5Fclose(file);
  }
  std::vector<int> list(3);
  RowFile(path_, layout(2).columns).read("/a/list", 0, list.data(), 2);
  EXPECT_EQ(list, (std::vector<int>{7, 8, 0}));
  fit_rows(path_, layout(3)); // and from now on it is checked
  RowFile grown(path_, layout(3).columns);
  grown.read("/a/list", 0, list.data(), 3);
  EXPECT_EQ(list, (std::vector<int>{7, 8, 0}));
  std::string text = bytes_of(path_);
  EXPECT_EQ(text.rfind("TASUKI ", 0), 0u);
}
#endif

} // namespace
} // namespace tasuki
