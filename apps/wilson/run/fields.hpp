// The gauge fields of a run, one configuration after another: generated, or read from files.
#pragma once

#include <apps/wilson/gauge/heatbath.hpp>
#include <apps/wilson/run/options.hpp>
#include <apps/wilson/run/results.hpp>
#include <apps/wilson/run/run_folder.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tasuki::wilson {

// "heat bath, beta 6, sweep 60", or the path of the file.
std::string name_of(const Options& options, long configuration);

class Fields {
public:
  // All members are collective.
  Fields(const Lattice& lattice, const Options& options, RunFolder& folder);

  const Gauge& gauge() const { return gauge_; }

  // Puts configuration c into gauge(). Heat-bath configurations are made in order, from the present field or from the
  // folder's gauge.h5. `after` is called after each sweep with the numbers of finished and of requested sweeps; if it
  // returns true on all ranks, the field is saved and make() returns false. Throws Error if read_configuration() does,
  // and if a file's plaquette differs from that of its header.
  bool make(long c, const std::function<bool(long, long)>& after);

  // Of gauge(): measured, and saved to a file if the options request it.
  const Measured& measured() const { return measured_; }
  void write(long c) const;

private:
  bool heat(long wanted, const std::function<bool(long, long)>& after);
  void read(const std::string& path);

  const Options& options_;
  RunFolder& folder_;
  Gauge gauge_;
  std::unique_ptr<HeatBath> bath_; // created at first use
  long sweeps_ = -1;               // of the heat bath on gauge_
  Measured measured_;
};

// A sentence if M is singular: modes of the free field with momenta 0 or pi have eigenvalue 0 for some kappa. Empty
// if it is not, and if the field is not free.
std::string zero_mode(const Options& options, const Measured& measured);

} // namespace tasuki::wilson
