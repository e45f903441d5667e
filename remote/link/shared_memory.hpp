// A link within a host: two ring buffers in shared memory. A waiting side spins for a bounded time, then sleeps. The
// memory has no name, so the system frees it even if a process is killed. The unix socket that was used for the set-up
// stays open: it sends file descriptors, and the system closes it when the other process ends.
//
//   worker: share_as_worker(Descriptor(socket), "client")
//   client: share_as_client(Descriptor(socket), "this host")
#pragma once

#include <remote/link/descriptor.hpp>
#include <remote/link/link.hpp>

#include <memory>
#include <string>

namespace tasuki::remote {

// The worker creates the memory and sends its descriptor; the client maps it after a check that it cannot be shrunk.
std::unique_ptr<Link> share_as_worker(Descriptor socket, const std::string& peer);
std::unique_ptr<Link> share_as_client(Descriptor socket, const std::string& peer);

} // namespace tasuki::remote
