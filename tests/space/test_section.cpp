// Sections against a mark on every byte, over all small boxes.
#include <tasuki/space/section.hpp>

#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki::test {
namespace {

using space::Bytes;
using space::section;

TEST(Section, RunsAreTheBytesOfTheBox) {
  const std::size_t element = 3;
  long seen = 0;
  for (std::size_t nz = 1; nz <= 3; ++nz)
    for (std::size_t ny = 1; ny <= 4; ++ny)
      for (std::size_t nx = 1; nx <= 4; ++nx)
        for (std::size_t z = 0; z < nz; ++z)
          for (std::size_t y = 0; y < ny; ++y)
            for (std::size_t x = 0; x < nx; ++x)
              for (std::size_t pz = 1; pz + z <= nz; ++pz)
                for (std::size_t py = 1; py + y <= ny; ++py)
                  for (std::size_t px = 1; px + x <= nx; ++px, ++seen) {
                    std::vector<char> marks(nz * ny * nx * element, 0), found = marks;
                    for (std::size_t i = z; i < z + pz; ++i)
                      for (std::size_t j = y; j < y + py; ++j)
                        for (std::size_t k = x; k < x + px; ++k)
                          for (std::size_t b = 0; b < element; ++b)
                            marks[((i * ny + j) * nx + k) * element + b] = 1;
                    std::uint64_t end = 0;
                    bool begun = false;
                    for (const Bytes& run :
                         section({nz, ny, nx}, {pz, py, px}, element, ((z * ny + y) * nx + x) * element)) {
                      ASSERT_TRUE(!begun || run.at > end) << "runs touch or go back";
                      begun = true;
                      end = run.at + run.count;
                      ASSERT_LE(end, found.size());
                      for (std::uint64_t b = run.at; b < end; ++b) ++found[b];
                    }
                    ASSERT_EQ(found, marks);
                  }
  EXPECT_GT(seen, 2000);
}

TEST(Section, PagesAreThoseOfTheBytesEachOnce) {
  auto numbers = random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<Bytes> runs;
    std::vector<char> marks(64, 0), found(64, 0);
    for (std::uint64_t at = 0; at < 500;) {
      at += static_cast<std::uint64_t>(pick(numbers, 1, 40));
      const auto count = static_cast<std::uint64_t>(pick(numbers, 1, 60));
      if (at + count > 512) break;
      runs.push_back({at, count});
      for (std::uint64_t b = at; b < at + count; ++b) marks[b / 8] = 1;
      at += count;
    }
    for (const Bytes& run : space::pages_of(runs, 8))
      for (std::uint64_t p = run.at; p < run.at + run.count; ++p) ++found[p];
    ASSERT_EQ(found, marks);
  }
}

TEST(Section, BadInputIsRefusedInWords) {
  EXPECT_EQ(refusal([] {
              section({8, 16}, {2, 5}, 8, (7 * 16) * 8);
            }),
            "a section has elements 7 to 8 of axis 0, which has 8; let it end within its array");
  EXPECT_EQ(refusal([] {
              section({8, 16}, {2, 5}, 8, 12 * 8);
            }),
            "a section has elements 12 to 16 of axis 1, which has 16; let it end within its array");
  EXPECT_EQ(refusal([] { section({8}, {2}, 8, 3); }),
            "a section begins 3 bytes within an element; let it begin at the address of an element");
  EXPECT_EQ(space::indices_text({4, 5, 6}, 8, ((3 * 5 + 2) * 6 + 1) * 8 + 7), "3,2,1");
}

} // namespace
} // namespace tasuki::test
