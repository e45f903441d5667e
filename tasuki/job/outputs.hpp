// The output files of a run: what could make one of them fail after the last step is an error before the first.
//
//   const Outputs outputs(world, {{"--record", record}, {"--checkpoint", checkpoint}}, {restart});
#pragma once

#include <tasuki/base/world.hpp>
#include <tasuki/file/claim.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tasuki::job {

// While it exists, no other run writes its files.
class Outputs {
public:
  using Named =
      std::vector<std::pair<std::string, std::string>>; // option and path, empty where it is not given

  // `read`: files that the run reads, and does not write. Throws Error if a file cannot be
  // written (refuse_output()), if another run holds it, or if a file is given twice. Collective.
  Outputs(World& world, const Named& written, const std::vector<std::string>& read = {});

private:
  std::vector<std::unique_ptr<Claim>> claims_; // rank 0 has them
};

} // namespace tasuki::job
