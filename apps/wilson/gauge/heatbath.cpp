#include <apps/wilson/gauge/heatbath.hpp>
#include <apps/wilson/gauge/observables.hpp>
#include <apps/wilson/gauge/staples.hpp>
#include <apps/wilson/gauge/su2.hpp>
#include <apps/wilson/gauge/unitary.hpp>
#include <apps/wilson/lattice/hops.hpp>

#include <string>
#include <vector>

namespace tasuki::wilson {
namespace {

// Draws a of the subgroup of rows I and J such that a u has weight exp(beta / 3 Re tr a w), w = u times the staples.
template <int I, int J>
TS_HD void heat(double beta, const Draws& draws, std::uint32_t first, Matrix<double>& u, Matrix<double>& w) {
  const Polar part = part_of<I, J>(w);
  Quaternion b;
  if (!draw(2.0 / 3.0 * beta * part.length, draws, first, b)) return;
  const Quaternion a = b * adjoint(part.direction);
  rotate<I, J>(a, u);
  rotate<I, J>(a, w);
}

struct Heat {
  double beta;
  std::uint64_t seed;
  std::uint32_t number;
  int parity, mu;

  TS_CELL void operator()(auto c, auto staples, auto links) const {
    const Draws draws(seed, site_number(c, parity), number, Purpose::heat_bath, mu);
    Matrix<double> u = load(links, c), w = u * load(staples, c);
    heat<0, 1>(beta, draws, 0, u, w);
    heat<0, 2>(beta, draws, kDrawsOfASubgroup, u, w);
    heat<1, 2>(beta, draws, 2 * kDrawsOfASubgroup, u, w);
    store(links, c, unitarised(u));
  }
};

// a = v^-2 for w's part k v: a v = v^-1 has the same trace as v.
template <int I, int J>
TS_HD void reflect(Matrix<double>& u, Matrix<double>& w) {
  const Quaternion back = adjoint(part_of<I, J>(w).direction), a = back * back;
  rotate<I, J>(a, u);
  rotate<I, J>(a, w);
}

struct Reflect {
  TS_CELL void operator()(auto c, auto staples, auto links) const {
    Matrix<double> u = load(links, c), w = u * load(staples, c);
    reflect<0, 1>(u, w);
    reflect<0, 2>(u, w);
    reflect<1, 2>(u, w);
    store(links, c, unitarised(u));
  }
};

} // namespace

struct HeatBath::Programs {
  MatrixField staples;
  std::vector<Sweep> around; // for each parity and axis
  std::unique_ptr<Program> over_relax;
};

HeatBath::HeatBath(const Gauge& gauge, const Coupling& coupling, std::uint64_t seed)
    : gauge_(gauge), coupling_(coupling), seed_(seed) {
  if (!(coupling.beta >= 0))
    throw Error("beta = " + std::to_string(coupling.beta) + " weighs no field", "use 0 or more");
  if (!(coupling.anisotropy > 0))
    throw Error("an anisotropy of " + std::to_string(coupling.anisotropy) + " weighs no field",
                "use more than 0; 1 is none");
  programs_.reset(new Programs{MatrixField(gauge.lattice().grid(), "staples"), {}, nullptr});
  const MatrixField& staples = programs_->staples;
  Items reflections;
  for (int p = 0; p < 2; ++p) {
    for (int mu = 0; mu < kAxes; ++mu) {
      programs_->around.push_back(staples_of(gauge, coupling.anisotropy, p, mu, staples));
      reflections.push_back(Item{programs_->around.back()});
      reflections.push_back(Item{tasuki::sweep(Reflect{}, gauge.lattice().grid().all(), reads(staples),
                                               updates(gauge.link(p, mu)))});
    }
  }
  programs_->over_relax = std::make_unique<Program>(std::move(reflections));
}

HeatBath::~HeatBath() = default;

void HeatBath::sweep(long number) {
  Items items;
  for (int p = 0; p < 2; ++p)
    for (int mu = 0; mu < kAxes; ++mu) {
      items.push_back(Item{programs_->around[static_cast<std::size_t>(p * kAxes + mu)]});
      const Heat heat{coupling_.beta, seed_, static_cast<std::uint32_t>(number), p, mu};
      items.push_back(Item{tasuki::sweep(heat, gauge_.lattice().grid().all(), reads(programs_->staples),
                                         updates(gauge_.link(p, mu)))});
    }
  run(Program(std::move(items)));
}

void HeatBath::over_relax(long times) {
  // A signal ends a run early. The sweep is completed nevertheless, so that a saved field belongs to a known sweep.
  for (long done = 0; done < times;) done += run(*programs_->over_relax, {.times = times - done}).steps;
}

void thermalise(HeatBath& bath, long first, long last, long over_relaxations) {
  for (long number = first; number <= last; ++number) {
    bath.sweep(number);
    bath.over_relax(over_relaxations);
  }
}

double action(const Gauge& gauge, const Coupling& coupling) {
  const Plaquette p = plaquette(gauge);
  return -3.0 * coupling.beta * static_cast<double>(gauge.lattice().sites()) *
         (p.space / coupling.anisotropy + p.time * coupling.anisotropy);
}

} // namespace tasuki::wilson
