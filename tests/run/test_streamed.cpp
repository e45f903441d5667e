// Fields that do not fit: slab by slab through a device that is held small, the same bits as by eager.
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cstring>

namespace tasuki {
namespace {

using test::world;

// How a program is streamed; 0: it is not.
struct Held {
  unsigned long memory = 0;
  int steps = 1;
  int halo = 1;
  const char* executor = "streamed";
};
std::ostream& operator<<(std::ostream& out, const Held& h) {
  return out << "--device-memory " << h.memory << " --steps-a-pass " << h.steps << " --halo " << h.halo
             << " on " << world().size() << " ranks";
}

std::unique_ptr<World> world_of(const Held& held) {
  return test::world_with([&](Settings& s) {
    s.executor = held.executor;
    s.device_memory = held.memory;
    s.steps_a_pass = held.steps;
    s.halo = held.halo;
    s.ranks.clear();
  });
}

struct Result {
  std::vector<double> values; // of rank 0: the fields', and what was summed
  RunReport report;
};

template <class T>
void append(std::vector<double>& to, const std::vector<T>& values) {
  for (const T& value : values) to.push_back(static_cast<double>(value));
}

// One dimension: planes are cells.
struct Rope {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = 0.5 * u(c, -2) + 0.25 * u(c, 1) + 0.125 * u(c) + 0.01;
  }
};
struct RopeInit {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    u(c) = static_cast<double>(c[0] * c[0] % 23);
    v(c) = static_cast<double>(c[0] % 5);
  }
};
Result rope(const Held& held) {
  const auto made = world_of(held);
  World& world = *made;
  Grid<1> grid(world, {701}, {.halo = 2});
  Field<double> u(grid, "u"), v(grid, "v");
  run(sweep(RopeInit{}, grid.all(), writes(u), writes(v)));
  Result result;
  result.report =
      run(program(sweep(Rope{}, grid.inner({{2, 1}}), reads(u, star({{2, 1}})), writes(v)), swap(u, v)),
          {.times = 11});
  append(result.values, u.gather());
  append(result.values, v.gather());
  return result;
}

// Two dimensions: one sweep and a swap, with the sum of every third step, and what the host makes of it.
struct Relax {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = 0.25f * (u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1));
  }
};
struct Measure {
  TS_CELL void operator()(auto c, auto u, auto v, auto sum, auto most) const {
    v(c) = 0.25f * (u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1));
    sum(c, (v(c) - u(c)) * (v(c) - u(c)));
    most(c, v(c));
  }
};
struct PlateInit {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    u(c) = v(c) = static_cast<float>((c[0] * 7 + c[1] * 13) % 29) / 29.0f;
  }
};
Result plate(const Held& held) {
  const auto made = world_of(held);
  World& world = *made;
  Grid<2> grid(world, {40, 53}, {.halo = 1});
  Field<float> u(grid, "u"), v(grid, "v");
  Sum<float> sum(world, "sum");
  Max<float> most(world, "most");
  run(sweep(PlateInit{}, grid.all(), writes(u), writes(v)));
  const Program steps = program(
      every(3, sweep(Measure{}, grid.inner(1), reads(u, star(1)), writes(v), reduces(sum), reduces(most)),
            sweep(Relax{}, grid.inner(1), reads(u, star(1)), writes(v))),
      swap(u, v));
  Result result;
  result.report = run(steps, {.times = 12});
  append(result.values, u.gather());
  append(result.values, v.gather());
  append(result.values, std::vector{sum.value(), most.value()});
  return result;
}

// Until the sum of every step is small: each step is looked at.
Result cooled(const Held& held) {
  const auto made = world_of(held);
  World& world = *made;
  Grid<2> grid(world, {40, 53}, {.halo = 1});
  Field<float> u(grid, "u"), v(grid, "v");
  Sum<float> sum(world, "sum");
  Max<float> most(world, "most");
  run(sweep(PlateInit{}, grid.all(), writes(u), writes(v)));
  const auto step = program(
      sweep(Measure{}, grid.inner(1), reads(u, star(1)), writes(v), reduces(sum), reduces(most)), swap(u, v));
  Result result;
  result.report = run(step, {.times = 40, .until = below(sum, 4.0f)});
  append(result.values, u.gather());
  append(result.values, std::vector{sum.value()});
  return result;
}

