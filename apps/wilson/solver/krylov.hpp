// The inner solvers: Mhat x = r on even sites, in one precision, a stretch of iterations at a time.
#pragma once

#include <apps/wilson/operator/dirac.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace tasuki::wilson {

enum class Method { bicgstab, cg };

inline constexpr int kMostColumns = 12; // that advance together

struct KrylovOptions {
  Method method = Method::bicgstab;
  int sums = 2;       // that an iteration of BiCGStab waits for, 2 or 3
  int look_every = 1; // iterations, 16 at most; between them the host is not asked
};

// What a column is to do in a stretch of iterations.
struct Goal {
  int most = 0;     // iterations; 0: the column rests
  double bound = 0; // until |r|^2 is below it
  bool anew = true; // nothing is kept of the search so far
};

// Where a stretch of iterations ended for a column.
struct Stretch {
  int iterations = 0;
  double norm2 = 0;         // |r|^2 as the recurrence has it
  bool broke_down = false;  // rho or omega has vanished, or something is not a number: to be begun anew
  bool interrupted = false; // by a signal to the run
};

// Columns in lock step: each goes through what it would by itself, to the last bit, and is left as it is from when it has
// reached its goal until all have.
//
// Put residuals into residual() and advance(): solution() is then what to add to x, 0 for columns that rested. With the
// residuals of the new x in residual() advance() once more: unless a column is begun anew, the directions of its search
// are kept.
template <class S>
class Krylov {
public:
  virtual ~Krylov() = default;
  virtual const Spinors<S>& residual() const = 0; // even sites, this solver's own; so is the next
  virtual const Spinors<S>& solution() const = 0;
  // A goal a column. each(column, |r|^2) is called for every iteration of every column; true ends the stretch for all.
  virtual std::vector<Stretch> advance(const std::vector<Goal>& goals,
                                       const std::function<bool(int, double)>& each) = 0;
};

// BiCGStab: H. A. van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631. With two sums |r|^2 and (r0, r) are put
// together from those of t and s, before r = s - omega t is there.
// CG: on Mhat^dagger Mhat x = Mhat^dagger r, with gamma_5 Mhat, which is Hermitian, twice.
template <class S>
std::unique_ptr<Krylov<S>> make_krylov(const Block& block, const Dirac<S>& dirac, double kappa,
                                       const KrylovOptions& options);

} // namespace tasuki::wilson
