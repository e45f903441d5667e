#include <remote/wire/digest.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tasuki::remote {

u64 digest_of(View bytes) { return XXH3_64bits(bytes.data, bytes.size); }

} // namespace tasuki::remote
