// The folder of a run that can be resumed: job.json has its options, the other files its state and its results.
#pragma once

#include <tasuki/base/world.hpp>
#include <tasuki/file/claim.hpp>

#include <memory>
#include <string>

namespace tasuki::job {

class RunFolder {
public:
  // Creates the folder if it does not exist. Throws Error if the folder contains a run that has begun (job.json and
  // the file `begun` exist) and `resume` is false, or if another run uses it. The folder is locked during the lifetime
  // of this object, also if it is only read. Collective.
  RunFolder(World& world, const std::string& program, const std::string& path, const std::string& begun,
            bool resume);

  const std::string& path() const { return path_; }
  std::string at(const std::string& name) const { return path_ + "/" + name; }
  std::string job() const { return at("job.json"); }
  std::string results() const { return at("results.h5"); }
  std::string record() const { return at("record.json"); }

  // JSON texts with a checksum (seal.hpp). Rank 0 writes them, completely or not at all, and reads them for all ranks;
  // throws Error if a text was altered, and prints a note if it has no checksum. Collective.
  void write(const std::string& name, const std::string& text);
  std::string read(const std::string& name) const;

  bool has(const std::string& name) const; // on rank 0. Collective.
  void remove(const std::string& name);    // if it exists; by rank 0. Collective.

protected:
  World& world_;
  std::unique_ptr<Claim> claim_; // on rank 0 only
  std::string path_;
};

// "results/argon-20260101-120000", the same on all ranks. Collective.
std::string default_folder(World& world, const std::string& program);

} // namespace tasuki::job
