// The gate of a host: listens, has clients prove themselves, says what there is, and gives each granted client a process of
// its own. It never opens a GPU: a driver that hangs takes a worker with it and no more.
//
//   Gate gate({.devices = .., .key = key}, serve);
//   return gate.run();     // until SIGTERM, SIGINT, or a drain whose last client has gone
#pragma once

#include <remote/link/host.hpp>
#include <remote/link/key.hpp>
#include <remote/server/gate/visitor.hpp>
#include <remote/server/visit.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tasuki::remote {

struct GateOptions {
  std::vector<ServedDevice> devices;
  int clients = 1;                   // of a device at a time
  std::uint64_t memory = 0;          // bytes a client; 0: all there is
  bool ucx = false;                  // to clients of other hosts that ask for it: nothing of it is encrypted
  std::uint64_t images = 0;          // bytes of a client's that are kept on this host's disk; 0: none
  std::string listen = "127.0.0.1";  // an address of this host; off loopback a key is needed
  std::uint16_t port = kDefaultPort; // 0: any
  std::string socket;                // for this user's own programs; "": none
  Key key;                           // without one there is no TCP
  // Of strangers, that have proven nothing yet. Where there are more, the one that has taken longest is dropped.
  std::size_t knocks = 64, unproven = 32;
  std::chrono::milliseconds knock_time = std::chrono::seconds(5);
  std::chrono::milliseconds idle_time = std::chrono::seconds(30); // of a proven client that asks nothing
};

class Gate {
public:
  // Listens at once; throws Error where it cannot, or must not.
  Gate(GateOptions options, Serve serve);
  ~Gate();
  std::uint16_t port() const; // 0: no TCP
  int run();                  // status of the program

private:
  class Hall;
  std::unique_ptr<Hall> hall_;
};

} // namespace tasuki::remote
