// Hashes do not depend on how cells are dealt over ranks, and see every value and its place.
#include <tasuki/file/integrity.hpp>
#include <tasuki/file/part_file.hpp>
#include <tests/file/folder.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#ifdef TASUKI_HAVE_HDF5
namespace tasuki {
namespace {

using test::world;

class Integrity : public test::InFolder {};

TEST_F(Integrity, OfAFileIsTheSameOnAnyRanks) {
  std::string text((5 << 20) + 77, '\0');
  std::iota(text.begin(), text.end(), 0);
  make(at("file"), text);
  std::uint64_t alone = 0; // as one rank would add it
  for (std::size_t p = 0, piece = 1 << 20; 10 + p * piece < text.size(); ++p)
    alone += hash_bytes(&text[10 + p * piece], std::min(piece, text.size() - 10 - p * piece), p);
  EXPECT_EQ(hash_file(world(), at("file"), "file", 10, text.size()), alone);
  text.back() ^= 1;
  make(at("file"), text);
  EXPECT_NE(hash_file(world(), at("file"), "file", 10, text.size()), alone);
}

TEST_F(Integrity, OfAFieldIsThatOfItsBlocks) {
  const Index extents{6, 5, 1, 1};
  std::vector<double> values(30);
  std::iota(values.begin(), values.end(), 1.0);
  Box all{};
  all.dims = 2;
  all.hi = extents;
  const std::uint64_t whole = checksum(values.data(), 8, all, extents, 0);
  std::uint64_t sum = 0;
  for (long x = 0; x < 6; x += 2) { // three blocks of 2x5, dense
    std::vector<double> block;
    for (long y = 0; y < 5; ++y)
      for (long i = x; i < x + 2; ++i) block.push_back(values[static_cast<std::size_t>(y * 6 + i)]);
    Box box = all;
    box.lo[0] = x;
    box.hi[0] = x + 2;
    sum += checksum(block.data(), 8, box, extents, 0);
  }
  EXPECT_EQ(sum, whole);
  make(at("cells"), std::string(16, 'x') + std::string(reinterpret_cast<const char*>(values.data()), 240));
  EXPECT_EQ(checksum_in_file(world(), at("cells"), 16, 30, 8), whole);
  std::swap(values[3], values[4]); // the same values, at other places
  EXPECT_NE(checksum(values.data(), 8, all, extents, 0), whole);
}

} // namespace
} // namespace tasuki
#endif
