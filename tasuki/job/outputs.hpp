// The output files of a run. They are checked before the first step, so that a run does not fail after the last one.
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

// During its lifetime, no other run writes these files.
class Outputs {
public:
  using Named =
      std::vector<std::pair<std::string, std::string>>; // option and path; the path is empty if not given

  // `read`: files that the run reads and must not write. Throws Error if a file cannot be
  // written (refuse_output()), if another run uses it, or if a file is given twice. Collective.
  Outputs(World& world, const Named& written, const std::vector<std::string>& read = {});

private:
  std::vector<std::unique_ptr<Claim>> claims_; // on rank 0 only
};

} // namespace tasuki::job
