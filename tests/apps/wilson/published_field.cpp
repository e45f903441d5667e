#include <tests/apps/wilson/published_field.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace tasuki::wilson::ccs {

// Uniform in (0, 1].
class Stream {
public:
  double next() {
    state_ = (state_ * 48828125u) & 0x7fffffffu;
    return static_cast<double>(state_) / 2147483647.0;
  }

private:
  std::uint32_t state_ = 12345;
};

namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;
constexpr int kGenerators = 8;
constexpr double kStep = 0.1;

// sum of h_a lambda_a / sqrt 2, lambda_a Gell-Mann's matrices.
Matrix3 algebra(const double* h) {
  const double root2 = std::sqrt(2.0), root6 = std::sqrt(6.0);
  const Number upper01(h[0] / root2, -h[1] / root2), upper02(h[3] / root2, -h[4] / root2),
      upper12(h[5] / root2, -h[6] / root2);
  const double third = h[2] / root2, eighth = h[7] / root6;
  return {{{third + eighth, upper01, upper02},
           {std::conj(upper01), -third + eighth, upper12},
           {std::conj(upper02), std::conj(upper12), -2 * eighth}}};
}

Matrix3 exponential(const Matrix3& generator) { // exp(i kStep generator), by its series
  Matrix3 sum{}, term{};
  for (std::size_t i = 0; i < 3; ++i) sum[i][i] = term[i][i] = 1;
  for (int order = 1; order < 30; ++order) {
    term = product(term, generator);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        term[i][j] *= Number(0, kStep / order);
        sum[i][j] += term[i][j];
      }
  }
  return sum;
}

} // namespace

Matrix3 product(const Matrix3& a, const Matrix3& b) {
  Matrix3 m{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) m[i][j] += a[i][k] * b[k][j];
  return m;
}

Matrix3 adjoint(const Matrix3& a) {
  Matrix3 m;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) m[i][j] = std::conj(a[j][i]);
  return m;
}

PublishedField::PublishedField(const Site& extents) : extents_(extents) {
  const auto sites = static_cast<std::size_t>(extents[0] * extents[1] * extents[2] * extents[3]);
  links_.resize(sites * kAxes);
  source_.resize(sites);
  Stream stream;
  for (int parity = 0; parity < 2; ++parity) draw_links(parity, stream);
  for (int parity = 0; parity < 2; ++parity) draw_source(parity, stream);
}

// Numbers are drawn for a line along t, of which sites of one parity take theirs: those of the k-th begin at 3 k and not
// at 8 k, so that neighbours share some.
void PublishedField::draw_links(int parity, Stream& stream) {
  const auto half = static_cast<std::size_t>(extents_[3] / 2);
  std::vector<double> normal(kGenerators * half);
  for (int mu = 0; mu < kAxes; ++mu)
    for (long x = 0; x < extents_[0]; ++x)
      for (long y = 0; y < extents_[1]; ++y)
        for (long z = 0; z < extents_[2]; ++z) {
          for (double& h : normal) {
            const double angle = stream.next(), radius = stream.next();
            h = std::sqrt(-2 * std::log(radius)) * std::sin(angle * kTwoPi);
          }
          for (long t = (x + y + z + parity) % 2; t < extents_[3]; t += 2)
            links_[index({x, y, z, t}) * kAxes + static_cast<std::size_t>(mu)] =
                exponential(algebra(&normal[3 * static_cast<std::size_t>(t / 2)]));
        }
}

void PublishedField::draw_source(int parity, Stream& stream) {
  const auto half = static_cast<std::size_t>(extents_[3] / 2);
  std::vector<Number> noise(12 * half);
  for (long x = 0; x < extents_[0]; ++x)
    for (long y = 0; y < extents_[1]; ++y)
      for (long z = 0; z < extents_[2]; ++z) {
        for (Number& value : noise) {
          const double radius = stream.next(), angle = stream.next();
          value = std::polar(std::sqrt(-std::log(radius)), angle * kTwoPi);
        }
        for (long t = (x + y + z + parity) % 2; t < extents_[3]; t += 2)
          std::copy_n(&noise[12 * static_cast<std::size_t>(t / 2)], 12, source_[index({x, y, z, t})].begin());
      }
}

std::size_t PublishedField::index(const Site& n) const {
  std::size_t at = 0;
  for (std::size_t a = kAxes; a-- > 0;)
    at = at * static_cast<std::size_t>(extents_[a]) +
         static_cast<std::size_t>((n[a] + extents_[a]) % extents_[a]);
  return at;
}

Number PublishedField::sum_of_links() const {
  Number sum = 0;
  for (const Matrix3& u : links_)
    for (const auto& row : u)
      for (const Number& entry : row) sum += entry;
  return sum;
}

Number PublishedField::sum_of_source() const {
  Number sum = 0;
  for (const auto& spinor : source_)
    for (const Number& value : spinor) sum += value;
  return sum;
}

std::vector<double> PublishedField::owned_links(const Lattice& lattice) const {
  std::vector<double> all;
  for_each_owned(lattice, [&](const Site& n) {
    for (int mu = 0; mu < kAxes; ++mu)
      for (const auto& row : link(n, mu))
        for (const Number& entry : row) all.insert(all.end(), {entry.real(), entry.imag()});
  });
  return all;
}

std::vector<double> PublishedField::owned_source(const Lattice& lattice) const {
  std::vector<double> all;
  for_each_owned(lattice, [&](const Site& n) {
    const bool even = (n[0] + n[1] + n[2] + n[3]) % 2 == 0;
    for (const Number& value : source(n))
      all.insert(all.end(), {even ? value.real() : 0, even ? value.imag() : 0});
  });
  return all;
}

} // namespace tasuki::wilson::ccs
