// The inner solvers: Mhat x = r on even sites, in one precision, a stretch of iterations at a time.
#pragma once

#include <apps/wilson/dirac.hpp>

#include <functional>
#include <memory>

namespace tasuki::wilson {

enum class Method { bicgstab, cg };

struct KrylovOptions {
  Method method = Method::bicgstab;
  int sums = 2;       // that an iteration of BiCGStab waits for, 2 or 3
  int look_every = 1; // iterations, 16 at most; between them the host is not asked
};

// Where a stretch of iterations ended.
struct Stretch {
  int iterations = 0;
  double norm2 = 0;         // |r|^2 as the recurrence has it
  bool broke_down = false;  // rho or omega has vanished, or something is not a number: begin() anew
  bool interrupted = false; // by a signal to the run
};

// Put a residual into residual(), begin(), and advance(): solution() is then what to add to x. With the residual of the
// new x in residual(), go_on() and advance() once more: the directions of the search are kept.
template <class S>
class Krylov {
public:
  virtual ~Krylov() = default;
  virtual const Spinors<S>& residual() const = 0; // even sites, this solver's own; so is the next
  virtual const Spinors<S>& solution() const = 0;
  virtual void begin() = 0; // solution() = 0
  virtual void go_on() = 0; // so it is here
  // Until |r|^2 < bound, or so many iterations, or each(|r|^2), which is called for every one of them, says so.
  virtual Stretch advance(double bound, int most, const std::function<bool(double)>& each) = 0;
};

// BiCGStab: H. A. van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631. With two sums |r|^2 and (r0, r) are put
// together from those of t and s, before r = s - omega t is there.
// CG: on Mhat^dagger Mhat x = Mhat^dagger r, with gamma_5 Mhat, which is Hermitian, twice.
template <class S>
std::unique_ptr<Krylov<S>> make_krylov(const Lattice& lattice, const Dirac<S>& dirac, double kappa,
                                       const KrylovOptions& options);

} // namespace tasuki::wilson
