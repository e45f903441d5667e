// A claim is a lock on a file or folder, so that no two runs write to the same one.
//
//   const Claim mine(claim_name("state.h5"), "state.h5", "write elsewhere"); // until it goes out of scope
#pragma once

#include <string>

namespace tasuki {

// The lock file for writers of `path`: a hidden file in the same folder.
std::string claim_name(const std::string& path);

// A lock on a separate file (flock), which contains "PROCESS HOST" as text. The system releases the lock when the
// process ends for any reason, so the lock file of a killed run does no harm. The lock is valid between hosts on file
// systems that support it (NFS, Lustre mounted with flock, GPFS). On a file system without locks the text is used
// instead; whether its process still exists can be tested on the same host only.
class Claim {
public:
  // Throws Error "<what> is in use by process 12 on host a; wait until it has ended, or <mend>". The same process may
  // claim a file twice. Local.
  Claim(std::string lock, const std::string& what, const std::string& mend);
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

private:
  std::string lock_;
  int file_ = -1; // -1: this process already held the lock
};

} // namespace tasuki
