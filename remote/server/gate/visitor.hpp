// The process of one connection. It proves the client, passes its questions to the gate and the gate's answers back, and
// becomes the worker when a device is granted: TLS stays where it began, and the gate itself never parses a stranger's TLS.
#pragma once

#include <remote/link/descriptor.hpp>
#include <remote/link/key.hpp>
#include <remote/link/link.hpp>
#include <remote/server/grant.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace tasuki::remote {

// What a granted client gets; the process ends with its status.
using Serve = std::function<int(Link& link, const Grant& grant)>;

// What the gate sends to its own process behind a grant.
constexpr unsigned char kLeaving = 'L';        // without a lane: it is about to end
constexpr unsigned char kLaneOfThisHost = 'U'; // by a unix socket, whose user the gate has looked at
constexpr unsigned char kLaneOfAnyHost = 'T';  // by TCP

// What the gate tells its own process behind a grant.
struct Terms {
  std::int32_t gpu = -1;    // none: bytes are kept
  std::int32_t slot = -1;   // of the GPU's Share
  std::uint64_t memory = 0; // bytes; 0: all there is
};

struct Visitor {
  Descriptor socket;  // of the client, which has knocked
  Descriptor gate;    // a socket to the gate: Requests go out, Answers and files of lanes come in
  bool local = false; // a unix socket, whose user the gate has looked at
  std::string peer;   // for errors
  Key key;
  Tally* tally = nullptr;
  Share* shares = nullptr;                                        // of each GPU
  std::chrono::milliseconds idle_time = std::chrono::seconds(30); // of a proven client that asks nothing
};

// Returns the status of the process. Does not outlive its client by more than two seconds, nor the gate at all.
// The threads that it leaves use the visitor's gate until the process ends.
int receive(Visitor& visitor, const Serve& serve);

} // namespace tasuki::remote
