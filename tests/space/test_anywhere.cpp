// Sweeps that read a field at global indices: the program synchronises it before, on its own, and waits before it is written.
#include <tasuki/model/predict.hpp>
#include <tasuki/program/plan.hpp>
#include <tasuki/run/run.hpp>
#include <tasuki/space/field.hpp>
#include <tests/checks.hpp>
#include <tests/space/spaces.hpp>

#include <unistd.h>

#include <vector>

namespace tasuki::test {
namespace {

void host_only(Settings& s) {
  s.device = "host";
  s.halo = 0;
  s.ranks.clear();
}
auto executed_by(const char* executor) {
  return [executor](Settings& s) {
    host_only(s);
    s.executor = executor;
  };
}

constexpr long kX = 41, kY = 26;
float at_first(long x, long y) { return static_cast<float>((x * 31 + y * 17) % 101); }
int wind_at(long x, long y) { return static_cast<int>((x * 5 + y * 3) % 23) - 11; }

// The whole field on one rank, both axes periodic.
struct Plain {
  std::vector<float> cells = std::vector<float>(kX * kY);
  float& operator()(long x, long y) {
    return cells[static_cast<std::size_t>((y % kY + kY) % kY * kX + (x % kX + kX) % kX)];
  }
  template <class F>
  void each(const F& f) {
    for (long y = 0; y < kY; ++y)
      for (long x = 0; x < kX; ++x) (*this)(x, y) = f(x, y);
  }
};

struct Blow {
  TS_CELL void operator()(auto c, auto u, auto wind) const {
    u(c) = static_cast<float>((c[0] * 31 + c[1] * 17) % 101);
    wind(c) = static_cast<int>((c[0] * 5 + c[1] * 3) % 23) - 11;
  }
};
struct Pull {
  TS_CELL void operator()(auto c, auto wind, auto near, auto far, auto to) const {
    to(c) = 0.5f * far.at(c[0] - wind(c), c[1] + 2 * wind(c)) + 0.25f * (near(c, 1, 0) - near(c, 0, -1));
  }
};

TEST(Anywhere, IsReadAsTheLastStepLeftIt) {
  constexpr int steps = 3;
  Plain now, then;
  const auto step = [&] {
    then.each([&](long x, long y) {
      const long wind = wind_at(x, y);
      return 0.5f * now(x - wind, y + 2 * wind) + 0.25f * (now(x + 1, y) - now(x, y - 1));
    });
    std::swap(now, then);
  };
  now.each(at_first);
  for (int k = 0; k < steps; ++k) step();
  const std::vector<float> first = now.cells;
  now.each([](long x, long y) { return static_cast<float>(x - 2 * y); });
  for (int k = 0; k < steps; ++k) step();
  for (const char* executor : {"eager", "overlapped", "resident"})
    each_space(
        [&](Space& space, const std::string&) {
          SCOPED_TRACE(executor);
          const Grid<2> grid(space.world(), {kX, kY}, {.halo = 2, .periodic = true});
          Field<float> u(grid, "u", space);
          const Field<float> v(grid, "v", space);
          const Field<int> wind(grid, "wind");
          run(sweep(Blow{}, grid.all(), writes(u), writes(wind)));
          const Program pull = program(
              sweep(Pull{}, grid.all(), reads(wind), reads(u, star(1)), anywhere(u), writes(v)), swap(u, v));
          run(pull, {.times = steps});
          const bool looks = space.world().rank() == 0;
          if (const std::vector<float> is = u.gather(); looks) {
            EXPECT_TRUE(same_bits(is, first));
          }
          // What the host writes between two runs is seen as well.
          const Box own = grid.core()->owned();
          std::vector<float> values;
          for (long y = own.lo[1]; y < own.hi[1]; ++y)
            for (long x = own.lo[0]; x < own.hi[0]; ++x) values.push_back(static_cast<float>(x - 2 * y));
          u.from_host(values);
          run(pull, {.times = steps});
          if (const std::vector<float> is = u.gather(); looks) {
            EXPECT_TRUE(same_bits(is, now.cells));
          }
        },
        executed_by(executor));
}

// One rank takes its time: the others would have written what it still reads.
struct Slowly {
  int rank;
  TS_CELL void operator()(auto c, auto far, auto to) const {
    if (rank == 0 && c[0] == 0) usleep(300);
    to(c) = far.at(c[0], kY - 1 - c[1]) + 1.0f;
  }
};
struct Back {
  TS_CELL void operator()(auto c, auto from, auto u) const { u(c) = 0.5f * from(c); }
};

TEST(Anywhere, IsNotWrittenWhileOthersRead) {
  constexpr int steps = 3;
  Plain now, then;
  now.each(at_first);
  for (int k = 0; k < steps; ++k) {
    then.each([&](long x, long y) { return now(x, kY - 1 - y) + 1.0f; });
    now.each([&](long x, long y) { return 0.5f * then(x, y); });
  }
  for (const char* executor : {"eager", "resident"})
    for (const bool by_a_call : {false, true}) {
      if (by_a_call && executor == std::string("resident")) continue; // its steps with calls are eager's
      each_space(
          [&](Space& space, const std::string&) {
            SCOPED_TRACE(std::string(executor) + (by_a_call ? ", a call writes" : ""));
            const Grid<2> grid(space.world(), {kX, kY}, {.halo = 1, .periodic = true});
            Field<float> u(grid, "u", space);
            const Field<float> v(grid, "v");
            const Field<int> wind(grid, "wind");
            run(sweep(Blow{}, grid.all(), writes(u), writes(wind)));
            const auto slowly = sweep(Slowly{space.world().rank()}, grid.all(), anywhere(u), writes(v));
            if (by_a_call)
              run(program(slowly, call([&](long) {
                            std::vector<float> values = v.to_host();
                            for (float& value : values) value *= 0.5f;
                            u.from_host(values);
                          })),
                  {.times = steps});
            else
              run(program(slowly, sweep(Back{}, grid.all(), reads(v), writes(u))), {.times = steps});
            if (const std::vector<float> is = u.gather(); space.world().rank() == 0) {
              EXPECT_TRUE(same_bits(is, now.cells));
            }
          },
          executed_by(executor));
    }
}

struct Number {
  TS_CELL void operator()(auto c, auto u) const {
    for (int k = 0; k < 3; ++k) u[k](c) = 10000L * k + 100 * c[1] + c[0];
  }
};
struct Mirror { // along y, which ends, and once and a half round x, which does not
  TS_CELL void operator()(auto c, auto far, auto to) const {
    for (int k = 0; k < 3; ++k) to[k](c) = far[2 - k].at(c[0] + 55, 28 - c[1]);
  }
};

TEST(Anywhere, HasTheNumbersOfACell) {
  each_space(
      [](Space& space, const std::string&) {
        const Grid<2> grid(space.world(), {37, 29}, {.halo = {{1, 2}, {2, 1}}, .periodic = {true, false}});
        const Field<long[3]> u(grid, "u", space), v(grid, "v");
        run(program(sweep(Number{}, grid.all(), writes(u)),
                    sweep(Mirror{}, grid.all(), anywhere(u), writes(v))));
        const std::vector<long> is = v.gather();
        for (std::size_t i = 0; i < is.size(); ++i) {
          const long k = static_cast<long>(i) / (37 * 29), y = static_cast<long>(i) / 37 % 29,
                     x = static_cast<long>(i) % 37;
          ASSERT_EQ(is[i], 10000L * (2 - k) + 100 * (28 - y) + (x + 55) % 37);
        }
      },
      host_only);
}

// "s" for a synchronisation, "p" for a sweep, "c" for a call, by step.
std::vector<std::string> plans(const Program& program, long steps) {
  std::vector<std::string> all;
  PlannedStep* last = nullptr;
  for (long number = 1; number <= steps; ++number) {
    last = &program.planner().step(number, last);
    std::string& text = all.emplace_back();
    for (const PlannedOp& op : last->ops)
      text += std::holds_alternative<PlannedSync>(op)    ? "s"
              : std::holds_alternative<PlannedSweep>(op) ? "p"
              : std::holds_alternative<PlannedCall>(op)  ? "c"
                                                         : "";
  }
  return all;
}

TEST(Anywhere, IsSynchronisedWhereItWasWritten) {
  one_space(1, "auto", host_only, [&](Space& space, const std::string&) {
    const Grid<2> grid(space.world(), {kX, kY}, {.halo = 0, .periodic = true});
    const Field<float> u(grid, "u", space), v(grid, "v", space), w(grid, "w", space);
    using Steps = std::vector<std::string>;
    const auto far = [&](const auto& from, const auto& to) {
      return sweep(Slowly{1}, grid.all(), anywhere(from), writes(to));
    };
    EXPECT_EQ(plans(program(far(u, v)), 3), (Steps{"sp", "p", "p"}));
    EXPECT_EQ(plans(program(far(u, v), swap(u, v)), 3), (Steps{"sp", "sp", "sp"}));
    EXPECT_EQ(plans(program(far(u, v), far(v, u)), 3), (Steps{"spsp", "spsp", "spsp"}));
    const auto back = sweep(Back{}, grid.all(), reads(v), writes(u)); // of what others may be reading
    EXPECT_EQ(plans(program(far(u, v), back), 2), (Steps{"spsp", "spsp"}));
    // One synchronisation is for all that lie in the space: of w as well, for the second sweep.
    EXPECT_EQ(plans(program(far(u, v), far(w, v)), 2), (Steps{"spp", "pp"}));
    EXPECT_EQ(plans(program(far(u, v), call([](long) {})), 2), (Steps{"spsc", "psc"}));
    EXPECT_EQ(plans(program(sweep(Back{}, grid.all(), reads(u), writes(v))), 2), (Steps{"p", "p"}));
  });
}

// The model sees what the planner does, and that not all executors do it.
TEST(Anywhere, IsInTheModel) {
  one_space(1, "auto", host_only, [&](Space& space, const std::string&) {
    const Grid<2> grid(space.world(), {kX, kY}, {.halo = 1, .periodic = true});
    const Field<float> u(grid, "u", space), v(grid, "v", space);
    const Program far = program(sweep(Slowly{1}, grid.all(), anywhere(u), writes(v)), swap(u, v));
    Constants machine = Constants::named("host");
    machine.space.synchronisation = 3;
    EXPECT_NEAR(predict(describe(far).resized({512, 512}), 1, "eager", machine).parts[Part::latency], 3,
                0.01);
    EXPECT_FALSE(predict(describe(far), 1, "streamed", machine).possible());
    const Program near = program(sweep(Back{}, grid.all(), reads(u), writes(v)), swap(u, v));
    EXPECT_LT(predict(describe(near), 1, "eager", machine).parts[Part::latency], 1);
  });
}

TEST(Anywhere, RefusesWhatItCannotDo) {
  one_space(1, "auto", executed_by("streamed"), [&](Space& space, const std::string&) {
    const Grid<2> grid(space.world(), {kX, kY}, {.halo = 0, .periodic = true});
    const Field<float> u(grid, "u", space), v(grid, "v", space), plain(grid, "plain");
    EXPECT_EQ(refusal([&] { sweep(Slowly{1}, grid.all(), anywhere(plain), writes(v)); }),
              "sweep 'Slowly' reads field 'plain' anywhere, and ranks have no address for each other's cells "
              "of it; "
              "make it in a space: Field<..> plain(grid, \"plain\", space)");
    EXPECT_NE(refusal([&] {
                sweep(Slowly{1}, grid.all(), anywhere(u), writes(u));
              }).find("sweep 'Slowly' names field 'u' twice"),
              std::string::npos);
    const auto slowly = sweep(Slowly{1}, grid.all(), anywhere(u), writes(v));
    EXPECT_EQ(refusal([&] { program(slowly, swap(u, v), swap(v, plain)); }),
              "field 'plain' is swapped with 'v', which is read anywhere, and ranks have no address for each "
              "other's "
              "cells of it; make it in a space: Field<..> plain(grid, \"plain\", space)");
    EXPECT_EQ(
        refusal([&] { run(program(slowly, swap(u, v)), {.times = 9}); }),
        "--executor streamed cannot do this program: sweep 'Slowly' reads field 'u' anywhere, and parts of a "
        "block alone are at hand; take --executor auto, or one of the others");
  });
}

} // namespace
} // namespace tasuki::test
