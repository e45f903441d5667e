// The hash by which client and worker compare bytes without transferring them: XXH3 of 64 bits.
//
//   u64 value = digest_of({bytes.data(), bytes.size()});
#pragma once

#include <remote/wire/fields.hpp>

namespace tasuki::remote {

u64 digest_of(View bytes);

} // namespace tasuki::remote
