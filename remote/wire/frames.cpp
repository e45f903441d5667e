#include <remote/wire/frames.hpp>

namespace tasuki::remote {

const Row* row_of(std::uint16_t call) {
  static constexpr Row rows[] = {
#define TASUKI_CALL(name, answer, log, fields, tail) \
  {#name, call::name::answered, Logged::log, call::name::most + (call::name::has_tail ? tail_limit : 0)},
#include <remote/wire/calls.def>
#undef TASUKI_CALL
  };
  return call < static_cast<std::uint16_t>(Call::count) ? &rows[call] : nullptr;
}

} // namespace tasuki::remote
