// Fields: what goes in comes out, on every rank and gathered on one; memory lent; swaps.
#include <tasuki/field/field.hpp>
#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cstring>

namespace tasuki {
namespace {

using test::world;

struct Particle {
  double mass;
  std::int32_t kind, charge;
};
bool operator==(const Particle& a, const Particle& b) {
  return a.mass == b.mass && a.kind == b.kind && a.charge == b.charge;
}

template <class E>
E value(long code) {
  if constexpr (std::is_same_v<E, Particle>)
    return {0.5 * static_cast<double>(code), static_cast<std::int32_t>(code),
            -static_cast<std::int32_t>(code)};
  else
    return static_cast<E>(code);
}

// Each cell's number in the grid, x fastest, times the components, in the order of to_host().
template <class T, int D>
std::vector<typename Field<T>::Element> numbered(const Grid<D>& grid) {
  const Box owned = grid.core()->owned();
  std::vector<typename Field<T>::Element> values;
  for (int k = 0; k < Field<T>::components; ++k) {
    Index at = owned.lo;
    for (long left = owned.cells(); left > 0; --left) {
      long cell = 0;
      for (int a = D - 1; a >= 0; --a) cell = cell * grid.extent(a) + at[a];
      values.push_back(value<typename Field<T>::Element>(cell + k * grid.core()->all().cells()));
      for (int a = 0; a < D && ++at[a] == owned.hi[a]; ++a) at[a] = owned.lo[a];
    }
  }
  return values;
}

template <class T, int D>
void round_trip(const std::array<long, D>& extents) {
  const auto made = test::world_with([](Settings& s) {
    s.halo = 0;
    s.ranks.clear();
  });
  Grid<D> grid(*made, extents, {.halo = {{2, 1}, 1}});
  Field<T> field(grid, "field");
  using E = typename Field<T>::Element;
  for (const E& zero : field.to_host()) EXPECT_TRUE(zero == E{}); // zero at first
  const auto values = numbered<T>(grid);
  field.from_host(values);
  EXPECT_TRUE(field.to_host() == values);
  const auto whole = field.gather();
  if (made->rank() != 0) {
    EXPECT_TRUE(whole.empty());
    return;
  }
  ASSERT_EQ(static_cast<long>(whole.size()), grid.core()->all().cells() * Field<T>::components);
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_TRUE(whole[i] == value<E>(static_cast<long>(i))) << i;
}

TEST(Field, KeepsWhatIsWritten) {
  const long n = world().size();
  round_trip<float, 1>({37 * n});
  round_trip<double, 2>({23, 4 * n + 3});
  round_trip<double[3], 2>({23, 4 * n + 3});
  round_trip<std::complex<double>, 3>({7, 6, 2 * n + 1});
  round_trip<float[4], 3>({7, 6, 2 * n + 1});
  round_trip<Particle, 3>({7, 6, 2 * n + 1});
  round_trip<std::int64_t, 4>({5, 4, 3, 2 * n + 1});
}

template <int K>
void look_at_memory() {
  Grid<2> grid(world(), {20, 10L * world().size()}, {.halo = 1});
  Field<double[K]> field(grid, "field");
  const auto values = numbered<double[K]>(grid);
  field.from_host(values);
  EXPECT_EQ(field.stride(0), 1);
  EXPECT_EQ(field.extent(0) * field.extent(1), grid.core()->owned().cells());
  std::size_t i = 0;
  for (int k = 0; k < K; ++k)
    for (long y = 0; y < field.extent(1); ++y)
      for (long x = 0; x < field.extent(0); ++x) {
        double got = 0;
        copy_to_host(test::device(), &got,
                     field.data() + x * field.stride(0) + y * field.stride(1) + k * field.component_stride(),
                     sizeof got);
        EXPECT_EQ(got, values[i++]);
      }
}

TEST(Field, LendsItsMemory) {
  look_at_memory<2>();
  look_at_memory<kMostPlanes + 2>(); // row by row
}

TEST(Field, RefusesTooFewValues) {
  Grid<1> grid(world(), {16L * world().size()});
  Field<float> field(grid, "heat");
  try {
    field.from_host({1.0f});
    FAIL() << "it was not refused";
  } catch (const Error& fault) {
    EXPECT_STREQ(fault.what(),
                 "field 'heat' was given 1 values, a rank here owns 16; give one value a cell and "
                 "component that this rank owns");
  }
}

TEST(Field, IsAskedForAllItsCells) {
  const Grid<2> grid(world(), {8L * world().size(), 3});
  const Field<float> field(grid, "heat");
  const Region<2> all = field.all<2>();
  EXPECT_EQ(all.grid, grid.core());
  for (int a = 0; a < 2; ++a) {
    EXPECT_EQ(all.box.lo[a], 0);
    EXPECT_EQ(all.box.hi[a], grid.extent(a));
  }
  EXPECT_EQ(test::refusal([&] { field.all<3>(); }),
            "all cells of field 'heat' are asked for along 3 axes, and it has 2; ask for as many");
}

TEST(Field, IsOneOfAListWhateverItsType) {
  const Grid<1> grid(world(), {16L * world().size()});
  const Field<float> heat(grid, "heat");
  const Field<Particle> atoms(grid, "atoms");
  const std::vector<AnyField> list{heat, atoms};
  EXPECT_EQ(list[0].core(), heat.core());
  EXPECT_EQ(list[1].core(), atoms.core());
}

TEST(Field, TellsItsType) {
  Grid<1> grid(world(), {16L * world().size()});
  EXPECT_EQ(Field<float>(grid, "f").core()->type(), ValueType::f32);
  EXPECT_EQ(Field<double[2]>(grid, "f").core()->type(), ValueType::f64);
  EXPECT_EQ(Field<std::complex<float>>(grid, "f").core()->type(), ValueType::c64);
  EXPECT_EQ(Field<std::complex<double>>(grid, "f").core()->type(), ValueType::c128);
  EXPECT_EQ(Field<int>(grid, "f").core()->type(), ValueType::i32);
  EXPECT_EQ(Field<long>(grid, "f").core()->type(), ValueType::i64);
  EXPECT_EQ(Field<Particle>(grid, "f").core()->type(), ValueType::bytes);
  EXPECT_EQ(Field<double[2]>(grid, "f").core()->components(), 2);
}

TEST(Swap, TradesMemoriesWithoutACopy) {
  Grid<1> grid(world(), {16L * world().size()});
  Field<double> u(grid, "u"), v(grid, "v");
  u.from_host(std::vector<double>(16, 1.0));
  v.from_host(std::vector<double>(16, 2.0));
  double* const at_u = u.data();
  double* const at_v = v.data();
  u.core()->swap(*v.core());
  EXPECT_EQ(u.data(), at_v);
  EXPECT_EQ(v.data(), at_u);
  EXPECT_EQ(u.to_host(), std::vector<double>(16, 2.0));
  EXPECT_EQ(v.to_host(), std::vector<double>(16, 1.0));
  EXPECT_EQ(u.name(), "u");
}

TEST(Swap, RefusesFieldsThatDiffer) {
  Grid<1> grid(world(), {16L * world().size()}), other(world(), {16L * world().size()});
  Field<double> u(grid, "u"), far(other, "far");
  Field<float> narrow(grid, "narrow");
  Field<double[2]> two(grid, "two");
  Field<long> whole(grid, "whole");
  const auto refused = [&](FieldCore& with) {
    try {
      u.core()->swap(with);
    } catch (const Error& fault) {
      return std::string(fault.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused(*far.core()),
            "fields 'u' and 'far' cannot be swapped: they differ in grid, value or codec; swap fields of "
            "one grid, one value type and one codec");
  EXPECT_NE(refused(*narrow.core()), "");
  EXPECT_NE(refused(*two.core()), "");
  EXPECT_NE(refused(*whole.core()), "");
}

} // namespace
} // namespace tasuki
