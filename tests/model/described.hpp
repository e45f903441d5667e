// Programs that the tests of the model think of.
#pragma once

#include <tasuki/model/description.hpp>
#include <tests/support.hpp>

namespace tasuki::test {

struct Relax {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = 0.25f * (u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1));
  }
};
struct RelaxAndMeasure {
  TS_CELL void operator()(auto c, auto u, auto v, auto sum) const {
    v(c) = u(c, 1, 0) + u(c, 0, 1);
    sum(c, static_cast<double>(v(c)));
  }
};

// Of n by n cells; `measured`: with a sum in every step, `asked`: with a call of the host in every step.
inline Description laplace(long n, bool measured = false, bool asked = false) {
  const Grid<2> small(world(), {24, 24}, {.halo = 1, .ranks = 0});
  const Field<float> u(small, "u"), v(small, "v");
  const Sum<double> sum(world(), "sum");
  Items items = measured ? tasuki::items(sweep(RelaxAndMeasure{}, small.inner(1), reads(u, star(1)),
                                               writes(v), reduces(sum)))
                         : tasuki::items(sweep(Relax{}, small.inner(1), reads(u, star(1)), writes(v)));
  items.push_back(swap(u, v));
  if (asked) items.push_back(call([](long) {}));
  return describe(Program(items)).resized({n, n});
}

struct Weigh { // as himeno: 13 numbers of a cell that no step changes
  TS_CELL void operator()(auto c, auto u, auto weights, auto v, auto sum) const {
    float all = 0;
    for (int k = 0; k < 13; ++k) all += weights[k](c) * u(c, k % 3 - 1, k / 9, 0);
    v(c) = all;
    sum(c, static_cast<double>(all));
  }
};

inline Description weighed(const Index& extents) {
  const Grid<3> small(world(), {12, 12, 12}, {.halo = 1, .ranks = 0});
  const Field<float> u(small, "u"), v(small, "v");
  const Field<float[13]> weights(small, "weights");
  const Sum<double> sum(world(), "sum");
  return describe(Program(items(sweep(Weigh{}, small.inner(1), reads(u, box(1)), reads(weights), writes(v),
                                      reduces(sum))) +
                          items(swap(u, v))))
      .resized(extents);
}

} // namespace tasuki::test
