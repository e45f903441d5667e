#include <remote/wire/frames.hpp>
#include <remote/wire/names.hpp>

namespace tasuki::remote {

const char* name_of_call(std::uint64_t number) {
  const Row* row =
      number < static_cast<std::uint64_t>(Call::count) ? row_of(static_cast<std::uint16_t>(number)) : nullptr;
  return row ? row->name : nullptr;
}

} // namespace tasuki::remote
