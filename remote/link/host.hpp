// A host that serves GPUs, as in `--hosts`.
//
//   parse_hosts("a:2,b[0,3],c@7500,/run/gpus.sock")  // two GPUs of a, the first and fourth of b, all of c at port
//                                                     // 7500, and those of the gate at a unix socket
//   parse_hosts("@b.hosts")                           // those of a file: one a line, # begins a comment
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tasuki::remote {

constexpr std::uint16_t kDefaultPort = 7411;

struct Host {
  std::string name;                  // a name for DNS or /etc/hosts, or an address; "" if there is a path
  std::uint16_t port = kDefaultPort; // of its gate
  std::string path = "";             // of the unix socket of its gate; replaces name and port
  int count = -1;                    // number of its devices to use, from the first; -1: all
  std::vector<int> devices = {};     // or their indices

  std::string shown() const; // "a", "c@7500", "/run/gpus.sock": for errors
};

// Throws Error if the text is not a list of hosts, or contains a host twice.
std::vector<Host> parse_hosts(const std::string& text);

} // namespace tasuki::remote
