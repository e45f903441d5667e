// The walks of a GPU, played on the host: every cell of a box once, with the numbers round it, for any box and reach.
#include <tests/device/kernel/thread_block.hpp>

#include <tasuki/device/cut.hpp>
#include <tasuki/device/kernel/ring_cuda.hpp>
#include <tasuki/device/kernel/walk_cuda.hpp>

#include <gtest/gtest.h>

#include <iostream>
#include <random>

namespace tasuki::detail {
namespace {

constexpr int kHalo = 4;

// A block of cells with a halo, and what is asked of a walk over a box of it.
template <int D, class T>
struct Case {
  Geometry<D> g{};
  Box box;
  ReadShape shape;
  long lead = 0;
  std::vector<T> u, w, v, wanted;
  long owned = 0; // cells of the box that are the block's own

  explicit Case(std::mt19937& random, int most_reach, bool short_sides) {
    const auto any = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
    box.dims = D;
    long n = 1;
    for (int a = 0; a < D; ++a) {
      const int cells = short_sides  ? any(1, 9)
                        : a == 0     ? any(50, 300)
                        : a == D - 1 ? any(5, 70)
                                     : any(3, 30);
      g.owned[a] = cells;
      g.origin[a] = any(0, 1000);
      g.extent[a] = 4000;
      g.stride[a] = n;
      lead += kHalo * n;
      n *= cells + 2 * kHalo;
      if (a == 0 && D > 1) n = (n + 31) / 32 * 32;
      shape.below[a] = static_cast<signed char>(any(0, most_reach));
      shape.above[a] = static_cast<signed char>(any(0, most_reach));
      const auto axis = static_cast<std::size_t>(a); // a box inside of the block, or some way into its halo
      box.lo[axis] = any(-(kHalo - shape.below[a]), cells > 4 ? 2 : 0);
      box.hi[axis] = cells + any(cells > 4 ? -2 : 0, kHalo - shape.above[a]);
    }
    shape.order = static_cast<signed char>(any(0, 1) ? D : 1);
    for (std::vector<T>* field : {&u, &w})
      for (long k = 0; k < n; ++k) field->push_back(static_cast<T>(any(-1000, 1000)) / 7);
    v.assign(static_cast<std::size_t>(n), T(-1));
    wanted = v;
  }
  T* at_origin(std::vector<T>& field) const { return field.data() + lead; }
};

template <int D, class F>
void for_offsets(const ReadShape& shape, const F& f) {
  const auto from = [&](int a) { return a < D ? -shape.below[a] : 0; };
  const auto to = [&](int a) { return a < D ? +shape.above[a] : 0; };
  for (int z = from(2); z <= to(2); ++z)
    for (int y = from(1); y <= to(1); ++y)
      for (int x = from(0); x <= to(0); ++x)
        if ((x != 0) + (y != 0) + (z != 0) <= shape.order) f(x, y, z);
}

template <int D>
struct Sum {
  ReadShape shape;

