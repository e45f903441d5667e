// An error on its way to the program: the number that its call returns.
//
//   throw Failure(Status::memory_allocation);
#pragma once

#include <remote/device/status.hpp>

#include <exception>

namespace tasuki::remote {

// Whether a failure is of the one call, and not of its device.
inline bool of_the_call_alone(Status status) { return status != devices_unavailable && !sticky(status); }

class Failure : public std::exception {
public:
  explicit Failure(Status status) : status_(status) {}
  Status status() const { return status_; }
  const char* what() const noexcept override { return "a call of a remote GPU failed"; }

private:
  Status status_;
};

} // namespace tasuki::remote
