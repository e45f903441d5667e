#include <apps/wilson/solver/inner_solver.hpp>

#include <apps/wilson/solver/updates.hpp>

namespace tasuki::wilson {
namespace {

// Iterations between tests of convergence on the host, which a GPU has to wait for: enough to make their cost small.
// Iterations after convergence are wasted, and with 16-bit numbers the residual needs an update soon.
int look_every(const Block& block) {
  constexpr long kManySites = 1 << 18;
  if (!block.world().part<Device>().cuda()) return 1;
  return block.lattice().owned_sites() * block.columns() >= kManySites ? 2 : 5;
}

template <class S>
class InnerOf final : public Inner {
public:
  InnerOf(const Gauge& gauge, const Action& action, const SolveOptions& options, const Block& block,
          const Spinors<double>& r, const Spinors<double>& x)
      : dirac_(make_dirac<S>(gauge, action, options.links)),
        krylov_(
            make_krylov<S>(block, *dirac_, action.kappa, {options.method, options.sums, look_every(block)})),
        take_(program(sweep(Convert<S, double>{}, block.all(), writes(krylov_->residual()), reads(r)))),
        give_(program(sweep(Accumulate<double, S>{}, block.all(), updates(x), reads(krylov_->solution())))) {}
  std::vector<Stretch> advance(const std::vector<Goal>& goals,
                               const std::function<bool(int, double)>& each) override {
    run(take_);
    std::vector<Stretch> stretches = krylov_->advance(goals, each);
    run(give_);
    return stretches;
  }

private:
  std::unique_ptr<Dirac<S>> dirac_;
  std::unique_ptr<Krylov<S>> krylov_;
  Program take_, give_;
};

} // namespace

std::unique_ptr<Inner> make_inner(const Gauge& gauge, const Action& action, const SolveOptions& options,
                                  const Block& block, const Spinors<double>& r, const Spinors<double>& x) {
  switch (options.inner) {
    case Precision::half: return std::make_unique<InnerOf<Half>>(gauge, action, options, block, r, x);
    case Precision::single: return std::make_unique<InnerOf<float>>(gauge, action, options, block, r, x);
    default: return std::make_unique<InnerOf<double>>(gauge, action, options, block, r, x);
  }
}

} // namespace tasuki::wilson