// Three dimensions, as himeno and more: corners, coefficients of several components, an update, a field of many
// components, a call, a periodic axis, two sweeps a step.
struct PotInit {
  TS_CELL void operator()(auto c, auto p, auto q, auto a, auto t) const {
    p(c) = q(c) = static_cast<float>((c[0] * 3 + c[1] * 5 + c[2] * 7) % 19) / 19.0f;
    for (int k = 0; k < 4; ++k) a[k](c) = static_cast<float>((c[0] + k * c[1] + c[2]) % 7) / 28.0f;
    for (int k = 0; k < 18; ++k) t[k](c) = static_cast<float>((c[0] + k + c[2]) % 5);
  }
};
struct Pot {
  TS_CELL void operator()(auto c, auto p, auto a, auto q) const {
    q(c) = a[0](c) * p(c, 1, 0, 0) + a[1](c) * p(c, 0, -1, 0) + a[2](c) * (p(c, 0, 1, 1) - p(c, -1, 0, 1)) +
           a[3](c) * p(c, 1, -1, 0) * p(c, 0, 0, -1) + 0.25f * p(c);
  }
};
struct Stir {
  TS_CELL void operator()(auto c, auto q, auto t) const {
    t[0](c) = 0.5f * t[0](c) + q(c);
    t[17](c) = 0.5f * t[17](c) - q(c, 0, 0, 1);
  }
};
Result pot(const Held& held, bool periodic, bool calls) {
  const auto made = world_of(held);
  World& world = *made;
  Grid<3> grid(world, {18, 16, 21}, {.halo = 1, .periodic = {false, false, periodic}});
  Field<float> p(grid, "p"), q(grid, "q");
  Field<float[4]> a(grid, "a");
  Field<float[18]> t(grid, "t");
  run(sweep(PotInit{}, grid.all(), writes(p), writes(q), writes(a), writes(t)));
  const auto inside = grid.inner({1, 1, 1});
  const auto stew = sweep(Pot{}, inside, reads(p, edges(1)), reads(a), writes(q));
  const auto stir = sweep(Stir{}, inside, reads(q, star({0, 0, {0, 1}})), updates(t));
  Result result;
  const auto salt = call([&](long) {
    std::vector<float> values = p.to_host();
    for (float& value : values) value += 0.125f;
    p.from_host(values);
  });
  result.report = calls ? run(program(stew, stir, swap(p, q), every(4, salt)), {.times = 9})
                        : run(program(stew, stir, swap(p, q)), {.times = 9});
  append(result.values, p.gather());
  append(result.values, q.gather());
  append(result.values, t.gather());
  return result;
}

// A solver's step: sums, what a settlement makes of them, and sweeps that use it.
struct Steepest {
  TS_CELL void operator()(auto c, auto r, auto q, auto rr, auto rq) const {
    q(c) = 5 * r(c) - r(c, 1, 0) - r(c, -1, 0) - r(c, 0, 1) - r(c, 0, -1);
    rr(c, r(c) * r(c));
    rq(c, r(c) * q(c));
  }
};
struct Length {
  TS_CELL void operator()(double* s, double rr, double rq) const { s[0] = rr / rq; }
};
struct Descend {
  TS_CELL void operator()(auto c, auto s, auto q, auto x, auto r) const {
    x(c) += s[0] * r(c);
    r(c) -= s[0] * q(c);
  }
};
struct SlopeInit {
  TS_CELL void operator()(auto c, auto r) const { r(c) = static_cast<double>((c[0] * 7 + c[1] * 13) % 29); }
};
Result solved(const Held& held) {
  const auto made = world_of(held);
  World& world = *made;
  Grid<2> grid(world, {24, 40}, {.halo = 1, .periodic = true});
  Field<double> x(grid, "x"), r(grid, "r"), q(grid, "q");
  Sum<double> rr(world, "rr"), rq(world, "rq");
  Scalars<1> s(world, "s");
  run(sweep(SlopeInit{}, grid.all(), writes(r)));
  Result result;
  result.report =
      run(program(sweep(Steepest{}, grid.all(), reads(r, star(1)), writes(q), reduces(rr), reduces(rq)),
                  settle(Length{}, s, rr, rq),
                  sweep(Descend{}, grid.all(), uses(s), reads(q), updates(x), updates(r))),
          {.times = 7});
  append(result.values, x.gather());
  append(result.values, std::vector{rr.value()});
  return result;
}

