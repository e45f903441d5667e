// What a file of a configuration will be, before its links are in it.
#pragma once

#include <apps/wilson/format/configuration.hpp>
#include <apps/wilson/format/sums.hpp>

#include <functional>

namespace tasuki::wilson {

struct Writing {
  GaugeInfo info = {};          // where the links go, and how
  std::uint64_t file_bytes = 0; // of all
  SumKind sum = SumKind::none;
  // Writes all but the links into the file `name`, which has them. Errors name `path`. One rank does it.
  std::function<void(const std::string& name, const std::string& path, const Sum& sum)> finish = {};
};

// Of links of this trace (mean of Re tr U / 3), to be called `label`. Throw Error. Local.
Writing plan_nersc(const Lattice& lattice, const std::string& label, const WriteOptions& options,
                   double link_trace);
Writing plan_ildg(const Lattice& lattice, const std::string& label, const WriteOptions& options,
                  double link_trace);

} // namespace tasuki::wilson
