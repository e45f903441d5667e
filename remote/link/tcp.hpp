// TCP, in the clear: tls.hpp goes over it.
//
//   Descriptor socket = dial_tcp(host, std::chrono::seconds(10));
#pragma once

#include <remote/link/descriptor.hpp>
#include <remote/link/host.hpp>

#include <chrono>
#include <string>

namespace tasuki::remote {

// A connected socket: small messages leave at once, and a host that is gone is noticed by the system's own probes.
// Throws Error: no such host, nobody there, no answer.
Descriptor dial_tcp(const Host& host, std::chrono::milliseconds patience);

// What both ends ask of a connected socket.
void settle_tcp(int socket);

} // namespace tasuki::remote
