// Keeps a client's bytes in a file without a name, of mode 0600, that goes with this process: images of devices elsewhere.
#pragma once

#include <remote/link/link.hpp>

#include <cstdint>

namespace tasuki::remote {

// At most so many bytes, in TMPDIR (else /tmp). The status of the process, once the client has gone.
int keep(Link& link, std::uint64_t most);

} // namespace tasuki::remote
