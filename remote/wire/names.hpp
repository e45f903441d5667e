// Names of calls by their numbers, for who shows them and makes none.
#pragma once

#include <cstdint>

namespace tasuki::remote {

// "CopyOut"; null: there is no such call.
const char* name_of_call(std::uint64_t number);

} // namespace tasuki::remote
