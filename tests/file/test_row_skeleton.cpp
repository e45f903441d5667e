// The structure of a file of rows: numbers that are stored at its rows' places are what HDF5 reads, rows and
// their sums may change, and no other byte of the file may.
#include <tasuki/file/row_skeleton.hpp>
#include <tests/file/folder.hpp>

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/file/hdf5.hpp>
#include <tasuki/file/header.hpp>
#include <tests/checks.hpp>

#include <algorithm>
#include <fstream>

namespace tasuki {
namespace {

using h5::Handle;

class RowSkeletons : public test::InFolder {
protected:
  void SetUp() override {
    InFolder::SetUp();
    path_ =
        at("rows-" + std::to_string(test::world().rank()) + ".h5"); // each rank its own: nothing communicates
  }
  std::string path_;
};

// Columns in groups of several depths, of all types of numbers; of some rows, and of none.
RowLayout layout_by_chance(test::Random& random) {
  const ValueType types[] = {ValueType::i16, ValueType::i32, ValueType::i64, ValueType::f32, ValueType::f64};
  RowLayout layout{{{"/", {{"format", std::string("test")}}}, {"/a/b", {{"names", std::vector<long>{1, 2}}}}},
                   {{"/a/fixed", {2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}}},
                   {}};
  const char* const groups[] = {"/", "/a/", "/a/b/", "/c/d/e/"};
  for (long n = test::pick(random, 1, 6); n > 0; --n) {
    Column column{groups[test::pick(random, 0, 3)] + ("column" + std::to_string(n)),
                  types[test::pick(random, 0, 4)], test::pick(random, 1, 9)};
    for (long d = test::pick(random, 0, 2); d > 0; --d) column.shape.push_back(test::pick(random, 1, 4));
    layout.columns.push_back(column);
  }
  return layout;
}

std::size_t bytes_of_row(const Column& column) {
  std::size_t bytes = column.type == ValueType::i16                                    ? 2
                      : column.type == ValueType::i32 || column.type == ValueType::f32 ? 4
                                                                                       : 8;
  for (const long n : column.shape) bytes *= static_cast<std::size_t>(n);
  return bytes;
}

TEST_F(RowSkeletons, HaveRowsWhereHdf5LooksForThem) {
  test::Random random = test::random(93);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const RowLayout layout = layout_by_chance(random);
    write_row_skeleton(path_, path_, layout);
    const auto places = find_rows(path_, layout.columns);
    ASSERT_EQ(places.size(), layout.columns.size());
    std::vector<std::pair<std::uint64_t, std::uint64_t>> used{{0, kHeaderBytes}};
    std::vector<std::vector<char>> values;
    {
      std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
      for (const Column& column : layout.columns) {
        const RowPlace& place = places.at(column.path);
        EXPECT_EQ(row_bytes(column), bytes_of_row(column));
        EXPECT_EQ(place.row_bytes, bytes_of_row(column));
        EXPECT_EQ(place.rows, column.rows);
        ASSERT_TRUE(place.sums);
        auto& bytes = values.emplace_back(place.row_bytes * static_cast<std::size_t>(place.rows));
        for (char& byte : bytes) byte = static_cast<char>(random());
        used.emplace_back(place.offset, place.offset + bytes.size());
        used.emplace_back(*place.sums, *place.sums + 16 * static_cast<std::uint64_t>(place.rows));
        file.seekp(static_cast<long>(place.offset)).write(bytes.data(), static_cast<long>(bytes.size()));
      }
    }
    std::sort(used.begin(), used.end());
    for (std::size_t k = 1; k < used.size(); ++k)
      EXPECT_LE(used[k - 1].second, used[k].first) << "two in one place";
    EXPECT_LE(used.back().second, std::filesystem::file_size(path_));
    const Handle access = h5::file_access();
    const Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "read");
    for (std::size_t k = 0; k < layout.columns.size(); ++k) {
      const Column& column = layout.columns[k];
      const Handle set(H5Dopen2(file, column.path.c_str(), H5P_DEFAULT), H5Dclose, "read");
      const Handle space(H5Dget_space(set), H5Sclose, "read"), type = h5::value_type(column.type, 0);
      std::vector<hsize_t> shape(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
      H5Sget_simple_extent_dims(space, shape.data(), nullptr);
      std::vector<hsize_t> due{static_cast<hsize_t>(column.rows)};
      due.insert(due.end(), column.shape.begin(), column.shape.end());
      EXPECT_EQ(shape, due);
      std::vector<char> back(values[k].size());
      h5::check(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, back.data()), "read");
      EXPECT_TRUE(back == values[k]) << column.path;
    }
    find_rows(path_, layout.columns); // rows are no part of what is verified
  }
}

