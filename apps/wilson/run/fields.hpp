// The gauge fields of a run, one configuration after another: generated, or out of files.
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

// "heat bath, beta 6, sweep 60", or the file's path.
std::string name_of(const Options& options, long configuration);

class Fields {
public:
  // Collective, all of it.
  Fields(const Lattice& lattice, const Options& options, RunFolder& folder);

  const Gauge& gauge() const { return gauge_; }

  // Puts configuration c into gauge(). Those of the heat bath come in order: it goes on from where it stands, or from
  // the folder's gauge.h5. `after` is called after each sweep with the number of those done and of those wanted; where
  // it returns true on all ranks, the sweeps are kept and false is returned. Throws Error as read_configuration() does,
  // and where a file's plaquette is not that of its header.
  bool make(long c, const std::function<bool(long, long)>& after);

  // Of gauge(): measured, and kept in a file where the options ask for one.
  const Measured& measured() const { return measured_; }
  void write(long c) const;

private:
  bool heat(long wanted, const std::function<bool(long, long)>& after);
  void read(const std::string& path);

  const Options& options_;
  RunFolder& folder_;
  Gauge gauge_;
  std::unique_ptr<HeatBath> bath_; // once it is needed
  long sweeps_ = -1;               // done on gauge_ by the heat bath
  Measured measured_;
};

// A sentence where M has no inverse: the free field has modes of momentum 0 or pi that kappa can annihilate. Empty
// where it has one, and where the field is not free.
std::string zero_mode(const Options& options, const Measured& measured);

} // namespace tasuki::wilson