  template <class C, class U, class W, class V, class R>
  void operator()(const C& c, const U& u, const W& w, const V& v, const R& r) const {
    auto sum = w(c);
    for_offsets<D>(shape, [&](int x, int y, [[maybe_unused]] int z) {
      if constexpr (D == 1)
        sum += u(c, x);
      else if constexpr (D == 2)
        sum += u(c, x, y);
      else
        sum += u(c, x, y, z);
    });
    for (int a = 0; a < D; ++a) sum = sum * 3 + static_cast<decltype(sum)>(c[a]);
    if (v(c) != -1) sum = -2; // a cell that is done twice
    v(c) = sum;
    r(c);
  }
};

// A reduction that counts.
struct Counter {
  std::atomic<long>& cells;
  template <Count count>
  auto pass() const {
    return [this](const auto& c) { cells += count == Count::all || c.owned(); };
  }
};
template <class T>
struct FromRing {
  template <Count>
  RingIn<T> pass() const {
    return {};
  }
};

template <int D, class T>
void serial(Case<D, T>& k) {
  const Sum<D> f{k.shape};
  std::vector<T>& v = k.wanted;
  for (long z = D > 2 ? k.box.lo[2] : 0; z < (D > 2 ? k.box.hi[2] : 1); ++z)
    for (long y = D > 1 ? k.box.lo[1] : 0; y < (D > 1 ? k.box.hi[1] : 1); ++y)
      for (long x = k.box.lo[0]; x < k.box.hi[0]; ++x) {
        const long at[] = {x, y, z};
        Cell<D> c{k.g, 0, {}};
        for (int a = 0; a < D; ++a) {
          c.x[a] = static_cast<int>(at[a]);
          c.i += at[a] * k.g.stride[a];
        }
        k.owned += c.owned();
        f(c, In<T>{k.at_origin(k.u)}, In<T>{k.at_origin(k.w)}, Out<T>{k.at_origin(v)}, [](const auto&) {});
      }
}

template <int D, class T, int U>
void tiles(Case<D, T>& k, std::atomic<long>& counted) {
  const Tiling<D> tiling = tiling_of<D>(&k.box, 1, U);
  test::ThreadBlocks blocks(0, test::Copies::early);
  const Sum<D> f{k.shape};
  blocks.run(tiling.blocks, [&] {
    ViewPart<In<T>> u{{k.at_origin(k.u)}}, w{{k.at_origin(k.w)}};
    ViewPart<Out<T>> v{{k.at_origin(k.v)}};
    Counter r{counted};
    const TiledBox<D>& box = box_of_block(tiling);
    walk_tile<true, D, U>(k.g, box, blockIdx.x - box.first_block, f, u, w, v, r);
  });
}

template <int D, class T>
bool columns(Case<D, T>& k, std::atomic<long>& counted, test::Copies copies) {
  const auto columns = columns_of<D>(k.box, k.shape, sizeof(T), 227 << 10, 1);
  if (!columns) return false;
  test::ThreadBlocks blocks(static_cast<std::size_t>(columns->ring * columns->plane_bytes), copies);
  const Sum<D> f{k.shape};
  blocks.run(blocks_of(*columns), [&] {
    FromRing<T> u;
    ViewPart<In<T>> w{{k.at_origin(k.w)}};
    ViewPart<Out<T>> v{{k.at_origin(k.v)}};
    Counter r{counted};
    walk_column<true, D, T>(k.g, *columns, blockIdx.x, k.at_origin(k.u), 0u, f, u, w, v, r);
  });
  EXPECT_EQ(blocks.outside(), 0);
  return true;
}

template <int D, class T>
void expect_right(const Case<D, T>& k, long counted) {
  EXPECT_EQ(counted, k.owned);
  long wrong = 0;
  for (std::size_t i = 0; i < k.v.size(); ++i) wrong += !(k.v[i] == k.wanted[i]);
  EXPECT_EQ(wrong, 0) << "of " << k.box.cells() << " cells";
}

std::mt19937 seeded() {
  const unsigned seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  return std::mt19937(seed);
}

template <int D, class T, int U>
void try_tiles(std::mt19937& random, bool short_sides) {
  Case<D, T> k(random, 2, short_sides);
  serial(k);
  std::atomic<long> counted = 0;
  tiles<D, T, U>(k, counted);
  expect_right(k, counted);
}

TEST(Walk, OverTilesIsThatOfALoop) {
  std::mt19937 random = seeded();
  for (int round = 0; round < 3; ++round) {
    try_tiles<1, float, 8>(random, round == 0);
    try_tiles<2, float, 8>(random, round == 0);
    try_tiles<2, double, 1>(random, round == 0);
    try_tiles<3, float, 8>(random, round == 0);
    try_tiles<3, double, 4>(random, round == 0);
    try_tiles<3, double, 2>(random, round == 0);
  }
}

template <int D, class T>
int try_columns(std::mt19937& random, test::Copies copies, int most_reach, bool short_sides) {
  Case<D, T> k(random, most_reach, short_sides);
  serial(k);
  std::atomic<long> counted = 0;
  if (!columns(k, counted, copies)) return 0;
  expect_right(k, counted);
  return 1;
}

TEST(Walk, OverColumnsIsThatOfALoop) {
  std::mt19937 random = seeded();
  int done = 0;
  for (int round = 0; round < 8; ++round) {
    const auto copies = round % 2 ? test::Copies::early : test::Copies::late;
    done += try_columns<2, float>(random, copies, 4, round < 2);
    done += try_columns<2, double>(random, copies, 3, round < 2);
    done += try_columns<3, float>(random, copies, 3, round < 2);
    done += try_columns<3, double>(random, copies, 2, round < 2);
  }
  EXPECT_GT(done, 6);
}

} // namespace
} // namespace tasuki::detail
