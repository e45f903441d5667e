// The predicted time of an interval of replica exchange, from one exchange to the next, on any number of devices.
#pragma once

#include <tasuki/base/options.hpp>
#include <tasuki/model/constants.hpp>
#include <tools/model/table.hpp>

#include <string>
#include <vector>

namespace tasuki::model {

// What tasuki-bench-argon measured on one device: an interval of `every` steps, its launch and energies included.
struct ArgonSpeed {
  long atoms = 0, replicas = 0;
  int every = 100;
  double seconds = 0;
  long at_once = 0; // replicas of this size that the device moves at the same time; 0: nobody has said
};

// T(n) = compute(ceil(R/n)) + gather + decision:
//   compute   of the device that has most replicas, between what was measured for fewer and for more. A device that is
//             not full takes as long as a full one: no replica is spread over devices. Where it is known how many replicas
//             a device moves at once, they are done in rounds, and the last takes the time of as few as are left.
//   gather    the energies of all replicas to every rank, in ceil(log2) rounds among the ranks of a node, then of nodes
//   decision  of every pair, on every rank, from the same random numbers: it is the same for every n
class ArgonModel {
public:
  struct Job {
    long atoms = 256, replicas = 14336;
    int every = 100;       // steps
    bool pressure = false; // volumes travel, too
  };

  ArgonModel(Job job, std::vector<ArgonSpeed> speeds, const Constants& constants, double decision);

  Parts at(int devices) const;                       // seconds of an interval
  double compute(long atoms, double replicas) const; // of `every` steps on one device
  bool knows_few(long atoms) const; // whether devices that are not full were measured at about this size
  double rounds(int devices) const; // of the device that has most replicas; 0: not known for this size
  // Makes the arithmetic agree with an interval that was measured on one device, where that is possible.
  void calibrate(double one_took);

private:
  using Points = std::vector<std::pair<double, double>>; // replicas, seconds of a step
  double of_size(long atoms, double replicas) const;     // at a size that was measured
  static double measured(const Points& points, double replicas);
  static double in_rounds(const Points& points, double at_once, double replicas);
  long at_once(long atoms) const;

  Job job_;
  std::vector<ArgonSpeed> speeds_; // by atoms, then replicas
  const Constants& constants_;
  double decision_, scale_ = 1;
};

// Built in, by the name of a device; empty where nothing was measured on such a one.
std::vector<ArgonSpeed> argon_speeds(const std::string& device);
// From lines of JSON that tasuki-bench-argon wrote. Throws Error where the file holds none of one device.
std::vector<ArgonSpeed> load_argon_speeds(const std::string& path);

struct ArgonOptions {
  ArgonModel::Job job;
  std::string speeds;                // a file; empty: built in
  std::vector<std::string> measured; // devices:seconds of an interval
  double decision = 60e-9;           // seconds a replica: measured on a core of a Xeon
};

void add_argon_options(OptionParser& line, ArgonOptions& options);
Table argon_table(const ArgonOptions& options, const Constants& constants, std::vector<int> devices);

} // namespace tasuki::model
