// What an ensemble must have: energy that is kept, temperatures, the distributions of Maxwell and of kinetic energies,
// pressure; and the same bits wherever a replica is computed.
#include <apps/argon/engine/replicas.hpp>
#include <apps/argon/engine/state.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace tasuki::argon {
namespace {

System small(Correction correction = Correction::shifted, bool breathes = false) {
  SystemOptions options;
  options.atoms = 108;
  options.correction = correction;
  options.constant_pressure = breathes;
  if (breathes) options.density_g_cm3 = 1.2;
  return System(options);
}

// Mean and its error from blocks, since what follows another is like it.
struct Mean {
  double value, error;
};
Mean mean_of(const std::vector<double>& all) {
  constexpr std::size_t kBlocks = 20;
  const std::size_t length = all.size() / kBlocks;
  double sum = 0, square = 0;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(b * length);
    const double mean =
        std::accumulate(from, from + static_cast<std::ptrdiff_t>(length), 0.0) / static_cast<double>(length);
    sum += mean;
    square += mean * mean;
  }
  const double mean = sum / kBlocks;
  return {mean, std::sqrt(std::max(0.0, square / kBlocks - mean * mean) / (kBlocks - 1))};
}

TEST(Dynamics, VelocityVerletKeepsEnergyAndMomentum) {
  const System system = small();
  Dynamics dynamics;
  dynamics.thermostat = Thermostat::none;
  dynamics.seed = test::seed();
  Replicas replicas(test::world(), system, dynamics, test::world().size());
  replicas.set({{200, 0}});
  replicas.start(Start::fcc);
  std::vector<double> energy;
  for (int interval = 0; interval < 100; ++interval) {
    replicas.advance(interval * 200, 200);
    const Measured m = replicas.measured()[0];
    energy.push_back(m.potential + m.kinetic);
  }
  const double early = std::accumulate(energy.begin(), energy.begin() + 20, 0.0) / 20,
               late = std::accumulate(energy.end() - 20, energy.end(), 0.0) / 20;
  // kJ/mol an atom in 16,000 steps, where kT is 1: forces jump at the cut-off, so energy does a walk of small steps.
  EXPECT_LT(std::abs(late - early) / 108, 1e-3);
  const std::vector<float> v = replicas.velocities(replicas.first());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double sum = 0;
    for (std::size_t i = 0; i < 108; ++i) sum += static_cast<double>(v[3 * i + axis]);
    EXPECT_LT(std::abs(sum / 108), 2e-5); // nm/ps; an atom has 0.2
  }
}

struct Bath {
  Thermostat thermostat;
  const char* name;
};

TEST(Dynamics, ThermostatsGiveTheirTemperatureAndItsFluctuations) {
  for (const Bath& bath :
       {Bath{Thermostat::langevin, "langevin"}, Bath{Thermostat::nose_hoover, "nose_hoover"},
        Bath{Thermostat::rescaling, "rescaling"}}) {
    SCOPED_TRACE(bath.name);
    const System system = small();
    Dynamics dynamics;
    dynamics.thermostat = bath.thermostat;
    dynamics.friction_per_ps = 3;
    dynamics.seed = test::seed();
    constexpr double kelvin = 180;
    Replicas replicas(test::world(), system, dynamics, 4L * test::world().size());
    replicas.set(std::vector<Conditions>(4, Conditions{kelvin, 0}));
    replicas.start(Start::fcc);
    std::vector<double> temperature, square, fourth, second;
    const double degrees = dynamics.degrees(108), kT = kBoltzmann * kelvin;
    for (int interval = 0; interval < 220; ++interval) {
      replicas.advance(interval * 40, 40);
      const std::vector<Measured> all = replicas.measured();
      if (interval < 20) continue;
      for (const Measured& m : all) {
        temperature.push_back(System::temperature(m.kinetic, degrees));
        square.push_back(std::pow(m.kinetic / (0.5 * degrees * kT) - 1, 2));
      }
      double v2 = 0, v4 = 0;
      const std::vector<float> velocities = replicas.velocities(replicas.first());
      for (const float f : velocities) {
        const double u = system.substance().mass * static_cast<double>(f) * static_cast<double>(f) / kT;
        v2 += u;
        v4 += u * u;
      }
      second.push_back(v2 / static_cast<double>(velocities.size()));
      fourth.push_back(v4 / static_cast<double>(velocities.size()));
    }
    const Mean t = mean_of(temperature), s = mean_of(square), two = mean_of(second), four = mean_of(fourth);
    EXPECT_NEAR(t.value, kelvin, 5 * t.error + 2e-3 * kelvin); // and what a step of 4 fs shifts
    EXPECT_NEAR(s.value, 2 / degrees, 5 * s.error + 0.02 / degrees);
    // Maxwell's components are normal: moments 1 and 3, less what a standing whole takes.
    const double free = degrees / 324;
    EXPECT_NEAR(two.value, free, 5 * two.error + 2e-3);
    EXPECT_NEAR(four.value, 3 * free * free, 5 * four.error + 2e-2);
  }
}

