// Molecular dynamics of one replica from one exchange to the next (an interval), by a group of lanes.
//
// A step is BAOAB: half a kick, half a drift, friction and noise, half a drift, forces, half a kick; without friction
// it is velocity Verlet. Nose-Hoover chains and rescaling act between steps on the kinetic energy at full steps. Lane i
// has coordinates and velocity of an atom in own values; all coordinates are published to the group for pair forces.
#pragma once

#include <apps/argon/engine/batch.hpp>

namespace tasuki::argon {

template <template <class> class Near>
struct Interval {
  static constexpr int kThreads = Near<void>::kThreads, kBlocks = Near<void>::kBlocks; // of a GPU
  static constexpr std::size_t kShared = 80; // bytes besides the published coordinates
  Batch batch;
  Laws laws;

  template <class Group>
  TS_HD void operator()(Group& g, long replica) const;
};

// The data of an interval in progress, and its operations.
template <class Group, template <class> class Near>
class Walker {
public:
  TS_HD Walker(Group& g, const Batch& batch, const Laws& laws, long replica)
      : g_(g),
        b_(batch),
        l_(laws),
        replica_(replica),
        number_(batch.numbers[replica]),
        near_(g, laws),
        chain_(g.template shared<Chain>(1)),
        factor_(g.template shared<double>(1)),
        vx_(Near<Group>::template value<float>(g)),
        vy_(Near<Group>::template value<float>(g)),
        vz_(Near<Group>::template value<float>(g)),
        fx_(Near<Group>::template value<float>(g)),
        fy_(Near<Group>::template value<float>(g)),
        fz_(Near<Group>::template value<float>(g)),
        energy_(Near<Group>::template value<float>(g)),
        virial_(Near<Group>::template value<float>(g)) {}

  TS_HD void walk() {
    load();
    for (int s = 0;; ++s) {
      const std::uint64_t step = l_.first_step + static_cast<std::uint64_t>(s);
      const bool last = s == l_.steps;
      if (last)
        forces<ForcesAndEnergies>();
      else
        forces<Forces>();
      if (s > 0) {
        hold(step, last);
        if (l_.barostat_every > 0 && step % static_cast<std::uint64_t>(l_.barostat_every) == 0) breathe(step);
      }
      if (last) break;
      move(step);
      kicks_ = true;
    }
    store();
  }

private:
  // Sets the edge of the box and all values that depend on it.
  TS_HD void resize(double edge) {
    edge_ = edge;
    scale_ = scale_of(l_.matter, edge);
    kick_ = static_cast<float>(0.5 * l_.timestep * l_.matter.force(edge) / l_.matter.mass);
    drift_ = static_cast<float>(0.5 * l_.timestep / edge * 0x1p32);
  }

  TS_HD void load() {
    const float factor = l_.factors ? b_.factors[replica_] : 1.0f;
    double edge = l_.edge;
    if (b_.own) {
      const double* own = b_.own + replica_ * b_.row;
      edge = own[0];
      g_.once([&] {
        for (int k = 0; k < Chain::kLinks; ++k) {
          chain_->position[k] = own[1 + k];
          chain_->velocity[k] = own[1 + Chain::kLinks + k] * static_cast<double>(factor);
        }
        *factor_ = 1;
      });
    }
    resize(edge);
    if (l_.thermostat == Thermostat::langevin)
      friction_ = friction_of(l_.friction, l_.timestep, kT(), l_.matter.mass);
    near_.arrange(
        [&](int axis, int atom) { return static_cast<std::uint32_t>(b_.place_of(replica_, axis, atom)); });
    g_.each([&](int i, int slot) TS_LANE {
      const int atom = near_.atom(i);
      vx_(i, slot) = b_.velocity_of(replica_, 0, atom) * factor;
      vy_(i, slot) = b_.velocity_of(replica_, 1, atom) * factor;
      vz_(i, slot) = b_.velocity_of(replica_, 2, atom) * factor;
      near_.put(i, slot,
                {static_cast<std::uint32_t>(b_.place_of(replica_, 0, atom)),
                 static_cast<std::uint32_t>(b_.place_of(replica_, 1, atom)),
                 static_cast<std::uint32_t>(b_.place_of(replica_, 2, atom))});
    });
    if constexpr (Near<Group>::kLists) near_.build(edge_);
    if (l_.thermostat == Thermostat::nose_hoover) {
      const double kinetic = kinetic_energy();
      g_.once(
          [&] { *factor_ = advance_chain(*chain_, kinetic, l_.degrees, kT(), l_.coupling, l_.timestep); });
    }
  }

