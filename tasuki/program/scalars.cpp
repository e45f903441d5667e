#include <tasuki/program/scalars.hpp>

namespace tasuki::detail {

ScalarsCore::ScalarsCore(World& world, std::string name, int count)
    : world_(world),
      device_(world.part<Device>()),
      name_(std::move(name)),
      count_(count),
      memory_(device_, static_cast<std::size_t>(count) * sizeof(double)) {}

void ScalarsCore::read(double* to) const {
  device_.stream().synchronize();
  copy_to_host(device_, to, memory_.data(), static_cast<std::size_t>(count_) * sizeof(double));
}

void ScalarsCore::write(const double* from) {
  copy_to_device(device_, memory_.data(), from, static_cast<std::size_t>(count_) * sizeof(double));
}

std::vector<std::vector<char>> gather_parts(World& world, const std::vector<ReductionCore*>& reductions) {
  std::vector<char> mine;
  for (ReductionCore* reduction : reductions) {
    reduction->need_ready();
    const std::size_t at = mine.size();
    mine.resize(at + static_cast<std::size_t>(reduction->part_bytes()));
    reduction->write_part(&mine[at]);
  }
  const std::size_t ranks = static_cast<std::size_t>(world.size());
  std::vector<char> all(mine.size() * ranks);
  const int bytes = static_cast<int>(mine.size());
  MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, world.comm());
  std::vector<std::vector<char>> parts;
  std::size_t at = 0;
  for (const ReductionCore* reduction : reductions) {
    const auto part = static_cast<std::size_t>(reduction->part_bytes());
    std::vector<char>& own = parts.emplace_back();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const char* const from = &all[rank * mine.size() + at];
      own.insert(own.end(), from, from + part);
    }
    at += part;
  }
  return parts;
}

} // namespace tasuki::detail
