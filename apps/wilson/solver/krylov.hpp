// The inner solvers: Mhat x = r on even sites, in one precision, for a number of iterations at a time.
#pragma once

#include <apps/wilson/operator/dirac.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace tasuki::wilson {

enum class Method { bicgstab, cg };

inline constexpr int kMostColumns = 12; // the most that are solved together

struct KrylovOptions {
  Method method = Method::bicgstab;
  int sums = 2;       // global sums per iteration of BiCGStab, 2 or 3
  int look_every = 1; // iterations between tests on the host, 16 at most
};

// The goal of a column in a stretch of iterations.
struct Goal {
  int most = 0;     // iterations; 0: the column rests
  double bound = 0; // the column stops when |r|^2 is below it
  bool anew = true; // start a new search, without the previous directions
};

// The state of a column at the end of a stretch of iterations.
struct Stretch {
  int iterations = 0;
  double norm2 = 0;         // |r|^2 by the recurrence
  bool broke_down = false;  // rho or omega has vanished, or a number is not finite: needs a new search
  bool interrupted = false; // by a signal to the run
};

// Columns advance in lock step. The result of each is the same as without the others, to the last bit; a column that
// has reached its goal does not change until all have reached theirs.
//
// Store residuals in residual() and call advance(): solution() is then the correction of x, 0 for columns that rested.
// Store the residuals of the new x and call advance() again: unless a new search is requested for a column, its search
// directions are kept.
template <class S>
class Krylov {
public:
  virtual ~Krylov() = default;
  virtual const Spinors<S>& residual() const = 0; // on even sites, owned by this solver, like solution()
  virtual const Spinors<S>& solution() const = 0;
  // One goal per column. each(column, |r|^2) is called for every iteration of every column; true ends all columns.
  virtual std::vector<Stretch> advance(const std::vector<Goal>& goals,
                                       const std::function<bool(int, double)>& each) = 0;
};

// BiCGStab: H. A. van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631. With two sums, |r|^2 and (r0, r) are
// computed from the sums of t and s, before r = s - omega t is known.
// CG: on Mhat^dagger Mhat x = Mhat^dagger r, with two applications of gamma_5 Mhat, which is Hermitian.
template <class S>
std::unique_ptr<Krylov<S>> make_krylov(const Block& block, const Dirac<S>& dirac, double kappa,
                                       const KrylovOptions& options);

} // namespace tasuki::wilson
