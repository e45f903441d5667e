// The input and the output of a replica's interval: plain numbers that a kernel reads and writes.
#pragma once

#include <vector>

namespace tasuki::argon {

// The present temperature and pressure of a replica.
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

// The complete state of a replica. Equal bytes lead to the same trajectory on any rank with the same kind of device.
using State = std::vector<char>;

} // namespace tasuki::argon
