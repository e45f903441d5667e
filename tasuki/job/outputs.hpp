// The files that a run is asked for: none of them fails after the last step for what could be seen before the first.
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

// While it lives no other run writes them.
class Outputs {
public:
  using Named =
      std::vector<std::pair<std::string, std::string>>; // option and path, empty where it is not given

  // `read`: files that the run reads, and does not write. Throws Error where a file cannot be written
  // (refuse_output()), where another run holds it, and where one is given twice. Collective.
  Outputs(World& world, const Named& written, const std::vector<std::string>& read = {});

private:
  std::vector<std::unique_ptr<Claim>> claims_; // rank 0 has them
};

} // namespace tasuki::job
