// Energies, virials and forces of all pairs and of lists against double precision, and of both against each other.
#include <apps/argon/engine/replicas.hpp>
#include <tests/apps/argon/reference.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki::argon {
namespace {

struct Case {
  long atoms;
  Pairs pairs;
  Correction correction;
  double shaken; // sigma
};

const Case kCases[] = {
    {32, Pairs::all, Correction::shifted, 0.08},  {108, Pairs::all, Correction::cut, 0},
    {108, Pairs::all, Correction::shifted, 0.08}, {256, Pairs::all, Correction::cut, 0.08},
    {256, Pairs::all, Correction::cut, 0},        {256, Pairs::lists, Correction::cut, 0.08},
    {500, Pairs::all, Correction::shifted, 0.08}, {500, Pairs::lists, Correction::shifted, 0.08},
    {864, Pairs::lists, Correction::tail, 0.08},  {2048, Pairs::lists, Correction::cut, 0.08},
};

System system_of(const Case& c) {
  SystemOptions options;
  options.atoms = c.atoms;
  options.correction = c.correction;
  return System(options);
}

std::string name_of(const Case& c) {
  return std::to_string(c.atoms) + " atoms, " + (c.pairs == Pairs::all ? "all pairs" : "lists") +
         ", shaken by " + std::to_string(c.shaken);
}

// One replica a rank, each with a configuration of its own.
TEST(Forces, EnergiesAreThoseOfDoublePrecision) {
  test::Random random = test::random(static_cast<std::uint64_t>(test::world().rank()));
  for (const Case& c : kCases) {
    SCOPED_TRACE(name_of(c));
    const System system = system_of(c);
    Dynamics dynamics;
    dynamics.pairs = c.pairs;
    Replicas replicas(test::world(), system, dynamics, test::world().size());
    replicas.set({{100, 0}});
    replicas.set_state(replicas.first(), reference::shaken(system, c.shaken, random));
    const reference::Reference exact =
        reference::of(system, replicas.positions(replicas.first()), system.box_nm());
    replicas.advance(0, 0);
    const Measured m = replicas.measured()[0];
    // Relative to what is summed: in a shaken crystal repulsion and attraction nearly cancel.
    EXPECT_NEAR(m.potential, exact.energy,
                1e-6 * std::abs(exact.energy) + 1e-7 * exact.size + exact.doubtful);
    EXPECT_NEAR(m.virial, exact.virial,
                1e-6 * std::abs(exact.virial) + 1e-6 * exact.size + exact.doubtful_virial);
    EXPECT_NEAR(m.volume, system.volume_nm3(), 1e-12 * system.volume_nm3());
  }
}

// Atoms at rest are given v = F dt / m by a short step. Forces are held against central differences of the energy of
// double precision, atom by atom for some, and against its analytic ones for all.
TEST(Forces, ForcesAreSlopesOfTheEnergy) {
  test::Random random = test::random(100 + static_cast<std::uint64_t>(test::world().rank()));
  constexpr double dt = 1e-5, h = 1e-5; // ps, nm
  for (const Case& c : kCases) {
    if (c.shaken == 0 || c.correction != Correction::shifted)
      continue; // a plain cut has slopes that are infinite
    SCOPED_TRACE(name_of(c));
    const System system = system_of(c);
    Dynamics dynamics;
    dynamics.pairs = c.pairs;
    dynamics.thermostat = Thermostat::none;
    dynamics.timestep_ps = dt;
    Replicas replicas(test::world(), system, dynamics, test::world().size());
    replicas.set({{100, 0}});
    replicas.set_state(replicas.first(), reference::shaken(system, c.shaken, random));
    std::vector<double> x = replicas.positions(replicas.first());
    replicas.advance(0, 1);
    const std::vector<float> v = replicas.velocities(replicas.first());
    const reference::Reference exact = reference::of(system, x, system.box_nm());
    double square = 0;
    for (const double f : exact.force) square += f * f;
    const double typical = std::sqrt(square / static_cast<double>(exact.force.size()));
    const auto force = [&](std::size_t k) {
      return static_cast<double>(v[k]) * system.substance().mass / dt;
    };
    for (std::size_t k = 0; k < x.size(); ++k)
      ASSERT_NEAR(force(k), exact.force[k],
                  2e-4 * typical + 1e-4 * std::abs(exact.force[k]) + exact.doubtful_force[k / 3])
          << k;
    for (int trial = 0; trial < 6; ++trial) {
      const std::size_t k = static_cast<std::size_t>(test::pick(random, 0, static_cast<long>(x.size()) - 1));
      std::vector<double> y = x;
      y[k] = x[k] + h;
      const double up = reference::of(system, y, system.box_nm()).energy;
      y[k] = x[k] - h;
      const double down = reference::of(system, y, system.box_nm()).energy;
      EXPECT_NEAR(force(k), -(up - down) / (2 * h),
                  5e-4 * typical + 5e-4 * std::abs(exact.force[k]) + exact.doubtful_force[k / 3])
          << k;
    }
  }
}

// To rounding: lists see places of 21 bits and sum in another order. Over an interval in a crystal that stays one.
TEST(Forces, ListsMoveAtomsAsAllPairsDo) {
  SystemOptions options;
  options.atoms = 500;
  options.correction = Correction::shifted;
  const System system(options);
  std::vector<double> x[2];
  std::vector<Measured> m[2];
  for (const Pairs pairs : {Pairs::all, Pairs::lists}) {
    Dynamics dynamics;
    dynamics.pairs = pairs;
    Replicas replicas(test::world(), system, dynamics, test::world().size());
    replicas.set({{60, 0}});
    replicas.start(Start::fcc);
    replicas.advance(0, 60);
    const int which = pairs == Pairs::lists;
    m[which] = replicas.measured();
    x[which] = replicas.positions(replicas.first());
  }
  for (std::size_t k = 0; k < x[0].size(); ++k) ASSERT_NEAR(x[0][k], x[1][k], 2e-4) << k;
  EXPECT_NEAR(m[0][0].potential, m[1][0].potential, 1e-3 * std::abs(m[0][0].potential));
}

// A skin that atoms cross again and again: if a list were kept too long, energy would come from nowhere.
TEST(Forces, ListsAreMadeAnewInTime) {
  SystemOptions options;
  options.atoms = 500;
  options.correction = Correction::shifted;
  const System system(options);
  Dynamics dynamics;
  dynamics.pairs = Pairs::lists;
  dynamics.thermostat = Thermostat::none;
  dynamics.skin_sigma = 0.1;
  Replicas replicas(test::world(), system, dynamics, test::world().size());
  replicas.set({{600, 0}});
  replicas.start(Start::fcc);
  replicas.advance(0, 300); // the crystal melts
  const Measured before = replicas.measured()[0];
  replicas.advance(300, 300);
  const Measured after = replicas.measured()[0];
  const reference::Reference exact =
      reference::of(system, replicas.positions(replicas.first()), system.box_nm());
  EXPECT_NEAR(after.potential, exact.energy, 1e-6 * std::abs(exact.energy) + exact.doubtful);
  EXPECT_NEAR(after.potential + after.kinetic, before.potential + before.kinetic, 5e-4 * before.kinetic);
}

// What a list names besides those within the cut-off adds 0, so its reach changes no bit of what atoms do.
TEST(Forces, HowFarListsReachChangesNoBit) {
  SystemOptions options;
  options.atoms = 500;
  const System system(options);
  std::vector<State> after;
  for (const auto& [skin, wider] : {std::pair{0.3, 0.0}, std::pair{0.15, 0.0}, std::pair{0.12, 0.3}}) {
    Dynamics dynamics;
    dynamics.pairs = Pairs::lists;
    dynamics.skin_sigma = skin;
    dynamics.wider_sigma = wider;
    Replicas replicas(test::world(), system, dynamics, test::world().size());
    replicas.set({{300, 0}});
    replicas.start(Start::fcc);
    replicas.advance(0, 150);
    after.push_back(replicas.state(replicas.first()));
  }
  EXPECT_TRUE(after[0] == after[1]);
  EXPECT_TRUE(after[0] == after[2]);
}

} // namespace
} // namespace tasuki::argon
