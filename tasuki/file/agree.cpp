#include <tasuki/file/agree.hpp>

namespace tasuki {
namespace {

void broadcast(World& world, std::string& text, int root) {
  long size = static_cast<long>(text.size());
  MPI_Bcast(&size, 1, MPI_LONG, root, world.comm());
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, root, world.comm());
}

} // namespace

void agree(World& world, const std::string& fault) {
  const int mine = fault.empty() ? world.size() : world.rank();
  int first = mine;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, world.comm());
  if (first == world.size()) return;
  std::string text = fault;
  broadcast(world, text, first);
  const std::size_t cut = text.rfind("; ");
  if (cut == std::string::npos) throw Agreed(text, "look at the machine's log, or try another place");
  throw Agreed(text.substr(0, cut), text.substr(cut + 2));
}

void share(World& world, std::string& text) { broadcast(world, text, 0); }

} // namespace tasuki
