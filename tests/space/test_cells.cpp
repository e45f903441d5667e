// Cells of fields by their global index, on any rank: read and written by whoever likes, in sweeps and beside them.
#include <tasuki/space/cells.hpp>
#include <tasuki/space/field.hpp>
#include <tests/checks.hpp>
#include <tests/space/spaces.hpp>

namespace tasuki::test {
namespace {

void host_only(Settings& s) {
  s.device = "host";
  s.halo = 0;
  s.ranks.clear();
}

long number(long x, long y, int k) { return 100000L * k + 1000 * y + x; }

template <int K>
void any_cell(Space& space) {
  World& world = space.world();
  const Grid<2> grid(world, {37, 29}, {.halo = {{1, 2}, {2, 1}}, .periodic = {true, false}});
  const auto u = space.field<long[K]>(grid, "u");
  const Anywhere<long[K], 2> all(space, u);
  for (long y = 0; y < 29; ++y)
    for (long x = 0; x < 37; ++x)
      if ((x + 5 * y) % world.size() == world.rank())
        for (int k = 0; k < K; ++k) all[k].at(x, y) = number(x, y, k);
  all.settle();
  for (long y = 0; y < 29; ++y)
    for (long x = -40; x < 80; ++x)
      for (int k = 0; k < K; ++k) ASSERT_EQ(all[k].at(x, y), number((x + 74) % 37, y, k)) << x << "," << y;
  // Its owners have what others wrote.
  const std::vector<long> whole = u.gather();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto cell = static_cast<long>(i) % (37 * 29);
    ASSERT_EQ(whole[i], number(cell % 37, cell / 37, static_cast<int>(static_cast<long>(i) / (37 * 29))));
  }
  EXPECT_EQ(refusal([&] { all.at(3, 29); }),
            "index 29 along axis 1 is outside of field 'u', which has 29 cells there; stay within the grid, "
            "or make the axis periodic");
  space.sync();
}

TEST(Cells, AreReadAndWrittenByAnyRank) {
  each_space(
      [](Space& space, const std::string&) {
        any_cell<2>(space);
        any_cell<kMostPlanes + 2>(space);
      },
      host_only);
}

TEST(Cells, AreThoseOfFieldsInTheSpace) {
  one_space(1, "auto", host_only, [&](Space& space, const std::string&) {
    const Grid<2> grid(space.world(), {12, 8L * space.world().size()});
    const Field<int> other(grid, "other");
    const auto u = space.field<int>(grid, "u");
    EXPECT_EQ(refusal([&] { Anywhere<int, 2>(space, other); }),
              "field 'other' does not lie in the space; make it by space.field<T>(grid, name), and swap it "
              "with such fields alone");
    EXPECT_EQ(refusal([&] { Anywhere<int, 1>(space, u); }),
              "field 'u' has 2 axes, and 1 are asked for; give as many");
    const Anywhere<int, 2> all(space, u);
    u.core()->swap(*other.core()); // its memory is the world's now
    EXPECT_NE(refusal([&] { all.settle(); }).find("field 'u' does not lie in the space"), std::string::npos);
    u.core()->swap(*other.core());
    all.settle();
  });
}

// Each byte of each rank's memory has a name, and those of own cells are their indices.
template <int K>
void names(const Grid<2>& grid) {
  const GridCore& core = *grid.core();
  const Storage storage{sizeof(float), K};
  for (int rank = 0; rank < core.world().size(); ++rank) {
    const Layout layout = core.layout_of(rank);
    const Box owned = core.cut().block(rank);
    std::size_t cells = 0;
    const auto text = [&](long element) {
      return space::cell_text(core, storage, "u", rank, static_cast<std::uint64_t>(element) * 4 + 2);
    };
    for (std::size_t e = 0; e < storage.bytes(layout) / 4; ++e) {
      const std::string said = text(static_cast<long>(e));
      cells += said.find(" on rank ") == std::string::npos && said.find("halo") == std::string::npos;
    }
    EXPECT_EQ(cells, static_cast<std::size_t>(owned.cells()) * K);
    for (int k = 0; k < K; ++k)
      for (long y = 0; y < owned.extent(1); ++y)
        for (long x = 0; x < owned.extent(0); ++x)
          ASSERT_EQ(text(storage.lead(layout) + storage.place(layout, {x, y}, k)),
                    (K > 1 ? "u[" + std::to_string(k) + "]" : "u") + "[" + std::to_string(owned.lo[0] + x) +
                        "," + std::to_string(owned.lo[1] + y) + "]");
    EXPECT_EQ(text(storage.lead(layout) - 1), (K > 1 ? "u[0][" : "u[") + std::to_string(owned.lo[0] - 1) +
                                                  "," + std::to_string(owned.lo[1]) +
                                                  "] in the halo of rank " + std::to_string(rank));
  }
}

TEST(Cells, HaveNamesInErrors) {
  const auto made = world_with(host_only);
  const Grid<2> grid(*made, {13, 5L * world().size() + 1}, {.halo = {{1, 2}, {2, 1}}});
  names<1>(grid);
  names<3>(grid);
  names<kMostPlanes + 2>(grid);
}

} // namespace
} // namespace tasuki::test
