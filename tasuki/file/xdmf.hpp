// The small XML file that lets ParaView open a snapshot.
#pragma once

#include <tasuki/file/manifest.hpp>

#include <string>

namespace tasuki {

// The snapshot's path with ".xmf" instead of ".h5".
std::string xdmf_path(const std::string& snapshot);

// The text that describes the snapshot: one value per cell, cell i around coordinate i. Each component of a field is
// shown separately (a_0, a_1). Complex numbers and structs are left out, since XDMF has no such types. Empty if the
// grid is not 2-D or 3-D, or if no field can be shown.
std::string xdmf_text(const std::string& snapshot, const Manifest& manifest);

} // namespace tasuki
