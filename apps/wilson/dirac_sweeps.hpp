// The operator's sweeps for one way to store numbers. Included by one source for each, which is compiled for every device.
#pragma once

#include <apps/wilson/dirac.hpp>
#include <apps/wilson/half_spinor.hpp>
#include <apps/wilson/hopping.hpp>

#include <array>

namespace tasuki::wilson {
namespace detail {

template <class S, int Numbers>
using Links =
    Field<typename Stored<S>::Element[kAxes * Numbers]>; // the four links from each site of one parity

// From links in double to links as they are stored. Those of 18 numbers are multiplied by weights and phases.
template <class S, int Numbers>
struct Pack {
  int parity;
  double weight[kAxes];
  Complex<double> edge[kAxes]; // of a hop forwards that leaves the lattice

  TS_CELL void operator()(auto c, auto out, auto x, auto y, auto z, auto t) const {
    const int bit = x_bit(parity, row_parity(c));
    pack(c, out, x, 0, c[0] + forward_x(bit) == c.extent(0));
    pack(c, out, y, 1, c[1] + 1 == c.extent(1));
    pack(c, out, z, 2, c[2] + 1 == c.extent(2));
    pack(c, out, t, 3, c[3] + 1 == c.extent(3));
  }
  template <class C, class To, class From>
  TS_HD void pack(const C& c, const To& out, const From& in, int mu, bool leaves) const {
    Matrix<double> u = load_matrix<double>([&](int k) { return in[k](c); });
    if constexpr (Numbers == 18) {
      const Complex<double> factor = leaves ? edge[mu] : Complex<double>{weight[mu], 0};
      for (auto& row : u.e)
        for (auto& z : row) z = factor * z;
    }
    compress<Numbers>(u, [&](int k, double v) {
      if constexpr (std::is_same_v<S, Half>) v = rint(v * static_cast<double>(kLinkScale));
      out[mu * Numbers + k](c) = static_cast<typename Stored<S>::Element>(v);
    });
  }
};

template <class S, int Numbers>
class DiracOf final : public Dirac<S> {
public:
  DiracOf(const Gauge& gauge, const Action& action)
      : grid_(gauge.lattice().grid()),
        links_{Links<S, Numbers>(grid_, "even links"), Links<S, Numbers>(grid_, "odd links")} {
    for (int mu = 0; mu < kAxes; ++mu) {
      const double weight = mu == 3 ? 1 : action.space_weight();
      const double angle = 3.14159265358979323846 * action.phase[mu];
      weight_[mu] = weight;
      edge_[mu] = action.real() ? Complex<double>{weight * (std::fmod(action.phase[mu], 2) == 0 ? 1 : -1), 0}
                                : Complex<double>{weight * std::cos(angle), weight * std::sin(angle)};
    }
    if (Numbers != 18 && !action.real())
      throw Error("links of " + std::to_string(Numbers) + " numbers hold no phases but 1 and -1",
                  "take links of 18 numbers, or phases of 0 and 1");
    if (std::is_same_v<S, Half> && Numbers == 18 && action.space_weight() > 1)
      throw Error("links of 16 bits hold no weight above 1",
                  "take links of 12 numbers, or another precision");
    for (int p = 0; p < 2; ++p) {
      Pack<S, Numbers> pack{p, {}, {}};
      for (int mu = 0; mu < kAxes; ++mu) pack.weight[mu] = weight_[mu], pack.edge[mu] = edge_[mu];
      run(sweep(pack, grid_.all(), writes(links_[p]), reads(gauge.link(p, 0)), reads(gauge.link(p, 1)),
                reads(gauge.link(p, 2)), reads(gauge.link(p, 3))));
    }
  }

  Sweep hop(int p, const Spinors<S>& out, const Spinors<S>& in) const override {
    return sweep(HopOver<S, Numbers>{hopping(p)}, grid_.all(), writes(out), reads(in, star(1)),
                 reads(links_[p]), reads(links_[1 - p], star(1)));
  }
  Sweep combine(int p, const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, double factor,
                bool gamma5) const override {
    return with(Combine<S, Numbers>{hopping(p), static_cast<Real<S>>(factor), gamma5}, p, out, x, in);
  }
  Sweep combine(const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, double factor, bool gamma5,
                const Sum<double>& norm) const override {
    return with(CombineAndNorm<S, Numbers>{{hopping(0), static_cast<Real<S>>(factor), gamma5}}, 0, out, x, in,
                reduces(norm));
  }
  Sweep combine(const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, double factor,
                const Spinors<S>& w, const ComplexSum& w_out) const override {
    return with(CombineAndProject<S, Numbers>{{hopping(0), static_cast<Real<S>>(factor), false}}, 0, out, x,
                in, reads(w), reduces(w_out.re), reduces(w_out.im));
  }
  Sweep combine(const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, double factor,
                const Spinors<S>& w, const MinimiseSums& sums) const override {
    return with(CombineAndMinimise<S, Numbers>{{hopping(0), static_cast<Real<S>>(factor), false}}, 0, out, x,
                in, reads(w), reduces(sums.out_norm), reduces(sums.x_norm), reduces(sums.out_x.re),
                reduces(sums.out_x.im), reduces(sums.w_out.re), reduces(sums.w_out.im), reduces(sums.w_x.re),
                reduces(sums.w_x.im));
  }

private:
  Hopping<S, Numbers> hopping(int p) const {
    Hopping<S, Numbers> h{p, {}, {}};
    for (int mu = 0; mu < kAxes; ++mu) {
      h.weight[mu] = static_cast<Real<S>>(weight_[mu]);
      h.more[mu] = static_cast<Real<S>>(edge_[mu].re - weight_[mu]);
    }
    return h;
  }
  template <class F, class... A>
  Sweep with(F f, int p, const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, A... more) const {
    return sweep(f, grid_.all(), writes(out), reads(x), reads(in, star(1)), reads(links_[p]),
                 reads(links_[1 - p], star(1)), more...);
  }

  Grid<kAxes> grid_;
  std::array<Links<S, Numbers>, 2> links_; // even, odd
  std::array<double, kAxes> weight_{};
  std::array<Complex<double>, kAxes> edge_{};
};

} // namespace detail

template <class S>
Spinors<S> make_spinors(const Lattice& lattice, const std::string& name) {
  return Spinors<S>(lattice.grid(), name, half_spinor(Stored<S>::kPlanes));
}

template <class S>
std::unique_ptr<Dirac<S>> make_dirac(const Gauge& gauge, const Action& action, int numbers) {
  switch (numbers) {
    case 18: return std::make_unique<detail::DiracOf<S, 18>>(gauge, action);
    case 12: return std::make_unique<detail::DiracOf<S, 12>>(gauge, action);
    case 8: return std::make_unique<detail::DiracOf<S, 8>>(gauge, action);
    default: throw Error("links are asked for as " + std::to_string(numbers) + " numbers", "use 18, 12 or 8");
  }
}

} // namespace tasuki::wilson
