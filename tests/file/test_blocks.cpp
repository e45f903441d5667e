// Values of fields in a file, of each rank its own block: every one at the place that its global cell has,
// and of any other grid of ranks read back; against the whole field, written down serially.
#include <tasuki/file/blocks.hpp>
#include <tests/file/folder.hpp>

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/base/reduce.hpp>
#include <tasuki/file/integrity.hpp>

#include <algorithm>
#include <cstring>

namespace tasuki {
namespace {

class Blocks : public test::InFolder {};

// The number of a component at a global cell.
template <class E>
E stored_number(long field, long component, long cell) {
  return static_cast<E>(1000 * field + 7 * component + 3 * cell);
}

template <class T, int D>
void fill_blocks(Field<T>& field, long number) {
  using E = typename Field<T>::Element;
  const GridCore& grid = field.core()->grid();
  const Box owned = grid.owned();
  std::vector<E> values;
  for (int k = 0; k < Field<T>::components; ++k)
    for (long n = 0; n < owned.cells(); ++n) {
      Index at{};
      long rest = n, cell = 0;
      for (int a = 0; a < D; ++a) {
        at[a] = owned.lo[a] + rest % owned.extent(a);
        rest /= owned.extent(a);
      }
      for (int a = D - 1; a >= 0; --a) cell = cell * grid.extents()[a] + at[a];
      values.push_back(stored_number<E>(number, k, cell));
    }
  field.from_host(values);
}

// The field as it is in the file: components slowest, x fastest.
template <class T>
std::vector<typename Field<T>::Element> as_stored(const GridCore& grid, long number) {
  std::vector<typename Field<T>::Element> values;
  for (int k = 0; k < Field<T>::components; ++k)
    for (long cell = 0; cell < grid.all().cells(); ++cell)
      values.push_back(stored_number<typename Field<T>::Element>(number, k, cell));
  return values;
}

template <class T>
StoredField place_for(const Field<T>& field, std::uint64_t& end, std::uint64_t gap) {
  StoredField stored;
  stored.name = field.core()->name();
  stored.type = field.core()->type();
  stored.element_bytes = field.core()->element_bytes();
  stored.components = field.core()->components();
  stored.offset = end + gap;
  end = stored.offset + static_cast<std::uint64_t>(field.core()->grid().all().cells()) *
                            static_cast<std::uint64_t>(stored.components) * stored.element_bytes;
  return stored;
}

template <int D>
void expect_stored(const std::string& path, test::Random& random) {
  World& world = test::world();
  std::array<long, D> extents;
  for (long& n : extents) n = test::pick(random, D == 1 ? 8 : 4, D == 3 ? 9 : 20);
  const Grid<D> grid(world, extents, {.halo = 1});
  Field<float> f(grid, "f");
  Field<double[3]> d(grid, "d");
  Field<std::int16_t[18]> i(grid, "i"); // in rows
  fill_blocks<float, D>(f, 1);
  fill_blocks<double[3], D>(d, 2);
  fill_blocks<std::int16_t[18], D>(i, 3);
  Manifest manifest;
  std::uint64_t end = 100;
  const auto gap = [&] { return static_cast<std::uint64_t>(test::pick(random, 0, 30)); };
  manifest.fields = {place_for(f, end, gap()), place_for(d, end, gap()), place_for(i, end, gap())};
  std::string due(end + 11, '.');
  const auto put = [&](std::size_t k, const auto& values) {
    std::memcpy(due.data() + manifest.fields[k].offset, values.data(), values.size() * sizeof values[0]);
  };
  put(0, as_stored<float>(*grid.core(), 1));
  put(1, as_stored<double[3]>(*grid.core(), 2));
  put(2, as_stored<std::int16_t[18]>(*grid.core(), 3));
  on_root(world, [&] { std::ofstream(path, std::ios::binary) << std::string(due.size(), '.'); });

  write_blocks(world, path, path, {f.core().get(), d.core().get(), i.core().get()}, manifest);
  barrier(world);
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  ASSERT_TRUE(bytes == due) << "values in their places, and nothing between them";
  for (const StoredField& field : manifest.fields) {
    const std::size_t plane = static_cast<std::size_t>(grid.core()->all().cells()) * field.element_bytes;
    std::uint64_t sum = 0;
    for (int k = 0; k < field.components; ++k)
      sum += checksum(due.data() + field.offset + static_cast<std::size_t>(k) * plane, field.element_bytes,
                      grid.core()->all(), grid.core()->extents(), k);
    EXPECT_EQ(field.checksum, sum) << field.name;
  }

  // On another grid of ranks: all along one axis.
  GridOptions other{.halo = 1};
  const int axis = static_cast<int>(test::pick(random, 0, D - 1));
  std::array<int, kMaxDims> ranks{};
  for (int a = 0; a < D; ++a) ranks[static_cast<std::size_t>(a)] = a == axis ? world.size() : 1;
  other.ranks = ranks;
  const Grid<D> there(world, extents, other);
  const Field<float> f2(there, "f");
  const Field<double[3]> d2(there, "d");
  const Field<std::int16_t[18]> i2(there, "i");
  read_blocks(world, path, {i2.core().get(), f2.core().get(), d2.core().get()}, manifest);
  Field<float> f3(there, "f");
  Field<double[3]> d3(there, "d");
  Field<std::int16_t[18]> i3(there, "i");
  fill_blocks<float, D>(f3, 1);
  fill_blocks<double[3], D>(d3, 2);
  fill_blocks<std::int16_t[18], D>(i3, 3);
  EXPECT_EQ(f2.to_host(), f3.to_host());
  EXPECT_EQ(d2.to_host(), d3.to_host());
  EXPECT_EQ(i2.to_host(), i3.to_host());
  barrier(world); // before the file is another
}

TEST_F(Blocks, AreStoredByGlobalCells) {
  test::Random random = test::random(95);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 6; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    expect_stored<1>(at("blocks"), random);
    expect_stored<2>(at("blocks"), random);
    expect_stored<3>(at("blocks"), random);
    if (test::any_rank(::testing::Test::HasFailure())) return;
  }
}

// A field that is not what was saved is refused on all ranks; those before it have been read, it and those
// behind it have not.
TEST_F(Blocks, AreReadUpToTheOneThatWasAltered) {
  World& world = test::world();
  const Grid<2> grid(world, {9, 8}, {.halo = 1});
  Field<int> one(grid, "one"), two(grid, "two"), three(grid, "three");
  fill_blocks<int, 2>(one, 1);
  fill_blocks<int, 2>(two, 2);
  fill_blocks<int, 2>(three, 3);
  Manifest manifest;
  std::uint64_t end = 0;
  manifest.fields = {place_for(one, end, 0), place_for(two, end, 0), place_for(three, end, 0)};
  const std::string path = at("blocks");
  make(path, std::string(end, '.'));
  write_blocks(world, path, path, {one.core().get(), two.core().get(), three.core().get()}, manifest);
  barrier(world);
  on_root(world, [&] {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const auto at = static_cast<long>(manifest.fields[1].offset + 4 * 71); // the last rank's
    file.seekp(at).put(static_cast<char>(0x55));
  });
  const std::vector<int> saved = one.to_host(), zeros(saved.size(), 0);
  one.from_host(zeros);
  two.from_host(zeros);
  three.from_host(zeros);
  EXPECT_EQ(fault_of([&] {
              read_blocks(world, path, {one.core().get(), two.core().get(), three.core().get()}, manifest);
            }),
            "field 'two' of " + path + " is not what was saved; use another checkpoint");
  EXPECT_EQ(one.to_host(), saved);
  EXPECT_EQ(two.to_host(), zeros);
  EXPECT_EQ(three.to_host(), zeros);
  manifest.fields[0].offset = end - 4; // beyond the end of the file
  EXPECT_NE(fault_of([&] { read_blocks(world, path, {one.core().get()}, manifest); }).find(path),
            std::string::npos);
}

} // namespace
} // namespace tasuki
#endif
