// A way to a process of one's own behind a gate, for what is asked of it.
#pragma once

#include <remote/server/visit.hpp>
#include <remote/server/visit/greeting.hpp>

namespace tasuki::remote {

// Waits in the queue where it has to. Throws Error with what the gate refuses.
Visit open_by(const Host& host, const Key& key, Ask what, int device, const Wish& wish);

} // namespace tasuki::remote
