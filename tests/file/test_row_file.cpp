// Files whose rows are filled in: what was written is read, by HDF5 as well, and they grow without losing a row.
#include <tasuki/file/checkpoint.hpp>
#include <tasuki/file/row_file.hpp>
#include <tests/file/folder.hpp>

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

} // namespace
} // namespace tasuki