  // Computes the sums over neighbours and kicks velocities, except at first, when they are already at a full step.
  template <class Sums>
  TS_HD void forces() {
    const float kick = kicks_ ? kick_ : 0.0f;
    near_.template sum<Sums>(Scale{anew(scale_.b), anew(scale_.cutoff), anew(scale_.shift)},
                             [&](int i, int slot, const Sums& sums) TS_LANE {
                               fx_(i, slot) = sums.x;
                               fy_(i, slot) = sums.y;
                               fz_(i, slot) = sums.z;
                               vx_(i, slot) = fmaf(kick, sums.x, vx_(i, slot));
                               vy_(i, slot) = fmaf(kick, sums.y, vy_(i, slot));
                               vz_(i, slot) = fmaf(kick, sums.z, vz_(i, slot));
                               if constexpr (Sums::kEnergies) {
                                 energy_(i, slot) = sums.energy;
                                 virial_(i, slot) = sums.virial;
                               }
                             });
  }

  TS_HD void move(std::uint64_t step) {
    const bool chained = l_.thermostat == Thermostat::nose_hoover;
    const float scaled = chained ? static_cast<float>(*factor_) : 1.0f;
    const bool noisy = l_.thermostat == Thermostat::langevin;
    const auto one = [&](int i, int slot) TS_LANE {
      const int atom = near_.atom(i);
      float vx = fmaf(kick_, fx_(i, slot), vx_(i, slot) * scaled),
            vy = fmaf(kick_, fy_(i, slot), vy_(i, slot) * scaled),
            vz = fmaf(kick_, fz_(i, slot), vz_(i, slot) * scaled);
      const float free = atom < l_.frozen ? 0.0f : drift_;
      Place p = near_.get(i, slot);
      go(p, vx * free, vy * free, vz * free);
      if (noisy) {
        const Normals n = normals(philox(
            counter_of(static_cast<std::uint32_t>(atom), number_, step, Purpose::noise), anew(l_.seed)));
        vx = fmaf(friction_.noise, n.x, friction_.keep * vx);
        vy = fmaf(friction_.noise, n.y, friction_.keep * vy);
        vz = fmaf(friction_.noise, n.z, friction_.keep * vz);
      }
      go(p, vx * free, vy * free, vz * free);
      near_.put(i, slot, p);
      vx_(i, slot) = vx;
      vy_(i, slot) = vy;
      vz_(i, slot) = vz;
    };
    if constexpr (Near<Group>::kLists) {
      const bool strayed = g_.any([&](int i, int slot) TS_LANE {
        one(i, slot);
        return near_.strayed(i, slot);
      });
      if (strayed) near_.renew(edge_);
    } else {
      g_.each(one);
    }
  }

  TS_HD static void go(Place& p, float x, float y, float z) {
    p.x += static_cast<std::uint32_t>(nearest(x));
    p.y += static_cast<std::uint32_t>(nearest(y));
    p.z += static_cast<std::uint32_t>(nearest(z));
  }

  TS_HD double kinetic_energy() {
    return 0.5 * l_.matter.mass * g_.sum([&](int i, int slot) TS_LANE {
      return fmaf(vz_(i, slot), vz_(i, slot), fmaf(vy_(i, slot), vy_(i, slot), vx_(i, slot) * vx_(i, slot)));
    });
  }

  // Applies the thermostats that act on the kinetic energy, between two steps.
  TS_HD void hold(std::uint64_t step, bool last) {
    if (l_.thermostat == Thermostat::nose_hoover) {
      const double kinetic = kinetic_energy();
      g_.once([&] {
        double f = advance_chain(*chain_, kinetic, l_.degrees, kT(), l_.coupling, l_.timestep);
        if (!last) f *= advance_chain(*chain_, kinetic * f * f, l_.degrees, kT(), l_.coupling, l_.timestep);
        *factor_ = f;
      });
      if (last) multiply(static_cast<float>(*factor_));
    }
    if (l_.thermostat == Thermostat::rescaling && step % kRescaleEvery == 0) {
      const double kinetic = kinetic_energy();
      g_.once([&] {
        *factor_ = rescaling_factor(Draws(l_.seed, number_, step, Purpose::thermostat), kinetic, l_.degrees,
                                    kT(), l_.coupling, kRescaleEvery * l_.timestep);
      });
      multiply(static_cast<float>(*factor_));
    }
  }
  TS_HD void multiply(float factor) {
    g_.each([&](int i, int slot) TS_LANE {
      vx_(i, slot) *= factor;
      vy_(i, slot) *= factor;
      vz_(i, slot) *= factor;
    });
  }

