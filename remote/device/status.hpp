// The result of a call on a device: the public numbers of CUDA's errors.
#pragma once

#include <tasuki/base/error.hpp>

#include <string>

namespace tasuki::remote {

// Values of cudaError; errors that are not named here keep their number.
enum class Status : int {
  success = 0,
  invalid_value = 1,
  memory_allocation = 2,
  initialization_error = 3,
  invalid_configuration = 9,
  invalid_symbol = 13,
  devices_unavailable = 46,
  invalid_device_function = 98,
  no_device = 100,
  invalid_device = 101,
  invalid_kernel_image = 200,
  no_kernel_image = 209,
  ecc_uncorrectable = 214,
  peer_access_unsupported = 217,
  unsupported_ptx = 222,
  invalid_resource_handle = 400,
  illegal_state = 401,
  symbol_not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  assert_failed = 710,
  illegal_instruction = 715,
  misaligned_address = 716,
  launch_failure = 719,
  cooperative_launch_too_large = 720,
  not_permitted = 800,
  not_supported = 801,
  capture_unsupported = 900,
  capture_invalidated = 901,
  capture_merge = 902,
  capture_unmatched = 903,
  capture_unjoined = 904,
  capture_isolation = 905,
  capture_implicit = 906,
  captured_event = 907,
  unknown = 999,
};

// A device that is lost, for which no other came in: cudaErrorDevicesUnavailable.
constexpr Status devices_unavailable = Status::devices_unavailable;

// Faults of a kernel are permanent: every later call on the device returns the same error.
inline bool sticky(Status status) {
  const int n = static_cast<int>(status);
  return status == Status::ecc_uncorrectable ||
         (n >= 700 && n <= 719 && n != 701 && n != 704 && n != 705 && n != 708);
}

// A failed call: its error number, and one line of text for the user of the program.
class DeviceError : public Error {
public:
  DeviceError(Status status, const std::string& what, const std::string& mend)
      : Error(what, mend), status_(status) {}
  Status status() const { return status_; }

private:
  Status status_;
};

} // namespace tasuki::remote
