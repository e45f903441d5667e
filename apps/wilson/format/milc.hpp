// MILC's format, version 5: a header of 96 bytes, then 32-bit links, in the byte order of the machine that
// wrote the file.
//
// int32 20103, four extents, 64 bytes of a date, int32 order of sites (0: the usual one), uint32 sum29,
// sum31.
#pragma once

#include <apps/wilson/format/info.hpp>

namespace tasuki::wilson {

bool is_milc(const std::string& head);
GaugeInfo inspect_milc(const std::string& path); // throws Error. Local.

} // namespace tasuki::wilson
