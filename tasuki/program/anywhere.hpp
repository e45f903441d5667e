// Whether sweeps can read a field anywhere: all ranks need an address for its cells, and kernels of GPUs one that they reach.
//
//   if (const auto missing = trouble_anywhere(field)) throw Error("sweep .. reads .. anywhere, and " + missing->why, missing->mend);
#pragma once

#include <tasuki/field/field.hpp>

#include <optional>
#include <string>

namespace tasuki {

struct AnywhereTrouble {
  std::string why, mend;
};

// None where the memory that the field has now can be read so. The same on every rank.
std::optional<AnywhereTrouble> trouble_anywhere(const FieldCore& field);

} // namespace tasuki
