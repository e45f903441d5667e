// The small XML file that lets ParaView open a snapshot.
#pragma once

#include <tasuki/file/manifest.hpp>

#include <string>

namespace tasuki {

// The snapshot's path without ".h5", with ".xmf".
std::string xdmf_path(const std::string& snapshot);

// The text that describes the snapshot: one value a cell, cell i around coordinate i. Fields of several numbers are
// shown as one each (a_0, a_1), complex ones and structs are left out: XDMF has no such numbers. Empty where the
// grid is not 2-D or 3-D, or no field can be shown.
std::string xdmf_text(const std::string& snapshot, const Manifest& manifest);

} // namespace tasuki