  struct Pressed {
    double energy, virial;
  };
  TS_HD Pressed energies() { // of the published coordinates, in the present box
    return {l_.matter.energy(edge_) * g_.sum([&](int i, int slot) TS_LANE { return energy_(i, slot); }),
            l_.matter.virial(edge_) * g_.sum([&](int i, int slot) TS_LANE { return virial_(i, slot); })};
  }

  // A trial change of ln V (Frenkel and Smit, section 5.4.2). Coordinates are fractions of the box and do not change.
  TS_HD void breathe(std::uint64_t step) {
    Draws draws(l_.seed, number_, step, Purpose::barostat);
    const double change = l_.barostat_step * (2 * draws.uniform() - 1), odds = draws.uniform();
    const double old = edge_, tried = edge_ * exp(change / 3);
    if (tried < 2 * l_.matter.cutoff) return;
    if constexpr (Near<Group>::kLists) near_.build(tried < old ? tried : old);
    double cost = pressure() * (cube(tried) - cube(old)) + l_.matter.tail_energy(tried) -
                  l_.matter.tail_energy(old) - (l_.matter.atoms + 1) * kT() * change;
    kicks_ = false;
    for (int box = 0; box < 3; ++box) { // the present one, the trial one, and the accepted one
      if (box == 1) resize(tried);
      if (box == 2 && log(odds) * kT() < -cost) continue;
      if (box == 2) resize(old);
      forces<ForcesAndEnergies>();
      if (box < 2) cost += (box == 0 ? -1 : 1) * energies().energy;
    }
    if constexpr (Near<Group>::kLists) near_.build(edge_);
  }
  TS_HD double kT() const { // read from memory at each use, to save a register
    return kBoltzmann * static_cast<double>(b_.conditions[replica_].temperature_K);
  }
  TS_HD double pressure() const {
    return kBarNm3 * static_cast<double>(b_.conditions[replica_].pressure_bar);
  }
  TS_HD static double cube(double x) { return x * x * x; }

  TS_HD void store() {
    const Pressed pressed = energies();
    const double kinetic = kinetic_energy();
    g_.each([&](int i, int slot) TS_LANE {
      const int atom = near_.atom(i);
      const Place p = near_.get(i, slot);
      put(0, atom, p.x);
      put(1, atom, p.y);
      put(2, atom, p.z);
      b_.velocity_of(replica_, 0, atom) = vx_(i, slot);
      b_.velocity_of(replica_, 1, atom) = vy_(i, slot);
      b_.velocity_of(replica_, 2, atom) = vz_(i, slot);
    });
    g_.once([&] {
      const double lost = near_.overflowed() ? NAN : 0; // a list has overflowed: the results are invalid
      b_.measured[replica_] = {pressed.energy + lost, kinetic, pressed.virial, cube(edge_)};
      if (!b_.own) return;
      double* own = b_.own + replica_ * b_.row;
      own[0] = edge_;
      for (int k = 0; k < Chain::kLinks; ++k) {
        own[1 + k] = chain_->position[k];
        own[1 + Chain::kLinks + k] = chain_->velocity[k];
      }
    });
  }
  // The low word has changed by less than half a box; a crossing of the boundary changes the high word.
  TS_HD void put(int axis, int atom, std::uint32_t now) const {
    std::int64_t& place = b_.place_of(replica_, axis, atom);
    place += static_cast<std::int32_t>(now - static_cast<std::uint32_t>(place));
  }

  Group& g_;
  const Batch& b_;
  const Laws& l_;
  long replica_;
  std::uint32_t number_;
  Near<Group> near_;
  Chain* chain_;
  double* factor_;
  typename Near<Group>::template Value<float> vx_, vy_, vz_, fx_, fy_, fz_, energy_, virial_;
  Scale scale_;
  Friction friction_;
  double edge_ = 0;
  float kick_ = 0, drift_ = 0;
  bool kicks_ = false;
};

template <template <class> class Near>
template <class Group>
TS_HD void Interval<Near>::operator()(Group& g, long replica) const {
  Walker<Group, Near> walker(g, batch, laws, replica);
  walker.walk();
}

} // namespace tasuki::argon
