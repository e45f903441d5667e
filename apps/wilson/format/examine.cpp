#include <apps/wilson/format/examine.hpp>

#include <apps/wilson/lattice/su3.hpp>
#include <tasuki/base/gather.hpp>
#include <tasuki/device/exact_sum.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tasuki::wilson {
namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

struct Look { // the findings for some sites
  Fault infinite{kNone, 0}, not_su3{kNone, 0};
  double deviation = 0;
  ExactSum trace{};

  void merge(const Look& other) {
    if (other.infinite.number < infinite.number) infinite = other.infinite;
    if (other.not_su3.number < not_su3.number) not_su3 = other.not_su3;
    deviation = std::max(deviation, other.deviation);
    for (int k = 0; k < ExactSum::kSize; ++k) trace.digit[k] += other.trace.digit[k];
  }
};

bool all_finite(const double* numbers, long count) {
  double sum = 0; // a sum of 0 times each number: 0, or NaN if a number is not finite
  for (long k = 0; k < count; ++k) sum += 0 * numbers[k];
  return sum == 0;
}

double deviation_of(const Matrix<double>& u) {
  const Matrix<double> product = u * adjoint(u);
  double most = 0;
  for (int i = 0; i < kColours; ++i)
    for (int j = 0; j < kColours; ++j)
      most = std::max({most, std::abs(product.e[i][j].re - (i == j)), std::abs(product.e[i][j].im)});
  Complex<double> det{0, 0};
  for (int j = 0; j < kColours; ++j) {
    const int k = (j + 1) % kColours, l = (j + 2) % kColours;
    det = det + u.e[0][j] * (u.e[1][k] * u.e[2][l] - u.e[1][l] * u.e[2][k]);
  }
  return std::max({most, std::abs(det.re - 1), std::abs(det.im)});
}

void look_at(const double* links, std::uint64_t site, double bound, Look& look) {
  double trace = 0;
  for (int mu = 0; mu < kAxes; ++mu) {
    const double* link = links + mu * kMatrixReals;
    const std::uint64_t number = site * kAxes + static_cast<std::uint64_t>(mu);
    if (!all_finite(link, kMatrixReals)) {
      if (number < look.infinite.number) look.infinite = {number, 0};
      return;
    }
    const auto u = load_matrix<double>([&](int k) { return link[k]; });
    const double off = deviation_of(u);
    look.deviation = std::max(look.deviation, off);
    if (off > bound && number < look.not_su3.number) look.not_su3 = {number, off};
    trace += wilson::trace(u).re / kColours;
  }
  exact_split(trace, [&](int k, long long amount) { look.trace.digit[k] += amount; });
}

// The index in the file of each site of the box, in the order of the box.
std::vector<std::uint64_t> numbers_of(const Lattice& lattice) {
  Index extents{};
  for (int a = 0; a < kAxes; ++a) extents[a] = lattice.extents()[a];
  std::vector<std::uint64_t> numbers;
  numbers.reserve(static_cast<std::size_t>(lattice.owned_sites()));
  for_runs(lattice.owned(), extents, [&](std::uint64_t place, long cells) {
    for (long i = 0; i < cells; ++i) numbers.push_back(place + static_cast<std::uint64_t>(i));
  });
  return numbers;
}

template <class T>
double as_double(T word) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(word));
}
std::uint64_t as_word(double number) { return std::bit_cast<std::uint64_t>(number); }

Findings together(const Lattice& lattice, Look look, SumKind kind, const Sum& mine) {
  exact_carry(look.trace.digit);
  std::vector<double> words{
      as_double(mine[0]), as_double(mine[1]), as_double(look.infinite.number), as_double(look.not_su3.number),
      look.not_su3.off,   look.deviation};
  const std::size_t head = words.size();
  for (const long long digit : look.trace.digit) words.push_back(as_double(digit));
  Gather gather(lattice.world(), static_cast<int>(words.size()));
  const std::vector<double>& all = gather(words);

  Findings found;
  Look whole;
  for (std::size_t at = 0; at < all.size(); at += words.size()) {
    const double* one = &all[at];
    found.sum =
        combine(kind, found.sum,
                {static_cast<std::uint32_t>(as_word(one[0])), static_cast<std::uint32_t>(as_word(one[1]))});
    Look theirs;
    theirs.infinite.number = as_word(one[2]);
    theirs.not_su3 = {as_word(one[3]), one[4]};
    theirs.deviation = one[5];
    for (int k = 0; k < ExactSum::kSize; ++k)
      theirs.trace.digit[k] = static_cast<long long>(as_word(one[head + static_cast<std::size_t>(k)]));
    whole.merge(theirs);
  }
  if (whole.infinite.number != kNone) found.infinite = whole.infinite;
  if (whole.not_su3.number != kNone) found.not_su3 = whole.not_su3;
  found.deviation = whole.deviation;
  found.link_trace = exact_value(whole.trace) / static_cast<double>(kAxes * lattice.sites());
  return found;
}

// Calls look(index in the box, index in the file, findings) for each site of the rank.
template <class Each>
Look over_sites(const Lattice& lattice, const Each& each) {
  const std::vector<std::uint64_t> numbers = numbers_of(lattice);
  Look look;
#pragma omp parallel
  {
    Look mine;
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < numbers.size(); ++i) each(i, numbers[i], mine);
#pragma omp critical(tasuki_wilson_examine)
    look.merge(mine);
  }
  return look;
}

} // namespace

Findings examine_links(const Lattice& lattice, const std::vector<double>& links, double bound, SumKind kind,
                       const Sum& mine) {
  const Look look = over_sites(lattice, [&](std::size_t i, std::uint64_t site, Look& seen) {
    look_at(&links[i * kAxes * kMatrixReals], site, bound, seen);
  });
  return together(lattice, look, kind, mine);
}

std::optional<std::uint64_t> first_infinite(const Lattice& lattice,
                                            const std::vector<std::vector<double>>& fields) {
  const Look look = over_sites(lattice, [&](std::size_t i, std::uint64_t site, Look& seen) {
    for (const std::vector<double>& field : fields)
      if (!all_finite(&field[i * kSpinorReals], kSpinorReals) && site < seen.infinite.number)
        seen.infinite = {site, 0};
  });
  const Findings found = together(lattice, look, SumKind::none, {});
  if (!found.infinite) return {};
  return found.infinite->number;
}

Sum sum_over(World& world, SumKind kind, const Sum& mine) {
  Gather gather(world, 2);
  const std::vector<double>& all = gather({as_double(mine[0]), as_double(mine[1])});
  Sum sum{};
  for (std::size_t at = 0; at < all.size(); at += 2)
    sum = combine(
        kind, sum,
        {static_cast<std::uint32_t>(as_word(all[at])), static_cast<std::uint32_t>(as_word(all[at + 1]))});
  return sum;
}

std::string site_text(const Lattice& lattice, std::uint64_t site) {
  std::array<std::uint64_t, kAxes> at{};
  for (int a = 0; a < kAxes; ++a) {
    at[a] = site % static_cast<std::uint64_t>(lattice.extents()[a]);
    site /= static_cast<std::uint64_t>(lattice.extents()[a]);
  }
  return fmt::format("({}, {}, {}, {})", at[0], at[1], at[2], at[3]);
}

std::string link_text(const Lattice& lattice, std::uint64_t number) {
  return fmt::format("U_{} at {}", "xyzt"[number % kAxes], site_text(lattice, number / kAxes));
}

} // namespace tasuki::wilson
