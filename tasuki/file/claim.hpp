// A claim says which run writes here now: two runs do not write one file or one folder.
//
//   const Claim mine(claim_name("state.h5"), "state.h5", "write elsewhere"); // until it goes out of scope
#pragma once

#include <string>

namespace tasuki {

// The file that a writer of `path` locks: hidden, beside it.
std::string claim_name(const std::string& path);

// A lock on a file of its own (flock), which holds "PROCESS HOST" as text. The system takes the lock away with the
// process, however that ends, so a file that a killed run left is no obstacle. Hosts see each other's locks on file
// systems that carry them (NFS, Lustre mounted with flock, GPFS); where there are none at all, the text alone tells, and
// only of a process of this host is known whether it lives.
class Claim {
public:
  // Throws Error "<what> is in use by process 12 on host a; wait until it has ended, or <mend>". A process may claim
  // twice. Local.
  Claim(std::string lock, const std::string& what, const std::string& mend);
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

private:
  std::string lock_;
  int file_ = -1; // -1: this process had it already
};

} // namespace tasuki
