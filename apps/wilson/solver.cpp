#include <apps/wilson/solver.hpp>

#include <apps/wilson/updates.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace tasuki::wilson {
namespace {

// The inner solver, whatever it stores: residuals go in and corrections come out in double.
class Inner {
public:
  virtual ~Inner() = default;
  virtual void take(bool anew) = 0; // the residual; anew: nothing is kept of the search so far
  virtual Stretch advance(double bound, int most, const std::function<bool(double)>& each) = 0;
  virtual void give() = 0; // the correction is added to x
};

// Iterations between looks of the host, for which a GPU has to wait: so many as cost it little. What is done too much until
// a look is lost, and in 16 bits an update of the residual is due soon.
int look_every(const Lattice& lattice) {
  constexpr long kManySites = 1 << 18;
  if (!lattice.world().part<Device>().cuda()) return 1;
  return lattice.owned_sites() >= kManySites ? 2 : 5;
}

template <class S>
class InnerOf final : public Inner {
public:
  InnerOf(const Gauge& gauge, const Action& action, const SolveOptions& options, const Spinors<double>& r,
          const Spinors<double>& x)
      : dirac_(make_dirac<S>(gauge, action, options.links)),
        krylov_(make_krylov<S>(gauge.lattice(), *dirac_, action.kappa,
                               {options.method, options.sums, look_every(gauge.lattice())})) {
    const auto all = gauge.lattice().grid().all();
    take_ = program(sweep(Convert<S, double>{}, all, writes(krylov_->residual()), reads(r)));
    give_ = program(sweep(Accumulate<double, S>{}, all, updates(x), reads(krylov_->solution())));
  }
  void take(bool anew) override {
    run(*take_);
    anew ? krylov_->begin() : krylov_->go_on();
  }
  Stretch advance(double bound, int most, const std::function<bool(double)>& each) override {
    return krylov_->advance(bound, most, each);
  }
  void give() override { run(*give_); }

private:
  std::unique_ptr<Dirac<S>> dirac_;
  std::unique_ptr<Krylov<S>> krylov_;
  std::optional<Program> take_, give_;
};

struct Subtract { // r = b - a, and |r|^2
  TS_CELL void operator()(auto c, auto b, auto a, auto r, auto norm) const {
    double sum = 0;
    for (int k = 0; k < kSpinorReals; ++k) {
      const double x = b[k](c) - a[k](c);
      r[k](c) = x + 0.0;
      sum = fused(x, x, sum);
    }
    norm(c, sum);
  }
};
struct Square { // |a|^2
  TS_CELL void operator()(auto c, auto a, auto norm) const {
    double sum = 0;
    for (int k = 0; k < kSpinorReals; ++k) sum = fused(a[k](c), a[k](c), sum);
    norm(c, sum);
  }
};
struct Copy { // out = factor in
  double factor;
  TS_CELL void operator()(auto c, auto out, auto in) const {
    for (int k = 0; k < kSpinorReals; ++k) out[k](c) = factor * in[k](c) + 0.0;
  }
};

double reliable_of(Precision inner) {
  switch (inner) {
    case Precision::half: return 0.1;
    case Precision::single: return 1e-3;
    default: return 1e-9;
  }
}

// Of an iteration, on an even site: four times half of the lattice's hops, 1320 a site, two combinations of 48, and the
// updates and sums of vectors: 960 of BiCGStab (6336 in all), 432 of CG.
double flops_of(Method method) { return 4 * 1320 + 2 * 48 + (method == Method::cg ? 432 : 960); }

struct Sizes {
  int number; // bytes of one
  int planes; // of a spinor
};
Sizes sizes_of(Precision precision) {
  switch (precision) {
    case Precision::half: return {sizeof(Stored<Half>::Element), Stored<Half>::kPlanes};
    case Precision::single: return {sizeof(float), Stored<float>::kPlanes};
    default: return {sizeof(double), Stored<double>::kPlanes};
  }
}
constexpr int kDoubleSpinors = 9, kInnerSpinors = 7; // that a solver has, each of one parity

constexpr int kIdle = 3; // updates without progress before a restart

} // namespace

