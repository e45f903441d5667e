// The sums of a lane over its neighbours, in its own values.
#pragma once

#include <apps/argon/physics/pair.hpp>

namespace tasuki::argon {

// get() and put() take Forces or ForcesAndEnergies; with Forces, the other sums do not change.
template <class Group>
class OwnSums {
public:
  TS_HD explicit OwnSums(Group& g)
      : x_(g.template own<float>()),
        y_(g.template own<float>()),
        z_(g.template own<float>()),
        energy_(g.template own<float>()),
        virial_(g.template own<float>()),
        energy_lost_(g.template own<float>()),
        virial_lost_(g.template own<float>()) {}

  template <class Sums>
  TS_HD Sums get(int slot) {
    if constexpr (Sums::kEnergies)
      return {x_[slot],      y_[slot],           z_[slot],          energy_[slot],
              virial_[slot], energy_lost_[slot], virial_lost_[slot]};
    else
      return {x_[slot], y_[slot], z_[slot]};
  }
  template <class Sums>
  TS_HD void put(int slot, const Sums& sums) {
    x_[slot] = sums.x;
    y_[slot] = sums.y;
    z_[slot] = sums.z;
    if constexpr (Sums::kEnergies) {
      energy_[slot] = sums.energy;
      virial_[slot] = sums.virial;
      energy_lost_[slot] = sums.energy_lost;
      virial_lost_[slot] = sums.virial_lost;
    }
  }

private:
  typename Group::template Own<float> x_, y_, z_, energy_, virial_, energy_lost_, virial_lost_;
};

} // namespace tasuki::argon