// Of a byte in a row or a sum nothing is said here; of any other the file is refused.
TEST_F(RowSkeletons, AreRefusedWhereAByteAroundTheRowsIsAnother) {
  test::Random random = test::random(94);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  const RowLayout layout = layout_by_chance(random);
  write_row_skeleton(path_, path_, layout);
  const auto places = find_rows(path_, layout.columns);
  const std::string whole = bytes_of(path_);
  const auto free = [&](std::uint64_t at) {
    return std::any_of(places.begin(), places.end(), [&](const auto& column) {
      const RowPlace& place = column.second;
      const auto rows = static_cast<std::uint64_t>(place.rows);
      return (at >= place.offset && at < place.offset + rows * place.row_bytes) ||
             (at >= *place.sums && at < *place.sums + 16 * rows);
    });
  };
  int refused = 0, passed = 0;
  for (int n = 0; n < 200; ++n) {
    std::uint64_t at =
        static_cast<std::uint64_t>(test::pick(random, kHeaderBytes, static_cast<long>(whole.size()) - 1));
    if (n % 4 == 0) at = places.begin()->second.offset; // for sure
    std::string other = whole;
    other[at] = static_cast<char>(other[at] ^ 1 << test::pick(random, 0, 7));
    std::ofstream(path_, std::ios::binary) << other;
    const std::string fault = test::refusal([&] { find_rows(path_, layout.columns); });
    ASSERT_EQ(fault.empty(), free(at)) << "byte " << at << ": " << fault;
    if (!fault.empty()) {
      EXPECT_NE(fault.find(path_), std::string::npos) << fault;
    }
    ++(fault.empty() ? passed : refused);
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(passed, 0);
  std::ofstream(path_, std::ios::binary) << whole.substr(0, whole.size() - 1);
  EXPECT_NE(test::refusal([&] { find_rows(path_, layout.columns); }), "") << "cut off";
}

TEST_F(RowSkeletons, AreRefusedWhereColumnsAreUnlike) {
  const RowLayout layout{{}, {}, {{"/a/table", ValueType::f64, 4, {3}}, {"/list", ValueType::i32, 5}}};
  write_row_skeleton(path_, path_, layout);
  const std::string unlike = " of " + path_ +
                             " is of another shape or type than this run writes; use the folder of this "
                             "run, or another one";
  const auto fault = [&](std::size_t column, const auto& change) {
    std::vector<Column> columns = layout.columns;
    change(columns[column]);
    return test::refusal([&] { find_rows(path_, columns); });
  };
  EXPECT_EQ(fault(0, [](Column& c) { c.rows = 9; }), "") << "rows may be more";
  EXPECT_EQ(fault(0, [](Column& c) { c.shape = {4}; }), "/a/table" + unlike);
  EXPECT_EQ(fault(0, [](Column& c) { c.shape = {3, 1}; }), "/a/table" + unlike);
  EXPECT_EQ(fault(0, [](Column& c) { c.type = ValueType::i64; }), "/a/table" + unlike);
  EXPECT_EQ(fault(1, [](Column& c) { c.type = ValueType::f32; }), "/list" + unlike);
  EXPECT_EQ(fault(1, [](Column& c) { c.type = ValueType::i64; }), "/list" + unlike);
  EXPECT_NE(fault(1, [](Column& c) { c.path = "/none"; }), "");
  for (const ValueType type : {ValueType::bytes, ValueType::c64, ValueType::c128})
    EXPECT_EQ(test::refusal([&] {
                row_bytes({"/a", type});
              }),
              "a column can hold plain numbers only; use f32, f64, i32 or i64");
  EXPECT_EQ(test::refusal([&] {
              write_row_skeleton(path_, path_, {{}, {{"/few", {2, 2}, std::vector<double>{1, 2, 3}}}, {}});
            }),
            "/few has values that do not fill its shape; give as many as it holds");
}

} // namespace
} // namespace tasuki
#endif
