// Where GPUs are served, as `--hosts` names it.
//
//   parse_hosts("a:2,b[0,3],c@7500,/run/gpus.sock")  // two of a, the first and the fourth of b, all of c at port 7500,
//                                                     // and those behind a unix socket
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tasuki::remote {

constexpr std::uint16_t kDefaultPort = 7411;

struct Host {
  std::string name;                  // as DNS or /etc/hosts know it, or a number; "" with a path
  std::uint16_t port = kDefaultPort; // of its gate
  std::string path = "";             // of its gate's unix socket, instead of name and port
  int count = -1;                    // how many of its devices, from the first; -1: all
  std::vector<int> devices = {};     // or which

  std::string shown() const; // "a", "c@7500", "/run/gpus.sock": for errors
};

// Throws Error where the text is no list of hosts, or names one twice.
std::vector<Host> parse_hosts(const std::string& text);

} // namespace tasuki::remote
