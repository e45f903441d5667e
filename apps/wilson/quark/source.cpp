#include <apps/wilson/lattice/sites.hpp>
#include <apps/wilson/quark/smear.hpp>
#include <apps/wilson/quark/source.hpp>

namespace tasuki::wilson {
namespace {

// Copies the colour vectors that are stored as spin `colour` to spin `spin`.
struct PutSpin {
  int spin, colour;

  TS_CELL void operator()(auto c, auto vectors, auto b) const {
    for (int s = 0; s < kSpins; ++s)
      for (int k = 0; k < 2 * kColours; ++k)
        b[2 * kColours * s + k](c) = s == spin ? vectors[2 * kColours * colour + k](c) : 0.0;
  }
};

// Sets each colour to 1 in the spin of the same index.
void set_one(std::vector<double>& spinors, std::size_t site) {
  for (std::size_t c = 0; c < kColours; ++c) spinors[site * kSpinorReals + (c * kColours + c) * 2] = 1;
}

} // namespace

Source::Source(const Gauge& gauge, const SourceShape& shape) : vectors_(gauge.lattice(), "source") {
  const Lattice& lattice = gauge.lattice();
  const Box sites = lattice.owned();
  std::vector<double> spinors(static_cast<std::size_t>(lattice.owned_sites()) * kSpinorReals);
  std::size_t site = 0;
  for (long t = sites.lo[3]; t < sites.hi[3]; ++t)
    for (long z = sites.lo[2]; z < sites.hi[2]; ++z)
      for (long y = sites.lo[1]; y < sites.hi[1]; ++y)
        for (long x = sites.lo[0]; x < sites.hi[0]; ++x, ++site)
          if (t == shape.at[3] &&
              (shape.kind == SourceKind::wall || (x == shape.at[0] && y == shape.at[1] && z == shape.at[2])))
            set_one(spinors, site);
  vectors_.from_sites(lattice, spinors);
  if (shape.kind == SourceKind::gaussian) smear(gauge, shape.width, shape.steps, vectors_);
}

void Source::column(int spin, int colour, SpinorField& b) const {
  for (std::size_t p = 0; p < 2; ++p) {
    const Field<double[kSpinorReals]>&from = vectors_.parity[p], &to = b.parity[p];
    run(sweep(PutSpin{spin, colour}, from.all<kAxes>(), reads(from), writes(to)));
  }
}

} // namespace tasuki::wilson
