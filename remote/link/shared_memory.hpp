// A link of one host: two rings of bytes in memory that both processes have. Who waits spins a bounded time, then sleeps.
// The memory has no name, so nothing of it is left behind whoever is killed; the unix socket over which it was agreed on
// stays, for files, and because the system closes it when the other process ends.
//
//   worker: share_as_worker(Descriptor(socket), "client")
//   client: share_as_client(Descriptor(socket), "this host")
#pragma once

#include <remote/link/descriptor.hpp>
#include <remote/link/link.hpp>

#include <memory>
#include <string>

namespace tasuki::remote {

// The worker makes the memory and passes it; the client takes it and looks that it cannot shrink beneath it.
std::unique_ptr<Link> share_as_worker(Descriptor socket, const std::string& peer);
std::unique_ptr<Link> share_as_client(Descriptor socket, const std::string& peer);

} // namespace tasuki::remote