// The mean of what the virial says must be what the barostat was told, for a potential without a jump.
TEST(Dynamics, TheBarostatHoldsItsPressure) {
  const System system = small(Correction::shifted, true);
  Dynamics dynamics;
  dynamics.friction_per_ps = 3;
  dynamics.barostat_every = 10;
  dynamics.seed = test::seed();
  constexpr double kelvin = 130, bar = 800;
  Replicas replicas(test::world(), system, dynamics, 4L * test::world().size());
  replicas.set(std::vector<Conditions>(4, Conditions{kelvin, bar}));
  replicas.start(Start::fcc);
  std::vector<double> pressure, volume;
  for (int interval = 0; interval < 300; ++interval) {
    replicas.advance(interval * 50, 50);
    for (const Measured& m : replicas.measured()) {
      if (interval < 60) continue;
      pressure.push_back(System::pressure(m.kinetic, m.virial, m.volume));
      volume.push_back(m.volume);
    }
  }
  const Mean p = mean_of(pressure), v = mean_of(volume);
  EXPECT_NEAR(p.value, bar, 5 * p.error + 10);
  EXPECT_LT(p.error, 200); // else it says nothing
  EXPECT_GT(v.error, 0);   // it breathes
}

struct Kind {
  long atoms;
  Pairs pairs;
  Thermostat thermostat;
  bool breathes;
};

