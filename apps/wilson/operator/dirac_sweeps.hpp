// The operator's sweeps for one storage format of numbers and links. One source per format includes this header
// (dirac_of.cpp.in), compiled for every device.
#pragma once

#include <apps/wilson/operator/dirac_of.hpp>
#include <apps/wilson/operator/hopping.hpp>

#include <array>

namespace tasuki::wilson {
namespace detail {

template <class S, int Numbers>
using Links =
    Field<typename Stored<S>::Element[kAxes * Numbers]>; // the four links from each site of one parity

// Converts links in double to stored links. Those of 18 numbers are multiplied by weights and phases.
template <class S, int Numbers>
struct Pack {
  int parity;
  double weight[kAxes];
  Complex<double> edge[kAxes]; // of a forward hop across the lattice's boundary

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

// Functions of a site in a cell of a block, with the links of its parity and those of the other parity that lead to it.
template <class S, int Numbers>
struct LinkViews {
  OfLattice<const typename Stored<S>::Element, kAxes * Numbers> here, there;
};
template <class S, int Numbers>
struct HopInBlock {
  static constexpr int kBlocksAtOnce = HopOver<S, Numbers>::kBlocksAtOnce;
  HopOver<S, Numbers> f;
  LinkViews<S, Numbers> links;
  TS_CELL void operator()(auto c, auto out, auto in) const {
    f(c, of_site(out), of_site(in), links.here, links.there);
  }
};
template <class S, int Numbers>
struct CombineInBlock {
  static constexpr int kBlocksAtOnce = Combine<S, Numbers>::kBlocksAtOnce;
  Combine<S, Numbers> f;
  LinkViews<S, Numbers> links;
  TS_CELL void operator()(auto c, auto out, auto x, auto in) const {
    f(c, of_site(out), of_site(x), of_site(in), links.here, links.there);
  }
};
template <class R, class Plane>
struct Offer { // the type of the argument of a sum
  Plane plane;
  TS_HD void operator()(const Site& n, double x) const { plane(n) = static_cast<R>(x); }
};
template <class S, int Numbers, class F, int K>
struct CombineAndOffer {
  static constexpr int kBlocksAtOnce = F::kBlocksAtOnce;
  F f;
  LinkViews<S, Numbers> links;
  TS_CELL void operator()(auto c, auto offers, auto out, auto x, auto in, auto... w) const {
    with(std::make_index_sequence<K>{}, c, offers, of_site(out), of_site(x), of_site(in), of_site(w)...);
  }
  template <std::size_t... N, class Offers, class Out, class X, class In, class... W>
  TS_HD void with(std::index_sequence<N...>, const Site& n, const Offers& offers, const Out& out, const X& x,
                  const In& in, const W&... w) const {
    f(n, out, x, in, links.here, links.there, w...,
      Offer<Real<S>, decltype(offers[0])>{offers[static_cast<int>(N)]}...);
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
    run(program(exchange(links_[0], links_[1]))); // programs over blocks do not exchange their halos
  }

  Sweep hop(int p, const Spinors<S>& out, const Spinors<S>& in) const override {
    return sweep(HopInBlock<S, Numbers>{{hopping(p)}, links(p)}, all(out), writes(out),
                 reads(in, block_star()));
  }
  Sweep combine(int p, const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, double factor,
                bool gamma5) const override {
    return sweep(CombineInBlock<S, Numbers>{combination(p, factor, gamma5), links(p)}, all(out), writes(out),
                 reads(x), reads(in, block_star()));
  }
  Sweep combine(const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, double factor, bool gamma5,
                const NormSum<S>& norm) const override {
    return offering<1>(CombineAndNorm<S, Numbers>{combination(0, factor, gamma5)}, norm, out, x, in);
  }
  Sweep combine(const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, double factor,
                const Spinors<S>& w, const ProjectSums<S>& w_out) const override {
    return offering<2>(CombineAndProject<S, Numbers>{combination(0, factor, false)}, w_out, out, x, in,
                       reads(w));
  }
  Sweep combine(const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, double factor,
                const Spinors<S>& w, const MinimiseSums<S>& sums) const override {
    return offering<8>(CombineAndMinimise<S, Numbers>{combination(0, factor, false)}, sums, out, x, in,
                       reads(w));
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
  Combine<S, Numbers> combination(int p, double factor, bool gamma5) const {
    return {hopping(p), static_cast<Real<S>>(factor), gamma5};
  }
  LinkViews<S, Numbers> links(int p) const { return {from_lattice(links_[p]), from_lattice(links_[1 - p])}; }
  static Region<kBlockAxes> all(const Spinors<S>& field) { return field.template all<kBlockAxes>(); }
  template <int K, class F, class... W>
  Sweep offering(F f, const ColumnSums<Real<S>, K>& sums, const Spinors<S>& out, const Spinors<S>& x,
                 const Spinors<S>& in, W... w) const {
    return sweep(CombineAndOffer<S, Numbers, F, K>{f, links(0)}, all(out), writes(sums.offers()), writes(out),
                 reads(x), reads(in, block_star()), w...);
  }

  Grid<kAxes> grid_;
  std::array<Links<S, Numbers>, 2> links_; // even, odd
  std::array<double, kAxes> weight_{};
  std::array<Complex<double>, kAxes> edge_{};
};

} // namespace detail

template <class S, int Numbers>
std::unique_ptr<Dirac<S>> make_dirac_of(const Gauge& gauge, const Action& action) {
  return std::make_unique<detail::DiracOf<S, Numbers>>(gauge, action);
}

} // namespace tasuki::wilson
