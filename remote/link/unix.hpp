// Unix sockets: both ends are on one host, and the system reports the user of the other end.
//
//   Descriptor socket = dial_unix(gate_socket(7411));
//   if (peer_uid(socket.number()) != geteuid()) ...
#pragma once

#include <remote/link/descriptor.hpp>

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace tasuki::remote {

// The socket of a port's gate for programs of the same user: $XDG_RUNTIME_DIR/tasuki-gpus-7411.sock, or in
// /tmp/tasuki-gpus-UID, a folder of mode 0700. Throws Error if that folder belongs to another user.
std::string gate_socket(std::uint16_t port);

// These throw Error if nothing listens, if the path is too long, or if a gate already listens there.
Descriptor dial_unix(const std::string& path);
Descriptor listen_unix(
    const std::string& path); // mode 0600; replaces a socket to which no process listens any more

uid_t peer_uid(int socket);

// Sends a file descriptor over a unix socket, together with one byte, `tag`. take_file() waits; at the end of the
// stream it returns an invalid descriptor.
bool pass_file(int socket, int file, unsigned char tag = 0) noexcept;
Descriptor take_file(int socket, unsigned char* tag = nullptr) noexcept;

} // namespace tasuki::remote
