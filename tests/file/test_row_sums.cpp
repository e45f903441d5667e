// The rule that a row is known by, and the hash of what lies around the rows.
#include <tasuki/file/part_file.hpp>
#include <tasuki/file/row_sums.hpp>
#include <tests/file/folder.hpp>

#ifdef TASUKI_HAVE_HDF5
namespace tasuki {
namespace {

class RowSumsTest : public test::InFolder {};

TEST_F(RowSumsTest, KnowARowBeforeAndAfterItIsWritten) {
  const double zero = 0, one = 1, two = 2, three = 3;
  const RowSums none{};
  EXPECT_TRUE(holds(none, &zero, 8, 5));
  EXPECT_FALSE(holds(none, &one, 8, 5));

  const RowSums appended = sums_for(none, nullptr, &one, 8, 5);
  EXPECT_TRUE(holds(appended, &one, 8, 5));
  EXPECT_FALSE(holds(appended, &zero, 8, 5)); // a disk that lost it gives zeros
  EXPECT_FALSE(holds(appended, &one, 8, 6));  // another row's place

  RowSums again = sums_for(none, &zero, &one, 8, 5);
  EXPECT_TRUE(holds(again, &zero, 8, 5) && holds(again, &one, 8, 5));
  again = sums_for(again, &one, &two, 8, 5);
  EXPECT_TRUE(holds(again, &one, 8, 5) && holds(again, &two, 8, 5));
  again = sums_for(again, &two, &three, 8, 5);
  EXPECT_TRUE(holds(again, &two, 8, 5) && holds(again, &three, 8, 5));
  EXPECT_FALSE(holds(again, &one, 8, 5));
}

TEST_F(RowSumsTest, HashAllButTheRanges) {
  const std::string path = at("file-" + std::to_string(test::world().rank()));
  std::string text((3 << 20) + 1000, 'x');
  const auto hash = [&] {
    replace_file(path, text);
    return hash_around(path, path, {{2000000, 2000100}, {600, 700}}, text.size());
  };
  const std::uint64_t first = hash();
  for (const std::size_t in : {0, 511, 600, 699, 2000000, 2000099}) { // the header, and the ranges
    text[in] = 'y';
    EXPECT_EQ(hash(), first) << in;
  }
  for (const std::size_t in : {std::size_t(512), std::size_t(599), std::size_t(700), std::size_t(1999999),
                               std::size_t(2000100), text.size() - 1}) {
    text[in] = 'y';
    EXPECT_NE(hash(), first) << in;
    text[in] = 'x';
  }
  EXPECT_EQ(hash(), first);
}

} // namespace
} // namespace tasuki
#endif
