// Checked builds (TASUKI_CHECKED): the error message for an undeclared access.
#pragma once

#if defined(TASUKI_CHECKED)

#include <tasuki/program/access.hpp>

#include <string>
#include <vector>

namespace tasuki::detail {

inline Declared declared_of(Violation* watch, int field, const Shape& shape) {
  Declared d{};
  d.watch = watch;
  d.field = field;
  d.order = shape.order;
  for (int a = 0; a < kMaxDims; ++a) {
    d.lo[a] = shape.width[a].lo;
    d.hi[a] = shape.width[a].hi;
  }
  return d;
}

[[noreturn]] inline void report_violation(const std::string& sweep, const std::vector<Access>& accesses,
                                          const Violation& seen) {
  const auto list = [&](const auto* values) {
    std::string s = "(";
    for (int a = 0; a < seen.dims; ++a) s += (a ? ", " : "") + std::to_string(values[a]);
    return s + ")";
  };
  const std::string field = "field '" + accesses[seen.field].name + "'";
  if (seen.wrote)
    throw Error(
        "sweep '" + sweep + "' reads " + field + " in cell " + list(seen.cell) + " but declares only writes",
        "declare updates(" + accesses[seen.field].name + ")");
  throw Error("sweep '" + sweep + "' reads " + field + " at offset " + list(seen.offset) + " from cell " +
                  list(seen.cell) + ", further than it declares",
              "widen its reads(" + accesses[seen.field].name + ", ..)");
}

} // namespace tasuki::detail

#endif