std::string to_string(Precision precision) {
  switch (precision) {
    case Precision::half: return "half";
    case Precision::single: return "single";
    default: return "double";
  }
}

class Solver::Parts {
public:
  Parts(const Gauge& gauge, const Action& action, const SolveOptions& options)
      : action_(action),
        options_(options),
        lattice_(gauge.lattice()),
        all_(lattice_.grid().all()),
        dirac_(make_dirac<double>(gauge, action, 18)),
        b_{spinors("b even"), spinors("b odd")},
        x_{spinors("x even"), spinors("x odd")},
        a_{spinors("a even"), spinors("a odd")},
        r_(spinors("r")),
        best_(spinors("best")),
        kept_(spinors("b even, as given")),
        norm_(lattice_.world(), "|r|^2"),
        prepare_(program(dirac_->combine(0, a_[0], b_[0], b_[1], action.kappa))),
        measure_(program(dirac_->hop(1, a_[1], x_[0]),
                         dirac_->combine(0, a_[0], x_[0], a_[1], -action.kappa * action.kappa),
                         subtract(b_[0], a_[0]))),
        complete_(program(dirac_->combine(1, x_[1], b_[1], x_[0], action.kappa))),
        apply_(program(dirac_->combine(0, a_[0], x_[0], x_[1], -action.kappa),
                       dirac_->combine(1, a_[1], x_[1], x_[0], -action.kappa))) {
    if (!(options.tolerance > 0))
      throw Error("a tolerance of 0 or below is never met", "use one above 0, such as 1e-10");
    if (options_.reliable == 0) options_.reliable = reliable_of(options.inner);
    switch (options.inner) {
      case Precision::half:
        inner_ = std::make_unique<InnerOf<Half>>(gauge, action, options_, r_, x_[0]);
        break;
      case Precision::single:
        inner_ = std::make_unique<InnerOf<float>>(gauge, action, options_, r_, x_[0]);
        break;
      default: inner_ = std::make_unique<InnerOf<double>>(gauge, action, options_, r_, x_[0]);
    }
  }

  SolveReport solve(SpinorField& x, const SpinorField& b) {
    SolveReport report;
    const double scale = action_.norm == Norm::mass ? 2 * action_.kappa : 1;
    for (int p = 0; p < 2; ++p) copy(b_[p], b.parity[p], 1);
    for (int p = 0; p < 2; ++p)
      copy(x_[p], x.parity[p], 1 / scale); // M x = b as for kappa, x / scale being sought
    const double size = std::sqrt(square(b_[0]) + square(b_[1]));
    if (!std::isfinite(size))
      throw Error("the right-hand side holds what is not a number", "look at the source");
    if (size == 0) {
      for (int p = 0; p < 2; ++p) copy(x.parity[p], b_[p], 0);
      report.converged = true;
      return report;
    }
    run(prepare_);
    copy(kept_, b_[0], 1);
    copy(b_[0], a_[0], 1);
    iterate(report, size);
    copy(b_[0], kept_, 1);
    run(complete_);
    run(apply_);
    double left = 0;
    for (int p = 0; p < 2; ++p) {
      run(subtract(b_[p], a_[p]));
      left += norm_.value();
    }
    report.residual = std::sqrt(left) / size;
    for (int p = 0; p < 2; ++p) copy(x.parity[p], x_[p], scale);
    return report;
  }

  void apply(const SpinorField& out, const SpinorField& in) {
    const double scale = action_.norm == Norm::mass ? 1 / (2 * action_.kappa) : 1;
    for (int p = 0; p < 2; ++p) copy(x_[p], in.parity[p], 1);
    run(apply_);
    for (int p = 0; p < 2; ++p) copy(out.parity[p], a_[p], scale);
  }

private:
  Spinors<double> spinors(const std::string& name) { return make_spinors<double>(lattice_, name); }
  template <class To, class From>
  void copy(const To& to, const From& from, double factor) {
    run(sweep(Copy{factor}, all_, writes(to), reads(from)));
  }
  double square(const Spinors<double>& a) {
    run(sweep(Square{}, all_, reads(a), reduces(norm_)));
    return norm_.value();
  }
  Sweep subtract(const Spinors<double>& b, const Spinors<double>& a) {
    return sweep(Subtract{}, all_, reads(b), reads(a), writes(r_), reduces(norm_));
  }
  double true_residual() {
    run(measure_);
    return std::sqrt(norm_.value());
  }

