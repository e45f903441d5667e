// The functions of UCX that are used, looked up by name in libucp.so.0.
#pragma once

#include <ucp/api/ucp.h>

namespace tasuki::remote {

// clang-format off
#define TASUKI_UCX_CALLS(C) \
  C(ucp_config_read) \
  C(ucp_config_modify) \
  C(ucp_config_release) \
  C(ucp_init_version) \
  C(ucp_cleanup) \
  C(ucp_worker_create) \
  C(ucp_worker_destroy) \
  C(ucp_worker_get_address) \
  C(ucp_worker_release_address) \
  C(ucp_worker_get_efd) \
  C(ucp_worker_arm) \
  C(ucp_worker_progress) \
  C(ucp_ep_create) \
  C(ucp_ep_close_nbx) \
  C(ucp_stream_send_nbx) \
  C(ucp_stream_recv_data_nb) \
  C(ucp_stream_data_release) \
  C(ucp_request_check_status) \
  C(ucp_request_free)
// clang-format on

struct UcxCalls {
#define TASUKI_UCX_CALL(name) decltype(&::name) name = nullptr;
  TASUKI_UCX_CALLS(TASUKI_UCX_CALL)
#undef TASUKI_UCX_CALL
};

// Throws Error where the library is not there.
const UcxCalls& ucx();

} // namespace tasuki::remote