template <class Make>
void compare(const Make& make, std::initializer_list<Held> ways) {
  const Result due = make(Held{.halo = ways.begin()->halo, .executor = "eager"});
  for (const Held& held : ways) {
    std::ostringstream text;
    text << held;
    SCOPED_TRACE(text.str());
    const Result got = make(held);
    EXPECT_EQ(got.report.executor, "streamed");
    EXPECT_GT(got.report.streamed.brought, 0);
    EXPECT_EQ(got.report.steps, due.report.steps);
    ASSERT_EQ(got.values.size(), due.values.size());
    if (due.values.empty()) continue; // rank 0 has them
    EXPECT_EQ(std::memcmp(got.values.data(), due.values.data(), due.values.size() * sizeof(double)), 0);
  }
}

constexpr unsigned long kKiB = 1024;

TEST(Streamed, HasTheBitsOfEagerInOneDimension) {
  compare(rope, {{16 * kKiB, 1, 2}, {16 * kKiB, 3, 2}, {16 * kKiB, 4, 8}, {1024 * kKiB, 5, 4}});
}

TEST(Streamed, HasTheBitsOfEagerInTwoDimensions) {
  compare(plate, {{20 * kKiB, 1}, {20 * kKiB, 2}, {24 * kKiB, 4, 4}, {1024 * kKiB, 6, 3}});
}

TEST(Streamed, LooksAtASumInEveryStep) { compare(cooled, {{20 * kKiB, 4}, {20 * kKiB, 4, 2}}); }

TEST(Streamed, SettlesBetweenPasses) { compare(solved, {{24 * kKiB, 1}, {24 * kKiB, 4, 2}}); }

TEST(Streamed, HasTheBitsOfEagerInThreeDimensions) {
  for (const bool periodic : {false, true})
    for (const bool calls : {false, true}) {
      SCOPED_TRACE(std::string(periodic ? "periodic" : "") + (calls ? " with calls" : ""));
      compare([&](const Held& held) { return pot(held, periodic, calls); },
              {{900 * kKiB, 1}, {900 * kKiB, 2, 2}, {1200 * kKiB, 3, 2}});
    }
}

// Planes come and go once in each pass, whatever the slabs. Of the field that the first step of a pass writes only the edges
// come, and it goes back behind the last pass of those that are thought of together alone.
TEST(Streamed, BringsAndTakesEachPlaneOnceAPass) {
  if (world().size() > 1) return;
  const long row = [] { // bytes of a plane
    const auto made = world_of({.memory = 24 * kKiB});
    Grid<2> grid(*made, {40, 53}, {.halo = 1});
    return grid.core()->layout().stride[1] * 4;
  }();
  // A GPU's copy engine takes rows as short as these in whole planes.
  const bool whole = test::device().cuda();
  const auto edges = [&](long planes) { return whole ? planes * row : (42 * planes - 38 * 51) * 4; };
  struct Case {
    int steps;
    long passes, alone, taken; // alone: of one step; taken: fields
  };
  // Of six steps the sums of the third and the sixth cannot be of one pass: the sixth is done by itself.
  for (const Case& c : {Case{2, 6, 0, 8}, Case{3, 4, 0, 5}, Case{6, 2, 2, 4}})
    for (const unsigned long memory : {24 * kKiB, 1024 * kKiB}) {
      const StreamUse use = plate({.memory = memory, .steps = c.steps}).report.streamed;
      EXPECT_EQ(use.brought, c.passes * (53 * row + edges(53)) + c.alone * (53 * row + edges(51))) << c.steps;
      EXPECT_EQ(use.taken, c.taken * 51 * row) << c.steps;
    }
  EXPECT_EQ(plate({.executor = "eager"}).report.streamed.brought, 0);
}

