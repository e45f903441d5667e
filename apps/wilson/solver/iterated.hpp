// The common part of the inner solvers: the program of an iteration, repeated until each column's scalars stop it.
#pragma once

#include <apps/wilson/solver/krylov.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tasuki::wilson::detail {

inline constexpr int kKept = 16; // the last iterations for which |r|^2 is stored
// Scalars of an iteration, for each column. A complex number takes two slots.
enum Slot {
  kRho,
  kAlpha = 2,
  kOmega = 4,
  kBeta = 6,
  kNorm = 8,
  kIterations,
  kBroken,
  kMost,
  kBound,
  kAnew,
  kGoes,  // the goal is not reached
  kRests, // the column is not advanced in this iteration
  kHistory,
  kSlots = kHistory + kKept
};
using BlockScalars = Scalars<kSlots * kMostColumns>;

TS_HD Complex<double> get(const double* s, int slot) { return {s[slot], s[slot + 1]}; }
TS_HD void put(double* s, int slot, Complex<double> z) {
  s[slot] = z.re;
  s[slot + 1] = z.im;
}
// The scalars of the column to which a cell belongs.
struct ColumnScalars {
  const double* s;
  TS_HD ColumnScalars(const ScalarsView& all, const Cell<kBlockAxes>& c) : s(all.p + column_of(c) * kSlots) {}
  TS_HD double operator[](int slot) const { return s[slot]; }
  template <class R>
  TS_HD Complex<R> factor(int slot) const {
    return {static_cast<R>(s[slot]), static_cast<R>(s[slot + 1])};
  }
};
TS_HD Complex<double> over(Complex<double> a, Complex<double> b) { return (1 / norm2(b)) * (a * conj(b)); }
// Whether a number is a valid divisor. Sums of squares that are not 0 are never smaller.
TS_HD bool some(double size) { return size > 1e-290 && size < 1e290; }
TS_HD bool finite(double x) { return x - x == 0; }

TS_HD void begun(double* s, double norm) {
  s[kNorm] = norm;
  s[kGoes] = s[kMost] > 0 && norm >= s[kBound] && finite(norm);
}
TS_HD void iterated(double* s, double norm) {
  if (s[kRests] != 0) return;
  s[kNorm] = norm;
  s[kHistory + static_cast<int>(s[kIterations]) % kKept] = norm;
  s[kIterations] += 1;
  s[kGoes] = s[kIterations] < s[kMost] && norm >= s[kBound] && finite(norm) && s[kBroken] == 0;
}

// A field that is written in some cells only, and unchanged in others.
template <class Planes>
struct Unless {
  Planes planes;
  bool stays;

  template <class E>
  struct Number {
    E& number;
    bool stays;
    TS_HD void operator=(E value) const {
#if defined(__CUDA_ARCH__)
      if (!stays) number = value; // without a load that the store would wait for
#else
      number = stays ? number : value; // without a branch, for vectors of cells
#endif
    }
  };
  template <class View>
  struct Plane {
    View view;
    bool stays;
    TS_HD auto operator()(const auto& c) const {
      return Number<std::remove_reference_t<decltype(view(c))>>{view(c), stays};
    }
  };
  TS_HD auto operator[](int k) const { return Plane<decltype(planes[k])>{planes[k], stays}; }
};
template <class Planes>
TS_HD Unless<Planes> unless(bool stays, const Planes& planes) {
  return {planes, stays};
}

// The common part of both solvers: the program of an iteration, repeated until the scalars stop it.
template <class S>
class Iterated : public Krylov<S> {
public:
  const Spinors<S>& residual() const override { return r_; }
  const Spinors<S>& solution() const override { return x_; }

  std::vector<Stretch> advance(const std::vector<Goal>& goals,
                               const std::function<bool(int, double)>& each) override {
    const std::size_t columns = goals.size();
    auto s = scalars_.value();
    int most = 0;
    for (std::size_t k = 0; k < columns; ++k) {
      double* const mine = &s[k * kSlots];
      mine[kMost] = goals[k].most;
      mine[kBound] = goals[k].bound;
      mine[kAnew] = goals[k].anew;
      mine[kIterations] = mine[kBroken] = 0;
      most = std::max(most, goals[k].most);
    }
    scalars_.set(s);
    run(*begin_);

    std::vector<Stretch> stretches(columns);
    std::vector<int> seen(columns);
    bool enough = false;
    const auto look = [&] {
      s = scalars_.value();
      bool goes = false;
      for (std::size_t k = 0; k < columns; ++k) {
        const double* const mine = &s[k * kSlots];
        const int done = static_cast<int>(mine[kIterations]);
        for (; seen[k] < done; ++seen[k])
          enough = each(static_cast<int>(k), mine[kHistory + seen[k] % kKept]) || enough;
        goes = goes || mine[kGoes] != 0;
        stretches[k] = {done, mine[kNorm],
                        goals[k].most > 0 && (mine[kBroken] != 0 || !std::isfinite(mine[kNorm])), false};
      }
      return enough || !goes;
    };
    if (look()) return stretches;
    const RunReport report = run(*iteration_, {.times = most, .until = {look, look_every_}});
    if (!report.reached) look();
    for (Stretch& stretch : stretches) stretch.interrupted = report.interrupted;
    return stretches;
  }

protected:
  Iterated(const Block& block, int look_every)
      : all_(block.all()),
        scalars_(block.world(), "solver"),
        r_(make_spinors<S>(block, "r")),
        x_(make_spinors<S>(block, "x")),
        odd_(make_spinors<S>(block, "odd")),
        look_every_(std::clamp(look_every, 1, kKept)) {}

  Region<kBlockAxes> all_;
  BlockScalars scalars_;
  Spinors<S> r_, x_, odd_;
  std::optional<Program> begin_, iteration_;

private:
  int look_every_;
};

} // namespace tasuki::wilson::detail
