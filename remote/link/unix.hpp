// Unix sockets: both ends are of one host, and the system says whose the other one is.
//
//   Descriptor socket = dial_unix(gate_socket(7411));
//   if (peer_uid(socket.number()) != geteuid()) ...
#pragma once

#include <remote/link/descriptor.hpp>

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace tasuki::remote {

// Where the gate of a port listens for this user's own programs: $XDG_RUNTIME_DIR/tasuki-gpus-7411.sock, else in
// /tmp/tasuki-gpus-UID, a folder of mode 0700. Throws Error where that folder is another user's.
std::string gate_socket(std::uint16_t port);

// Throw Error: nobody there; a path that is too long; a gate that is there already.
Descriptor dial_unix(const std::string& path);
Descriptor listen_unix(
    const std::string& path); // mode 0600; takes the place of a socket that nobody listens at

uid_t peer_uid(int socket);

// A descriptor goes over a unix socket, with one byte. take_file waits, and returns one that nothing has where the stream
// ends. `tag` goes with it.
bool pass_file(int socket, int file, unsigned char tag = 0) noexcept;
Descriptor take_file(int socket, unsigned char* tag = nullptr) noexcept;

} // namespace tasuki::remote
