// The folder of a run that can be gone on with: job.json says what it is, other files where it stands and what it found.
#pragma once

#include <tasuki/base/world.hpp>
#include <tasuki/file/claim.hpp>

#include <memory>
#include <string>

namespace tasuki::job {

class RunFolder {
public:
  // Makes the folder where there is none. A folder that holds a run which has begun, that is job.json and the file
  // `begun`, is refused unless it is to go on, and one that another run holds always. Held until this ends, also while
  // the folder is only read. Throws Error. Collective.
  RunFolder(World& world, const std::string& program, const std::string& path, const std::string& begun,
            bool resume);

  const std::string& path() const { return path_; }
  std::string at(const std::string& name) const { return path_ + "/" + name; }
  std::string job() const { return at("job.json"); }
  std::string results() const { return at("results.h5"); }
  std::string record() const { return at("record.json"); }

  // Texts of JSON: sealed (seal.hpp), and written by rank 0, whole or not at all. Read on every rank as rank 0 has them;
  // throws Error where one was altered, and says it where one has no seal. Collective.
  void write(const std::string& name, const std::string& text);
  std::string read(const std::string& name) const;

  bool has(const std::string& name) const; // as rank 0 sees it. Collective.
  void remove(const std::string& name);    // where it is there; by rank 0. Collective.

protected:
  World& world_;
  std::unique_ptr<Claim> claim_; // rank 0 has it
  std::string path_;
};

// "results/argon-20260101-120000", the same on all ranks. Collective.
std::string default_folder(World& world, const std::string& program);

} // namespace tasuki::job
