// The plan of a configuration file, before its links are written.
#pragma once

#include <apps/wilson/format/configuration.hpp>
#include <apps/wilson/format/sums.hpp>

#include <functional>

namespace tasuki::wilson {

struct Writing {
  GaugeInfo info = {};          // the position and the format of the links
  std::uint64_t file_bytes = 0; // of the whole file
  SumKind sum = SumKind::none;
  // Writes all but the links to the file `name`, after the links. Errors contain `path`. Called by one rank.
  std::function<void(const std::string& name, const std::string& path, const Sum& sum)> finish = {};
};

// For links with this trace (mean of Re tr U / 3), with the label `label`. These throw Error. Local.
Writing plan_nersc(const Lattice& lattice, const std::string& label, const WriteOptions& options,
                   double link_trace);
Writing plan_ildg(const Lattice& lattice, const std::string& label, const WriteOptions& options,
                  double link_trace);

} // namespace tasuki::wilson
