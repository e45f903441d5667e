#include <tasuki/program/anywhere.hpp>

namespace tasuki {

std::optional<AnywhereTrouble> trouble_anywhere(const FieldCore& field) {
  const std::string& name = field.name();
  if (!field.common())
    return AnywhereTrouble{"ranks have no address for each other's cells of it",
                           "make it in a space: Field<..> " + name + "(grid, \"" + name + "\", space)"};
  // A GPU reaches memory of the host that its own rank has pinned, and no other.
  if (field.outside() && field.grid().device().cuda())
    return AnywhereTrouble{"it lies in memory of the host, as a GPU has no room for it",
                           "take a smaller grid, more ranks, or a grid on Device::host(world)"};
  return std::nullopt;
}

} // namespace tasuki
