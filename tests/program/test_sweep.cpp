// What a sweep may name, for every pair of accesses, and by which name its cell function goes.
#include <tasuki/program/sweep.hpp>
#include <tests/bare_sweep.hpp>
#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

using test::bare_sweep;
using test::refusal;

struct Named {};
template <class T, int N>
struct NamedOf {
  struct Inner {};
};
namespace deep::deeper {
struct Named {};
template <class T>
struct Holding {};
} // namespace deep::deeper

TEST(Sweep, GoesByTheNameInItsSource) {
  using detail::type_name;
  EXPECT_EQ(type_name(typeid(Named)), "Named");
  EXPECT_EQ(type_name(typeid(deep::deeper::Named)), "Named");
  EXPECT_EQ(type_name(typeid(int)), "int");
  EXPECT_EQ(type_name(typeid(NamedOf<float, 3>)), "NamedOf<float, 3>");
  EXPECT_EQ(type_name(typeid(deep::deeper::Holding<int>)), "Holding<int>");
  EXPECT_EQ(type_name(typeid(deep::deeper::Holding<std::less<int>>)), "Holding<std::less<int> >")
      << "names of what it holds stay whole";
  EXPECT_EQ(type_name(typeid(NamedOf<float, 3>::Inner)), "NamedOf<float, 3>::Inner");
}

struct NamedSweeps : testing::Test {
  Grid<2> grid{test::world(), {16, 16}, {.halo = 1}};
  Field<float> u{grid, "u"}, v{grid, "v"};
  Sum<float> sum{test::world(), "sum"};

  template <class... A>
  std::string fault(const A&... accesses) const {
    return refusal([&] { bare_sweep("Named", grid.inner(1), accesses...); });
  }
  // All pairs of these accesses, of one field and of two.
  template <class One, class Other>
  void expect_pair(const One& of_u, const Other& of_u_too, const Other& of_v) const {
    EXPECT_EQ(fault(of_u, of_v), "");
    EXPECT_EQ(fault(of_v, of_u), "");
    for (const std::string& text : {fault(of_u, of_u_too), fault(of_u, of_v, reduces(sum), of_u_too)})
      EXPECT_EQ(text,
                "sweep 'Named' names field 'u' twice; use updates() for a field read and written in the same "
                "cell, and a second field and swap() for one that is read further away");
  }
  template <class One>
  void expect_pairs(const One& of_u) const {
    expect_pair(of_u, reads(u), reads(v));
    expect_pair(of_u, reads(u, star(1)), reads(v, star(1)));
    expect_pair(of_u, writes(u), writes(v));
    expect_pair(of_u, updates(u), updates(v));
  }
};

TEST_F(NamedSweeps, NameAFieldOnce) {
  expect_pairs(reads(u));
  expect_pairs(reads(u, star(1)));
  expect_pairs(writes(u));
  expect_pairs(updates(u));
}

TEST_F(NamedSweeps, AreOverTheGridOfEachOfTheirFields) {
  const Grid<2> other(test::world(), {16, 16}, {.halo = 1});
  const Field<float> w(other, "w");
  const std::string unlike =
      "sweep 'Named' runs over another grid than field 'w' lives on; take the region from the grid "
      "of its fields";
  EXPECT_EQ(fault(reads(w)), unlike);
  EXPECT_EQ(fault(reads(u), writes(v), reduces(sum), updates(w)), unlike);
  EXPECT_EQ(fault(reads(u), writes(v), reduces(sum)), "");
}

TEST_F(NamedSweeps, KnowWhetherTheyReduce) {
  const Sweep plain = bare_sweep("Named", grid.all(), writes(u)),
              summed = bare_sweep("Named", grid.all(), reads(u), reduces(sum));
  EXPECT_FALSE(plain->reduces());
  EXPECT_TRUE(summed->reduces());
  EXPECT_EQ(summed->region(), grid.core()->all());
  ASSERT_EQ(summed->accesses().size(), 2u);
  EXPECT_TRUE(summed->accesses()[0].here);
  EXPECT_EQ(summed->accesses()[1].name, "sum");
}

} // namespace
} // namespace tasuki
