// NERSC's format: lines of text, BEGIN_HEADER to END_HEADER, then the links.
#pragma once

#include <apps/wilson/format/info.hpp>

namespace tasuki::wilson {

bool is_nersc(const std::string& head);
GaugeInfo inspect_nersc(const std::string& path); // throws Error. Local.

} // namespace tasuki::wilson