// Every rank redoes replicas of all ranks, apart and in other company, in two intervals where the owner did two: bits.
TEST(Dynamics, AReplicaHasTheSameBitsAnywhere) {
  World& world = test::world();
  for (const Kind& kind : {Kind{108, Pairs::all, Thermostat::langevin, false},
                           Kind{108, Pairs::all, Thermostat::nose_hoover, false},
                           Kind{108, Pairs::all, Thermostat::rescaling, false},
                           Kind{108, Pairs::all, Thermostat::langevin, true},
                           Kind{500, Pairs::lists, Thermostat::langevin, false},
                           Kind{500, Pairs::lists, Thermostat::langevin, true}}) {
    SystemOptions options;
    options.atoms = kind.atoms;
    options.constant_pressure = kind.breathes;
    const System system(options);
    Dynamics dynamics;
    dynamics.pairs = kind.pairs;
    dynamics.thermostat = kind.thermostat;
    dynamics.seed = test::seed();
    const long count = world.size() + 2;
    Replicas replicas(world, system, dynamics, count);
    std::vector<Conditions> at;
    std::vector<float> factors;
    for (long r = replicas.first(); r < replicas.first() + replicas.owned(); ++r) {
      at.push_back({static_cast<float>(80 + 20 * r), 500});
      factors.push_back(1.0f + 0.01f * static_cast<float>(r));
    }
    replicas.set(at, factors);
    replicas.start(Start::fcc);
    std::vector<State> before, after;
    for (long r = replicas.first(); r < replicas.first() + replicas.owned(); ++r)
      before.push_back(replicas.state(r));
    replicas.advance(1000, 30);
    replicas.advance(1030, 30);
    const std::vector<Measured> measured = replicas.measured();
    for (long r = replicas.first(); r < replicas.first() + replicas.owned(); ++r)
      after.push_back(replicas.state(r));

    for (long r = 0; r < count; ++r) {
      int owner = r >= replicas.first() && r < replicas.first() + replicas.owned() ? world.rank() : -1;
      MPI_Allreduce(MPI_IN_PLACE, &owner, 1, MPI_INT, MPI_MAX, world.comm());
      State from(state_bytes(kind.atoms)), to(state_bytes(kind.atoms));
      double energy = 0;
      if (owner == world.rank()) {
        const std::size_t own = static_cast<std::size_t>(r - replicas.first());
        from = before[own];
        to = after[own];
        energy = measured[own].potential;
      }
      MPI_Bcast(from.data(), static_cast<int>(from.size()), MPI_CHAR, owner, world.comm());
      MPI_Bcast(to.data(), static_cast<int>(to.size()), MPI_CHAR, owner, world.comm());
      MPI_Bcast(&energy, 1, MPI_DOUBLE, owner, world.comm());
      const Conditions conditions{static_cast<float>(80 + 20 * r), 500};
      const float factor = 1.0f + 0.01f * static_cast<float>(r);
      const std::vector<State> half = replicas.redo({r}, {from}, {conditions}, {factor}, 1000, 30);
      std::vector<Measured> again;
      const std::vector<State> whole = replicas.redo({r}, half, {conditions}, {}, 1030, 30, &again);
      EXPECT_TRUE(whole[0] == to) << "replica " << r << " of " << kind.atoms << " atoms, thermostat "
                                  << static_cast<int>(kind.thermostat);
      EXPECT_EQ(again[0].potential, energy);
    }
  }
}

TEST(Dynamics, PlacesAreUnwrapped) {
  const System system = small();
  Dynamics dynamics;
  dynamics.thermostat = Thermostat::none;
  dynamics.timestep_ps = 1e-3;
  Replicas replicas(test::world(), system, dynamics, test::world().size());
  replicas.set({{1, 0}});
  replicas.start(Start::fcc);
  State state = replicas.state(replicas.first());
  const StateParts p = parts_of(state, 108);
  const float speed = 2 * static_cast<float>(system.box_nm()); // all together, two boxes a ps
  for (long i = 0; i < 108; ++i) p.velocity[i] = -speed;
  replicas.set_state(replicas.first(), state);
  const std::vector<double> from = replicas.positions(replicas.first());
  for (int interval = 0; interval < 10; ++interval) replicas.advance(interval * 100, 100);
  const std::vector<double> to = replicas.positions(replicas.first());
  for (std::size_t i = 0; i < 108; ++i) EXPECT_NEAR(to[3 * i] - from[3 * i], -2 * system.box_nm(), 0.05);
}

TEST(Dynamics, StartsAreWhatTheyAreCalled) {
  const System system = small();
  Dynamics dynamics;
  const auto energy = [&](Start kind) {
    Replicas replicas(test::world(), system, dynamics, test::world().size());
    replicas.set({{90, 0}});
    replicas.start(kind);
    replicas.advance(0, 0);
    return replicas.measured()[0].potential / 108;
  };
  const double fcc = energy(Start::fcc), half = energy(Start::half), liquid = energy(Start::liquid);
  EXPECT_LT(fcc + 0.3, half); // kJ/mol
  EXPECT_LT(half + 0.2, liquid);
}

TEST(Dynamics, MemoryIsSaidBeforeItIsTaken) {
  SystemOptions options;
  options.atoms = 2048;
  const System system(options);
  const std::size_t needed = memory_needed(system, {}, 14336);
  EXPECT_GT(needed, std::size_t{14336} * 2048 * 36);
  EXPECT_LT(needed,
            std::size_t{4} << 30); // 14,336 replicas of 2,048 atoms run on one device of 80 GB with ease
  EXPECT_THROW(Replicas(test::world(), system, {}, 1L << 31), Error);
}

} // namespace
} // namespace tasuki::argon
