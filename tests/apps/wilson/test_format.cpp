// Files of gauge configurations: what is written is read, bit for bit, on any number of ranks; what others
// wrote is right.
#include <apps/wilson/format/configuration.hpp>
#include <apps/wilson/format/numbers.hpp>
#include <apps/wilson/format/sums.hpp>
#include <tests/apps/wilson/format_files.hpp>

#include <cstdlib>
#include <filesystem>

namespace tasuki::wilson::test {
namespace {

struct Kind {
  Format format;
  int number_bytes, rows;
};
const Kind kKinds[] = {{Format::ildg, 8, 3},  {Format::ildg, 4, 3},  {Format::nersc, 8, 3},
                       {Format::nersc, 8, 2}, {Format::nersc, 4, 3}, {Format::nersc, 4, 2}};

TEST(FormatSums, Crc32IsThatOfTheCatalogue) {
  EXPECT_EQ(crc32("123456789", 9), 0xcbf43926u); // the check value of CRC-32/ISO-HDLC
  EXPECT_EQ(crc32("", 0), 0u);
}

class FormatFiles : public InFolder {};

TEST_F(FormatFiles, HoldWhatWasWritten) {
  for (const Extents& n : {Extents{4, 2, 6, 8}, Extents{2, 4, 4, 2}}) {
    const Lattice lattice(world(), n);
    const std::vector<double> whole = random_links(n, 0.3, 1), mine = part_of(lattice, whole, 72);
    const double plaquette = plaquette_of(n, whole);
    for (const Kind& kind : kKinds) {
      SCOPED_TRACE(std::string(name_of(kind.format)) + " " + std::to_string(kind.number_bytes) + " bytes, " +
                   std::to_string(kind.rows) + " rows");
      const std::string path = at(kind.format == Format::nersc ? "a.nersc" : "a.lime");
      EXPECT_EQ(format_of_name(path), kind.format);
      write_configuration(lattice, path, mine,
                          {.format = kind.format,
                           .number_bytes = kind.number_bytes,
                           .rows = kind.rows,
                           .plaquette = plaquette,
                           .name = "a & <b>"});

      // The links in the file, by a loop over the whole field: big-endian, as many rows as asked for.
      const GaugeInfo info = inspect_configuration(path);
      EXPECT_EQ(info.extents, n);
      EXPECT_EQ(info.number_bytes, kind.number_bytes);
      EXPECT_EQ(info.rows, kind.rows);
      EXPECT_EQ(info.swapped, kLittleHere);
      ASSERT_TRUE(info.plaquette && info.link_trace && info.checksum);
      EXPECT_NEAR(*info.plaquette, plaquette, 1e-12);
      const long kept = 6 * kind.rows;
      std::string expected;
      for (std::size_t m = 0; m < whole.size(); m += 18) {
        std::string matrix(static_cast<std::size_t>(kept * kind.number_bytes), '\0');
        encode(&whole[m], matrix.data(), kept, kind.number_bytes, kLittleHere);
        expected += matrix;
      }
      EXPECT_TRUE(bytes_of(path).substr(info.offset, info.bytes) == expected);

      const Configuration back = read_configuration(lattice, path);
      ASSERT_EQ(back.links.size(), mine.size());
      bool same = true;
      for (std::size_t k = 0; k < mine.size(); ++k) {
        const double value = kind.number_bytes == 4 ? static_cast<float>(mine[k]) : mine[k];
        if (k % 18 < static_cast<std::size_t>(kept))
          same = same && back.links[k] == value;
        else
          EXPECT_NEAR(back.links[k], mine[k], kind.number_bytes == 4 ? 3e-7 : 1e-15);
      }
      EXPECT_TRUE(same);
      EXPECT_LT(back.unitarity, kind.number_bytes == 4 ? 1e-6 : 1e-14);
      double trace = 0;
      for (std::size_t k = 0; k < whole.size(); k += 18) trace += whole[k] + whole[k + 8] + whole[k + 16];
      EXPECT_NEAR(back.link_trace, trace / 3 / static_cast<double>(whole.size() / 18),
                  kind.number_bytes == 4 ? 1e-7 : 1e-13);
      EXPECT_NO_THROW(check_plaquette(back.info, path, plaquette));
      EXPECT_TRUE(
          has(fault_of([&] { check_plaquette(back.info, path, plaquette + 2e-5); }), "the plaquette of"));
      MPI_Barrier(world().comm());
    }
  }
}

// The seeded weak field of chroma's regression tests, as QIO wrote it.
TEST_F(FormatFiles, OfOthersAreRight) {
  const char* given = std::getenv("TASUKI_REFERENCE_DATA");
  const std::string path =
      (std::filesystem::path(given ? given : TASUKI_SOURCE_DIR "/../shared/data") / "weak_field.lime")
          .string();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path << " (set TASUKI_REFERENCE_DATA)";
  const GaugeInfo info = inspect_configuration(path);
  ASSERT_TRUE(info.checksum);
  EXPECT_EQ(*info.checksum, (Sum{0xa2c41090, 0x11193c39}));
  EXPECT_EQ(info.extents, (Extents{4, 4, 4, 8}));
  EXPECT_EQ(info.number_bytes, 8);
  const Lattice lattice(world(), info.extents);
  const Configuration field = read_configuration(lattice, path); // its checksum is right, or this throws
  EXPECT_NEAR(plaquette_of(info.extents, whole_of(lattice, field.links, 72)), 0.9948041323, 5e-11);
}

TEST_F(FormatFiles, WithoutHeadersTakeTheLatticeAskedFor) {
  const Extents n{4, 2, 2, 6};
  const Lattice lattice(world(), n);
  const std::vector<double> whole = random_links(n, 0.5, 2), mine = part_of(lattice, whole, 72);
  const std::string written = at("a.lime"), bare = at("bare.lime");
  for (const int bytes : {4, 8}) {
    write_configuration(lattice, written, mine, {.number_bytes = bytes});
    const GaugeInfo info = inspect_configuration(written);
    const std::string all = bytes_of(written);
    make(bare, all.substr(info.offset - 144, 144 + info.bytes));
    EXPECT_FALSE(inspect_configuration(bare).knows_extents());
    const Configuration field = read_configuration(lattice, bare);
    EXPECT_EQ(field.info.number_bytes, bytes);
    EXPECT_EQ(field.links, read_configuration(lattice, written).links);
    const Lattice other(world(), {4, 2, 2, 4});
    EXPECT_TRUE(has(fault_of([&] { read_configuration(other, bare); }), "does not say of which lattice"));
    MPI_Barrier(world().comm());
  }
}

} // namespace
} // namespace tasuki::wilson::test
