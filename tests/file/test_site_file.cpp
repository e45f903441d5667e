// Raw files of cells: what all ranks write is what one loop writes, each reads its own, and it is there whole
// or not at all.
#include <tasuki/field/grid.hpp>
#include <tasuki/file/site_file.hpp>
#include <tests/file/folder.hpp>

#include <cstring>
#include <fstream>
#include <iterator>

namespace tasuki {
namespace {

using test::world;

class SiteFiles : public test::InFolder {
protected:
  // A number that tells the cell and the byte.
  static char byte_of(std::uint64_t place, std::size_t k) {
    return static_cast<char>(place * 131 + k * 7 + place / 256);
  }
  static std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& path, const Box& box, const CellBytes& cells, std::uint64_t size) {
    SharedPart part(world(), path, size);
    on_root(world(), [&] { write_bytes(part.name(), path, "head", 0); });
    on_all(world(), [&] {
      write_cells(part.name(), path, cells, box, [&](CellPiece& piece) {
        for (std::size_t i = 0; i < piece.places.size(); ++i)
          for (std::size_t k = 0; k < cells.bytes; ++k)
            piece.bytes[i * cells.bytes + k] = byte_of(piece.places[i], k);
      });
    });
    part.commit();
  }
};

TEST_F(SiteFiles, HoldEveryCellOfEveryRank) {
  struct Case {
    std::array<long, 4> extents;
    std::size_t bytes;
  };
  for (const Case& c : {Case{{4, 6, 2, 10}, 12}, Case{{2, 3, 5, 7}, 1}, Case{{8, 8, 8, 16}, 5000}}) {
    const Grid<4> grid(world(), c.extents, {.halo = 0});
    const Box box = grid.core()->owned();
    const CellBytes cells{grid.core()->extents(), 4, c.bytes};
    const std::uint64_t all = static_cast<std::uint64_t>(grid.core()->all().cells()),
                        size = 4 + all * c.bytes;
    const std::string path = at("cells");
    write(path, box, cells, size);

    std::string expected = "head";
    for (std::uint64_t place = 0; place < all; ++place)
      for (std::size_t k = 0; k < c.bytes; ++k) expected += byte_of(place, k);
    EXPECT_TRUE(text_of(path) == expected);
    EXPECT_EQ(file_size(path), size);
    EXPECT_EQ(read_bytes(path, 0, 4), "head");
    EXPECT_EQ(read_bytes(path, size - 1, 100).size(), 1u);
    EXPECT_EQ(read_bytes(path, size + 5, 100), "");

    long seen = 0;
    bool right = true;
    read_cells(path, cells, box, [&](const CellPiece& piece) {
      EXPECT_EQ(piece.first, seen);
      for (std::size_t i = 0; i < piece.places.size(); ++i, ++seen) {
        // The cell of this number in the box, by its coordinates.
        long rest = seen;
        std::uint64_t place = 0, step = 1;
        for (int a = 0; a < 4; ++a) {
          place += static_cast<std::uint64_t>(box.lo[a] + rest % box.extent(a)) * step;
          rest /= box.extent(a);
          step *= static_cast<std::uint64_t>(c.extents[a]);
        }
        right = right && piece.places[i] == place;
        for (std::size_t k = 0; k < c.bytes; ++k)
          right = right && piece.bytes[i * c.bytes + k] == byte_of(place, k);
      }
    });
    EXPECT_EQ(seen, box.cells());
    EXPECT_TRUE(right);
    MPI_Barrier(world().comm());
  }
}

TEST_F(SiteFiles, AreThereWholeOrNotAtAll) {
  const std::string path = at("cells");
  on_root(world(), [&] { replace_file(path, "before"); });
  {
    SharedPart part(world(), path, 1000);
    EXPECT_TRUE(std::filesystem::exists(part.name()));
    MPI_Barrier(world().comm());
  }
  MPI_Barrier(world().comm());
  EXPECT_FALSE(std::filesystem::exists(part_name(path)));
  EXPECT_EQ(text_of(path), "before");
  EXPECT_THROW(SharedPart(world(), at("no/folder"), 10), Error);
  EXPECT_THROW(SharedPart(world(), at("huge"), std::size_t(1) << 60), Error);
  EXPECT_FALSE(std::filesystem::exists(part_name(at("huge"))));
}

TEST_F(SiteFiles, EndBeforeTheirCells) {
  const std::string path = at("short");
  on_root(world(), [&] { replace_file(path, std::string(99, 'x')); });
  const CellBytes cells{{2, 5}, 0, 10};
  const Box box{2, {0, 0}, {2, 5}};
  EXPECT_THROW(read_cells(path, cells, box, [](const CellPiece&) {}), Error);
  EXPECT_THROW(read_cells(at("none"), cells, box, [](const CellPiece&) {}), Error);
  EXPECT_THROW(file_size(at("none")), Error);
}

} // namespace
} // namespace tasuki
