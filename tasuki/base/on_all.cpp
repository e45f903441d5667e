#include <tasuki/base/on_all.hpp>
#include <tasuki/base/reduce.hpp>

namespace tasuki {
void agree(World& world, const std::string& fault) {
  const int first = reduce_min(world, fault.empty() ? world.size() : world.rank());
  if (first == world.size()) return;
  std::string text = fault;
  share(world, text, first);
  const std::size_t cut = text.rfind("; ");
  if (cut == std::string::npos) throw Agreed(text, "look at the machine's log, or try another place");
  throw Agreed(text.substr(0, cut), text.substr(cut + 2));
}

} // namespace tasuki
