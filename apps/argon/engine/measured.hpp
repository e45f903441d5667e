// What goes to a replica's interval, and what comes back from it: plain numbers, as a kernel reads and writes them.
#pragma once

#include <vector>

namespace tasuki::argon {

// What a replica is held at now.
struct Conditions {
  float temperature_K = 0;
  float pressure_bar = 0; // constant pressure only
};

// Of one replica at the end of an interval: totals in kJ/mol, without the tail's; the virial is the sum over pairs of
// r . F, so that p V = (2 kinetic + virial) / 3.
struct Measured {
  double potential = 0, kinetic = 0, virial = 0;
  double volume = 0; // nm^3
};

// Everything that one replica is. The same bytes give the same future, on any rank of one kind of device.
using State = std::vector<char>;

} // namespace tasuki::argon
