// TCP connections without encryption; tls.hpp adds it.
//
//   Descriptor socket = dial_tcp(host, std::chrono::seconds(10));
#pragma once

#include <remote/link/descriptor.hpp>
#include <remote/link/host.hpp>

#include <chrono>
#include <string>

namespace tasuki::remote {

// A connected socket without delay for small messages, and with keep-alive probes that detect a failed host.
// Throws Error if the host is unknown, refuses the connection, or does not answer.
Descriptor dial_tcp(const Host& host, std::chrono::milliseconds patience);

// Sets the options of a connected socket, at both ends.
void settle_tcp(int socket);

} // namespace tasuki::remote