  void iterate(SolveReport& report, double size);

  Action action_;
  SolveOptions options_;
  Lattice lattice_;
  Region<kAxes> all_;
  std::unique_ptr<Dirac<double>> dirac_;
  std::array<Spinors<double>, 2> b_, x_, a_;
  Spinors<double> r_, best_, kept_;
  Sum<double> norm_;
  // Planned once: an update of the residual is then no more than its sweeps.
  Program prepare_;  // a_e = bhat = b_e + kappa H_eo b_o
  Program measure_;  // r = bhat - Mhat x, with bhat in the place of b_e
  Program complete_; // x_o = b_o + kappa H_oe x_e
  Program apply_;    // a = M x
  std::unique_ptr<Inner> inner_;
};

// On even sites, where the whole residual is: that of odd ones is 0 by the choice of x_o. The best x is put back where a
// correction made things worse.
void Solver::Parts::iterate(SolveReport& report, double size) {
  const double target = options_.tolerance * size;
  double length = true_residual(), least = length;
  copy(best_, x_[0], 1);
  bool anew = true, stopped = false;
  int idle = 0;
  const auto each = [&](double norm2) {
    const double now = std::sqrt(norm2) / size;
    report.history.push_back(now);
    stopped = stopped || (options_.look && options_.look(static_cast<int>(report.history.size()), now));
    return stopped;
  };
  while (!(length <= target)) {
    if (report.iterations >= options_.most_iterations) {
      report.why = "not after " + std::to_string(report.iterations) + " iterations";
      break;
    }
    if (report.restarts > options_.most_restarts) {
      report.why = "no progress after " + std::to_string(options_.most_restarts) +
                   " restarts: the operator may have a zero mode at this kappa";
      break;
    }
    const auto start = std::chrono::steady_clock::now();
    inner_->take(anew);
    const double bound = std::max(0.7 * target, options_.reliable * length);
    const Stretch stretch =
        inner_->advance(bound * bound, options_.most_iterations - report.iterations, each);
    report.iterations += stretch.iterations;
    report.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    stopped = stopped || stretch.interrupted;
    inner_->give();
    const double before = length;
    length = true_residual();
    ++report.updates;
    if (length < least) {
      least = length;
      copy(best_, x_[0], 1);
    }
    if (stopped) {
      report.why = "it was stopped";
      break;
    }
    idle = length < 0.9 * before ? 0 : idle + 1;
    anew = stretch.broke_down || !std::isfinite(length) || idle >= kIdle;
    if (!anew) continue;
    ++report.restarts;
    idle = 0;
    copy(x_[0], best_, 1);
    length = true_residual();
  }
  report.flops = flops_of(options_.method) * static_cast<double>(lattice_.sites() / 2) * report.iterations;
  report.converged = length <= target;
  if (!report.converged) copy(x_[0], best_, 1);
}

double Solver::memory_needed(const std::array<long, kAxes>& sites, const SolveOptions& options) {
  Widths halo{};
  for (int a = 0; a < kAxes; ++a) halo[a] = Width(1);
  const auto cells =
      static_cast<double>(layout_of(kAxes, {sites[0] / 2, sites[1], sites[2], sites[3]}, halo).plane);
  const Sizes inner = sizes_of(options.inner);
  const double links = 2 * kAxes * (18.0 * sizeof(double) + options.links * inner.number);
  const double spinors = kDoubleSpinors * kSpinorReals * static_cast<double>(sizeof(double)) +
                         kInnerSpinors * inner.planes * inner.number;
  return cells * (links + spinors);
}

Solver::Solver(const Gauge& gauge, const Action& action, const SolveOptions& options)
    : parts_(std::make_unique<Parts>(gauge, action, options)) {}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
SolveReport Solver::solve(SpinorField& x, const SpinorField& b) { return parts_->solve(x, b); }
void Solver::apply(const SpinorField& out, const SpinorField& in) { parts_->apply(out, in); }

} // namespace tasuki::wilson
