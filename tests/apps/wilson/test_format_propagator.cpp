// Propagators and sources in SciDAC files: the order of their numbers, the basis of spin, and what is
// refused.
#include <apps/wilson/format/basis.hpp>
#include <apps/wilson/format/propagator.hpp>
#include <apps/wilson/lattice/gamma.hpp>
#include <tests/apps/wilson/format_files.hpp>

#include <complex>
#include <limits>

namespace tasuki::wilson::test {
namespace {

using C = std::complex<double>;

std::vector<double> random_numbers(long count, std::uint64_t stream) {
  tasuki::test::Random random = tasuki::test::random(stream);
  std::normal_distribution<double> normal;
  std::vector<double> numbers(static_cast<std::size_t>(count));
  for (double& number : numbers) number = normal(random);
  return numbers;
}

// DeGrand and Rossi's gammas as chroma prints them, by row: x, y, z, t.
const C kI(0, 1);
const C kFiles[4][4][4] = {{{0, 0, 0, kI}, {0, 0, kI, 0}, {0, -kI, 0, 0}, {-kI, 0, 0, 0}},
                           {{0, 0, 0, -1}, {0, 0, 1, 0}, {0, 1, 0, 0}, {-1, 0, 0, 0}},
                           {{0, 0, kI, 0}, {0, 0, 0, -kI}, {-kI, 0, 0, 0}, {0, kI, 0, 0}},
                           {{0, 0, 1, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}}};

std::vector<double> times_file_gamma(int mu, const std::vector<double>& psi) {
  std::vector<double> out(24, 0);
  for (std::size_t s = 0; s < 4; ++s)
    for (std::size_t c = 0; c < 3; ++c) {
      C sum = 0;
      for (std::size_t r = 0; r < 4; ++r)
        sum += kFiles[mu][s][r] * C(psi[(r * 3 + c) * 2], psi[(r * 3 + c) * 2 + 1]);
      out[(s * 3 + c) * 2] = sum.real();
      out[(s * 3 + c) * 2 + 1] = sum.imag();
    }
  return out;
}

// gamma psi = psi - (1 - gamma) psi, by what the operator hops with.
template <int Mu>
std::vector<double> times_our_gamma(const std::vector<double>& psi) {
  Spinor<double> projected{};
  add_whole<Mu, +1>(projected,
                    project<Mu, +1, double>([&](int k) { return psi[static_cast<std::size_t>(k)]; }));
  std::vector<double> out = psi;
  store_spinor(projected, [&](int k, double value) { out[static_cast<std::size_t>(k)] -= value; });
  return out;
}

TEST(FormatBasis, TurnsTheGammasOfFilesIntoOurs) {
  for (int mu = 0; mu < kAxes; ++mu) {
    const std::vector<double> psi = random_numbers(24, 10);
    std::vector<double> turned = psi;
    to_memory_basis(turned.data());
    std::vector<double> theirs = times_file_gamma(mu, psi);
    to_memory_basis(theirs.data());
    const std::vector<double> ours = mu == 0   ? times_our_gamma<0>(turned)
                                     : mu == 1 ? times_our_gamma<1>(turned)
                                     : mu == 2 ? times_our_gamma<2>(turned)
                                               : times_our_gamma<3>(turned);
    for (std::size_t k = 0; k < 24; ++k)
      EXPECT_NEAR(ours[k], theirs[k], 1e-14) << "mu " << mu << ", real " << k;
    to_file_basis(turned.data());
    for (std::size_t k = 0; k < 24; ++k) EXPECT_NEAR(turned[k], psi[k], 1e-15);
  }
}

// A propagator from a source is the sum of its columns times the source: in whichever basis.
TEST(FormatBasis, TurnsBothSpinsOfAPropagator) {
  const std::vector<double> propagator = random_numbers(288, 11), source = random_numbers(24, 12);
  const auto times = [](const std::vector<double>& columns, const std::vector<double>& by) {
    std::vector<double> out(24, 0);
    for (std::size_t c = 0; c < 12; ++c)
      for (std::size_t k = 0; k < 12; ++k) {
        const C value = C(columns[c * 24 + 2 * k], columns[c * 24 + 2 * k + 1]) * C(by[2 * c], by[2 * c + 1]);
        out[2 * k] += value.real();
        out[2 * k + 1] += value.imag();
      }
    return out;
  };
  std::vector<double> expected = times(propagator, source), turned = propagator, turned_source = source;
  to_memory_basis(expected.data());
  propagator_to_memory_basis(turned.data());
  to_memory_basis(turned_source.data());
  const std::vector<double> found = times(turned, turned_source);
  for (std::size_t k = 0; k < 24; ++k) EXPECT_NEAR(found[k], expected[k], 1e-13);
  propagator_to_file_basis(turned.data());
  for (std::size_t k = 0; k < 288; ++k) EXPECT_NEAR(turned[k], propagator[k], 1e-14);
}

class FormatPropagators : public InFolder {
protected:
  Columns columns_of(const Lattice& lattice, int count, std::uint64_t stream) const {
    Columns columns;
    for (int c = 0; c < count; ++c)
      columns.push_back(part_of(
          lattice, random_numbers(sites_of(lattice.extents()) * 24, stream + static_cast<std::uint64_t>(c)),
          24));
    return columns;
  }
};

TEST_F(FormatPropagators, HoldWhatWasWritten) {
  const Lattice lattice(world(), {4, 2, 6, 8});
  const Columns columns = columns_of(lattice, 12, 20);
  const std::string path = at("prop.lime");
  write_propagator(lattice, path, columns, {.change_basis = false, .note = "a < b & c"});
  EXPECT_EQ(read_propagator(lattice, path, {.change_basis = false}), columns);
  EXPECT_NE(bytes_of(path).find("a &lt; b &amp; c"), std::string::npos);
  MPI_Barrier(world().comm());

  write_propagator(lattice, path, columns);
  EXPECT_NE(read_propagator(lattice, path, {.change_basis = false}), columns);
  const Columns back = read_propagator(lattice, path);
  ASSERT_EQ(back.size(), 12u);
  for (std::size_t c = 0; c < 12; ++c)
    for (std::size_t k = 0; k < columns[c].size(); ++k) ASSERT_NEAR(back[c][k], columns[c][k], 1e-14);
  MPI_Barrier(world().comm());

  write_propagator(lattice, path, columns, {.number_bytes = 4, .change_basis = false});
  Columns rounded = columns;
  for (std::vector<double>& column : rounded)
    for (double& number : column) number = static_cast<float>(number);
  EXPECT_EQ(read_propagator(lattice, path, {.change_basis = false}), rounded);
}

TEST_F(FormatPropagators, OfTwelveRecordsAreReadToo) {
  const Lattice lattice(world(), {2, 4, 2, 4});
  const Columns columns = columns_of(lattice, 12, 40);
  const std::string one = at("one.lime"), twelve = at("twelve.lime");
  write_propagator(lattice, one, columns, {.change_basis = false});
  write_spinors(lattice, twelve, columns, {.change_basis = false});
  EXPECT_EQ(read_propagator(lattice, twelve), read_propagator(lattice, one));
  EXPECT_EQ(read_spinors(lattice, twelve, {.change_basis = false}), columns);
}

TEST_F(FormatPropagators, SourcesHoldWhatWasWritten) {
  const Lattice lattice(world(), {4, 2, 2, 6});
  const Columns fields = columns_of(lattice, 3, 60);
  const std::string path = at("sources.lime");
  write_spinors(lattice, path, fields);
  const Columns back = read_spinors(lattice, path);
  ASSERT_EQ(back.size(), 3u);
  for (std::size_t f = 0; f < 3; ++f)
    for (std::size_t k = 0; k < fields[f].size(); ++k) ASSERT_NEAR(back[f][k], fields[f][k], 1e-14);
}

TEST_F(FormatPropagators, ThatAreNoneAreRefused) {
  const Lattice lattice(world(), {4, 2, 2, 4}), other(world(), {2, 4, 2, 4});
  Columns columns = columns_of(lattice, 12, 80);
  const std::string path = at("prop.lime"), sources = at("sources.lime");
  write_propagator(lattice, path, columns);
  write_spinors(lattice, sources, {columns[0], columns[1]});
  const std::string bytes = bytes_of(path);
  MPI_Barrier(world().comm());
  const auto fault = [&](const std::string& changed) {
    make(path, changed);
    const std::string text = fault_of([&] { read_propagator(lattice, path); });
    MPI_Barrier(world().comm());
    return text;
  };
  EXPECT_TRUE(has(fault_of([&] { read_propagator(lattice, sources); }), "0 propagators and 2 fields"));
  EXPECT_TRUE(has(fault_of([&] { read_spinors(lattice, path); }), "holds no field of spinors"));
  EXPECT_TRUE(has(fault_of([&] { read_propagator(other, path); }), "4x2x2x4 sites, not 2x4x2x4"));
  EXPECT_TRUE(has(fault_of([&] { read_propagator(lattice, at("none")); }), "there is no file"));
  std::string changed = bytes;
  changed[bytes.size() / 2] ^= 4;
  EXPECT_TRUE(has(fault(changed), "have SciDAC checksum"));
  EXPECT_TRUE(has(fault(bytes.substr(0, bytes.size() / 2)), "is cut short: its record scidac-binary-data"));
  EXPECT_TRUE(has(fault(""), "0 propagators"));
  EXPECT_TRUE(has(fault("no LIME"), "no LIME record"));

  columns.pop_back();
  EXPECT_TRUE(has(fault_of([&] { write_propagator(lattice, path, columns); }), "11 columns"));
  EXPECT_TRUE(has(fault_of([&] { write_spinors(lattice, path, {}); }), "no field of spinors"));
  EXPECT_TRUE(has(fault_of([&] { write_spinors(lattice, path, columns, {.number_bytes = 3}); }), "3 bytes"));
  std::vector<double> whole = random_numbers(sites_of(lattice.extents()) * 24, 99);
  whole[(1 + 4 * (1 + 2 * (0 + 2 * 3))) * 24 + 5] = std::numeric_limits<double>::quiet_NaN(); // (1, 1, 0, 3)
  columns[3] = part_of(lattice, whole, 24);
  EXPECT_TRUE(
      has(fault_of([&] { write_spinors(lattice, at("never"), columns); }), "at (1, 1, 0, 3) holds a number"));
  EXPECT_FALSE(std::filesystem::exists(at("never")));
}

} // namespace
} // namespace tasuki::wilson::test
