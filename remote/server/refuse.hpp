// How a call of a client's is refused.
//
//   room_in(streams_);                                                       // throws where there are too many
//   refuse(Status::invalid_value, "a box that cannot be", "give its width");
#pragma once

#include <remote/device/status.hpp>

#include <cstddef>

namespace tasuki::remote {

constexpr std::size_t handles_limit = 1u << 20; // streams, events, kernels, modules, graphs of a client, each

[[noreturn]] inline void refuse(Status status, const char* what, const char* mend) {
  throw DeviceError(status, what, mend);
}

template <class Map>
void room_in(const Map& handles) {
  if (handles.size() >= handles_limit)
    refuse(Status::memory_allocation, "a million handles", "destroy those that are done with");
}

} // namespace tasuki::remote
