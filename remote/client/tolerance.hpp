// How far numbers of replicas may lie apart, where their kernels do not come to the same bits twice.
//
//   const Tolerance tolerance = parse_tolerance("f32:1e-5");
//   if (tolerance.beyond(one, other) == 0) ..they agree..
//
// All that is compared counts as numbers of that type from its beginning; bytes behind the last whole one have to be the same.
// Two numbers agree where |a - b| <= relative * max(|a|, |b|) + absolute, or both are no numbers, or the same infinity.
#pragma once

#include <remote/wire/fields.hpp>

#include <string>
#include <vector>

namespace tasuki::remote {

struct Tolerance {
  enum class Type { f32, f64 };
  Type type = Type::f32;
  double relative = 0, absolute = 0;

  // How many numbers do not agree. Of other sizes none does.
  std::size_t beyond(const std::vector<unsigned char>& one, const std::vector<unsigned char>& other) const;
};

// "f32:1e-5", "f64:1e-12:1e-9" (relative, absolute). Throws Error.
Tolerance parse_tolerance(const std::string& text);

} // namespace tasuki::remote
