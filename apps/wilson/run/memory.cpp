#include <apps/wilson/run/memory.hpp>

#include <apps/wilson/run/simulation.hpp>
#include <apps/wilson/solver/cost.hpp>
#include <tasuki/base/gather.hpp>
#include <tasuki/device/memory.hpp>

#include <fmt/format.h>

#include <vector>

namespace tasuki::wilson {
namespace {

constexpr double kSpinor = kSpinorReals * 8;        // bytes per site, in double precision
constexpr double kLinks = kAxes * kMatrixReals * 8; // bytes per site, in double precision

const std::vector<long> kWidths = {12, 6, 4, 3, 2, 1}; // possible group sizes for twelve columns

} // namespace

Memory expect_memory(const Lattice& lattice, const Options& o) {
  World& world = lattice.world();
  const Box sites = lattice.owned();
  std::array<long, kAxes> block{};
  double owned = 1, halo = 1; // sites; the factor for sites with their halo
  for (int a = 0; a < kAxes; ++a) {
    block[static_cast<std::size_t>(a)] = sites.extent(a);
    const double cells = static_cast<double>(sites.extent(a)) / (a == 0 ? 2 : 1);
    owned *= static_cast<double>(sites.extent(a));
    halo *= (cells + 2) / cells;
  }
  // Links; source, smeared source, b and x; the fields of the heat bath.
  const double fields = kLinks + 4 * kSpinor + (o.generates() ? kLinks / 8 : 0);
  // The propagator, and a field during its transfer to or from the device or a file.
  const int files = !o.source_file.empty() + !o.propagator_file.empty();
  const double beside = 12 * (1 + files) * kSpinor + 2 * kLinks;
  const Device& device = world.part<Device>();
  const std::size_t host = memory_on_host(world);
  Memory memory;
  memory.device_has = memory_for_fields(world);
  if (device.cuda()) {
    memory.host = static_cast<std::size_t>(owned * beside);
    memory.host_has = host;
  }
  SolveOptions solve = solve_options_of(o);
  for (const long columns : o.columns > 0 ? std::vector<long>{o.columns} : kWidths) {
    solve.columns = static_cast<int>(columns);
    memory.columns = columns;
    memory.device = static_cast<std::size_t>(owned * halo * fields + memory_of_solver(block, solve) +
                                             (device.cuda() ? 0 : owned * beside));
    if (!any_rank(world, memory.device > memory.device_has)) break;
  }
  const bool short_of_device = memory.device > memory.device_has;
  if (short_of_device || memory.host > memory.host_has)
    throw Error(fmt::format("a lattice of {} needs {} of {} on each of {} rank{}, which has {}", o.lattice,
                            bytes_text(short_of_device ? memory.device : memory.host),
                            short_of_device && device.cuda() ? "device memory" : "memory", world.size(),
                            world.size() == 1 ? "" : "s",
                            bytes_text(short_of_device ? memory.device_has : memory.host_has)),
                o.columns > 1 ? "use fewer --columns, more ranks, or a smaller lattice"
                              : "use more ranks, or a smaller lattice");
  return memory;
}

} // namespace tasuki::wilson
