// What ranks compare before they run a program: its terms name whatever determines messages, and its digest changes with each.
#include <tasuki/program/intent.hpp>
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace tasuki {
namespace {

struct Relax {
  TS_CELL void operator()(auto c, auto u, auto v) const { v(c) = .5f * (u(c, -1, 0) + u(c, 1, 0)); }
};
struct Push {
  float by;
  TS_CELL void operator()(auto c, auto u) const { u(c) = by + u(c); }
};
struct Add {
  TS_CELL void operator()(auto c, auto u, auto sum) const { sum(c, u(c)); }
};

struct Intent : testing::Test {
  World& world = test::world();
  Grid<2> grid{world, {40, 32}, {.halo = 3}};
  Field<float> u{grid, "u"}, v{grid, "v"};
  Sum<float> sum{world, "sum"};

  static std::string text(const Program& program) {
    std::string all;
    for (const auto& [name, term] : terms_of(program.items())) all += name + ": " + term + "\n";
    return all;
  }
};

TEST_F(Intent, TermsNameRegionAccessesAndPeriod) {
  const std::string relax =
      text(program(sweep(Relax{}, grid.inner(1), reads(u, star(1)), writes(v)), swap(u, v)));
  for (const char* part :
       {"item 1: Relax over [1, 39) x [1, 31), reads u star(1), writes v (type ", "item 2: swap u, v\n"})
    EXPECT_NE(relax.find(part), std::string::npos) << part << "\n" << relax;
  const std::string others =
      text(program(exchange(u, v), every(5, sweep(Push{1}, grid.all(), updates(u))),
                   sweep(Add{}, grid.all(), reads(u), reduces(sum)), call([](long) {})));
  for (const char* part : {"item 1: exchange u v\n", "updates u (type ", " in every 5 steps\n",
                           "reads u, reduces sum (type ", "item 4: call\n"})
    EXPECT_NE(others.find(part), std::string::npos) << part << "\n" << others;
  EXPECT_NE(text(program(sweep(Relax{}, grid.inner(1), reads(u, box(1)), writes(v)))).find("reads u box(1)"),
            std::string::npos);
}

// Each of these programs has other messages than the others, or other kernels.
TEST_F(Intent, ADigestIsThatOfOneProgram) {
  const Field<float> w(grid, "w");
  const std::vector<std::function<Program()>> programs = {
      [&] { return program(sweep(Relax{}, grid.inner(1), reads(u, star(1)), writes(v))); },
      [&] { return program(sweep(Relax{}, grid.inner(2), reads(u, star(1)), writes(v))); },
      [&] { return program(sweep(Relax{}, grid.inner(2), reads(u, star(2)), writes(v))); },
      [&] { return program(sweep(Relax{}, grid.inner(1), reads(u, box(1)), writes(v))); },
      [&] { return program(sweep(Relax{}, grid.inner(1), reads(v, star(1)), writes(u))); },
      [&] { return program(sweep(Relax{}, grid.inner(1), reads(u, star(1)), writes(w))); },
      [&] { return program(every(2, sweep(Relax{}, grid.inner(1), reads(u, star(1)), writes(v)))); },
      [&] { return program(sweep(Relax{}, grid.inner(1), reads(u, star(1)), writes(v)), swap(u, v)); },
      [&] { return program(sweep(Push{1}, grid.all(), updates(u))); },
      [&] { return program(exchange(u)); },
  };
  for (std::size_t a = 0; a < programs.size(); ++a)
    for (std::size_t b = 0; b < programs.size(); ++b)
      EXPECT_EQ(digest_of(programs[a]()) == digest_of(programs[b]()), a == b) << a << ", " << b;
  // Numbers in a cell function may differ between ranks: a boundary that one of them has.
  EXPECT_EQ(digest_of(program(sweep(Push{1}, grid.all(), updates(u)))),
            digest_of(program(sweep(Push{2}, grid.all(), updates(u)))));
}

// A rank that wrote a field, or swapped two, on its own is found by the next run: here, all ranks do it.
TEST_F(Intent, ADigestChangesWithTheHalosAndTheMemoriesOfTheFields) {
  const Program relax = program(sweep(Relax{}, grid.inner(1), reads(u, star(1)), writes(v)));
  const auto state = [&] { return terms_of(relax.planner()); };
  const auto at_first = digest_of(relax);
  const Terms first = state();
  run(program(exchange(u)));
  const auto exchanged = digest_of(relax);
  EXPECT_NE(exchanged, at_first);
  EXPECT_NE(state(), first);
  run(program(swap(u, v)));
  EXPECT_NE(digest_of(relax), exchanged);
  run(program(swap(u, v)));
  EXPECT_EQ(digest_of(relax), exchanged);
  u.from_host(std::vector<float>(u.to_host().size(), 1)); // the halo of u is stale again
  EXPECT_EQ(digest_of(relax), at_first);
  EXPECT_EQ(state(), first);
  // A halo of no width is stale, however many axes it is valid along.
  u.core()->validity().exchanged({Widths{}, 2}, 2);
  EXPECT_EQ(digest_of(relax), at_first);
}

} // namespace
} // namespace tasuki
