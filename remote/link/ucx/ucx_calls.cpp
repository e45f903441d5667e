#include <remote/link/ucx/ucx_calls.hpp>

#include <dlfcn.h>
#include <tasuki/base/error.hpp>

#include <cstdlib>
#include <string>

namespace tasuki::remote {

namespace {

// A setting that UCX reads when it is loaded, unless the user has given it another value.
class Meanwhile {
public:
  Meanwhile(const char* name, const char* value) : name_(name), mine_(!std::getenv(name)) {
    if (mine_) setenv(name, value, 1);
  }
  ~Meanwhile() {
    if (mine_) unsetenv(name_);
  }
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

private:
  const char* name_;
  bool mine_;
};

UcxCalls look_up() {
  // The process is a user's: its signals, its malloc and its standard output are its own.
  const Meanwhile signals("UCX_HANDLE_ERRORS", "none"), no_signals("UCX_ERROR_SIGNALS", ""),
      events("UCX_MEM_EVENTS", "no"), log("UCX_LOG_FILE", "stderr"), level("UCX_LOG_LEVEL", "error");
  void* library = dlopen("libucp.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) throw Error("there is no libucp.so.0 here", "install UCX, or leave it out");
  UcxCalls calls;
#define TASUKI_UCX_CALL(name)                                                 \
  calls.name = reinterpret_cast<decltype(calls.name)>(dlsym(library, #name)); \
  if (!calls.name) throw Error("the libucp.so.0 of this host has no " #name, "install UCX 1.13 or newer");
  TASUKI_UCX_CALLS(TASUKI_UCX_CALL)
#undef TASUKI_UCX_CALL
  return calls;
}

} // namespace

const UcxCalls& ucx() {
  static const UcxCalls calls = look_up();
  return calls;
}

} // namespace tasuki::remote
