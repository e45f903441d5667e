#include <apps/wilson/solver/even_odd.hpp>

#include <apps/wilson/solver/updates.hpp>

namespace tasuki::wilson {

EvenOdd::EvenOdd(const Gauge& gauge, const Action& action, int columns)
    : action_(action),
      block_(gauge.lattice(), columns),
      dirac_(make_dirac<double>(gauge, action, 18)),
      b_{spinors("b even"), spinors("b odd")},
      x_{spinors("x even"), spinors("x odd")},
      a_{spinors("a even"), spinors("a odd")},
      r_(spinors("r")),
      best_(spinors("best")),
      kept_(spinors("b even, as given")),
      norm_(block_, "|r|^2"),
      prepare_(program(copy(kept_, b_[0], block_.all()),
                       dirac_->combine(0, a_[0], b_[0], b_[1], action.kappa),
                       copy(b_[0], a_[0], block_.all()))),
      measure_(program(dirac_->hop(1, a_[1], x_[0]),
                       dirac_->combine(0, a_[0], x_[0], a_[1], -action.kappa * action.kappa), subtract(0))),
      complete_(
          program(copy(b_[0], kept_, block_.all()), dirac_->combine(1, x_[1], b_[1], x_[0], action.kappa))),
      apply_(program(dirac_->combine(0, a_[0], x_[0], x_[1], -action.kappa),
                     dirac_->combine(1, a_[1], x_[1], x_[0], -action.kappa))),
      subtract_{program(subtract(0)), program(subtract(1))},
      square_{program(square(0)), program(square(1))} {
  for (int k = 0; k < block_.columns(); ++k) {
    keep_.push_back(program(copy(best_, x_[0], block_.column(k))));
    back_.push_back(program(copy(x_[0], best_, block_.column(k))));
  }
}

Spinors<double> EvenOdd::spinors(const std::string& name) { return make_spinors<double>(block_, name); }

Sweep EvenOdd::copy(const Spinors<double>& to, const Spinors<double>& from, const Region<kBlockAxes>& where) {
  return sweep(Copy{}, where, writes(to), reads(from));
}
Items EvenOdd::subtract(std::size_t p) {
  return items(sweep(Subtract{}, block_.all(), reads(b_[p]), reads(a_[p]), writes(r_),
                     writes(norm_.offers()))) +
         norm_.add();
}
Items EvenOdd::square(std::size_t p) {
  return items(sweep(Square{}, block_.all(), reads(b_[p]), writes(norm_.offers()))) + norm_.add();
}

void EvenOdd::put(const Spinors<double>& to, int column, const SpinorPlanes& from, double factor) {
  run(sweep(PutColumn{from_lattice(from), factor}, block_.column(column), writes(to)));
}
void EvenOdd::get(const Spinors<double>& from, int column, SpinorPlanes to, double factor) {
  run(sweep(GetColumn{of_lattice(to), factor}, block_.column(column), reads(from)));
  to.touched();
}

void EvenOdd::put(int column, const SpinorField& b, const SpinorField* guess) {
  for (std::size_t p = 0; p < 2; ++p) {
    put(b_[p], column, b.parity[p], 1);
    if (guess)
      put(x_[p], column, guess->parity[p], 1 / scale()); // M x = b as for kappa; x / scale is solved for
    else
      run(sweep(Clear{}, block_.column(column), writes(x_[p])));
  }
}
void EvenOdd::get(int column, const SpinorField& x) {
  for (std::size_t p = 0; p < 2; ++p) get(x_[p], column, x.parity[p], scale());
}
void EvenOdd::clear(int column) {
  for (std::size_t p = 0; p < 2; ++p) {
    run(sweep(Clear{}, block_.column(column), writes(b_[p])));
    run(sweep(Clear{}, block_.column(column), writes(x_[p])));
  }
}

void EvenOdd::prepare() { run(prepare_); }
void EvenOdd::complete() {
  run(complete_);
  run(apply_);
}

std::vector<double> EvenOdd::norms() const {
  std::vector<double> values;
  for (int k = 0; k < block_.columns(); ++k) values.push_back(norm_.value(k));
  return values;
}
std::array<std::vector<double>, 2> EvenOdd::sizes() {
  std::array<std::vector<double>, 2> sizes;
  for (std::size_t p = 0; p < 2; ++p) {
    run(square_[p]);
    sizes[p] = norms();
  }
  return sizes;
}
std::array<std::vector<double>, 2> EvenOdd::left() {
  std::array<std::vector<double>, 2> left;
  for (std::size_t p = 0; p < 2; ++p) {
    run(subtract_[p]);
    left[p] = norms();
  }
  return left;
}

void EvenOdd::apply(const SpinorField& out, const SpinorField& in) {
  for (std::size_t p = 0; p < 2; ++p) put(x_[p], 0, in.parity[p], 1);
  run(apply_);
  for (std::size_t p = 0; p < 2; ++p) get(a_[p], 0, out.parity[p], 1 / scale());
}

} // namespace tasuki::wilson