// The same where halos are exchanged between passes and cells of them are written too: of four passes the last takes two
// fields back, the others one.
TEST(Streamed, TakesNoFieldBackThatTheNextPassOverwrites) {
  const auto made = world_of({.memory = 1024 * kKiB, .steps = 3, .halo = 3});
  World& world = *made;
  Grid<2> grid(world, {40, 53}, {.halo = 1, .periodic = true});
  Field<float> u(grid, "u"), v(grid, "v");
  run(sweep(PlateInit{}, grid.all(), writes(u), writes(v)));
  const auto report =
      run(program(sweep(Relax{}, grid.all(), reads(u, star(1)), writes(v)), swap(u, v)), {.times = 12});
  EXPECT_GT(report.streamed.taken, 0);
  EXPECT_LT(2 * report.streamed.taken, 3 * report.streamed.brought);
}

// Ranks send each other what they would by any other executor.
TEST(Streamed, SendsHalosAsDeepAsAPassOnce) {
  const auto sent = [](const char* executor) {
    const RunReport report =
        plate({.memory = 1024 * kKiB, .steps = 4, .halo = 4, .executor = executor}).report;
    long bytes = 0;
    for (const auto& [name, use] : report.channels) bytes += use.bytes;
    return bytes;
  };
  EXPECT_EQ(sent("streamed"), sent("eager"));
}

TEST(Streamed, IsTakenByAutoWhereFieldsDoNotFit) {
  const auto by_auto = [](unsigned long memory) {
    return plate({.memory = memory, .steps = 2, .executor = "auto"});
  };
  const Result due = plate({.executor = "eager"}), large = by_auto(1024 * kKiB);
  EXPECT_NE(large.report.executor, "streamed");
  EXPECT_EQ(large.report.streamed.brought, 0);
  EXPECT_EQ(large.values, due.values);
  if (world().size() > 1) return; // a block of theirs is smaller
  const Result small = by_auto(9 * kKiB), half = by_auto(19 * kKiB);
  EXPECT_EQ(small.report.executor, "streamed");
  EXPECT_EQ(small.values, due.values);
  EXPECT_EQ(half.report.executor, "streamed"); // one of the two fields stays on the device
  EXPECT_LT(half.report.streamed.brought, small.report.streamed.brought);
  EXPECT_EQ(half.values, due.values);
}

std::string refusal(const Held& held) {
  try {
    plate(held);
  } catch (const Error& fault) {
    return fault.what();
  }
  return "";
}

TEST(Streamed, SaysThatNotEvenASlabFits) {
  const std::string text = refusal({.memory = kKiB});
  EXPECT_NE(text.find("for one plane at a time"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

TEST(Streamed, IsNamedWhereAnotherExecutorHasNoRoom) {
  const std::string text = refusal({.memory = kKiB, .executor = "eager"});
  EXPECT_NE(text.find("field 'u'"), std::string::npos) << text;
  EXPECT_NE(text.find("does not fit"), std::string::npos) << text;
  EXPECT_NE(text.find("streamed"), std::string::npos) << text;
}

struct Stay {
  TS_CELL void operator()(auto c, auto t) const { t[0](c) = t[0](c) + 1.0f; }
};

TEST(Streamed, RefusesAGridThatWrapsWhereItIsCutIntoSlabs) {
  if (world().size() > 1) return;
  const auto made = world_of({});
  World& world = *made;
  Grid<2> grid(world, {12, 12}, {.halo = 1, .periodic = true, .wraps = true});
  if (!grid.core()->cut().wraps_at(1)) return; // a halo is asked for by --halo or --channel
  Field<float[18]> t(grid, "t");
  EXPECT_THROW(run(program(sweep(Stay{}, grid.all(), updates(t))), {.times = 8}), Error);
}

} // namespace
} // namespace tasuki
