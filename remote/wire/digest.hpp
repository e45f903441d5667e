// What bytes are compared by where only one copy of them travels: XXH3 of 64 bits, at client and worker alike.
//
//   u64 value = digest_of({bytes.data(), bytes.size()});
#pragma once

#include <remote/wire/fields.hpp>

namespace tasuki::remote {

u64 digest_of(View bytes);

} // namespace tasuki::remote
