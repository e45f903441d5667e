#include <tasuki/base/agree.hpp>
#include <tasuki/base/digest.hpp>
#include <tasuki/base/log.hpp>
#include <tasuki/field/exchange_cost.hpp>
#include <tasuki/field/grid.hpp>
#include <tasuki/field/mapping.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tasuki {
namespace {

// What with_best_halo() has chosen, or what --halo says.
int halo_of(const Settings& settings, const GridOptions& options) {
  return options.chosen ? options.chosen->depth : settings.halo;
}

DecompositionRequest request_of(World& world, int dims, const Index& extents, const GridOptions& options,
                                bool cuda) {
  const Settings& settings = world.settings();
  DecompositionRequest request;
  request.dims = dims;
  request.extents = extents;
  request.size = world.size();
  request.blocks = options.blocks;
  const std::size_t given = settings.ranks.size();
  const int halo = halo_of(settings, options);
  if (given != 0 && given != static_cast<std::size_t>(dims))
    throw Error("--ranks names " + std::to_string(given) + " axes, the grid has " + std::to_string(dims),
                "give one number an axis, as in --ranks 2x1x1");
  for (int a = 0; a < dims; ++a) {
    request.periodic[a] = options.periodic.values()[a];
    request.wraps[a] = options.wraps.values()[a] && (a > 0 || cuda) && settings.channel.empty();
    request.ranks[a] = given ? settings.ranks[a] : options.ranks.values()[a];
    const bool free = request.ranks[a] == 0 && (options.blocks.empty() || options.blocks[a].empty());
    if (halo == kDirectHalo && free && a < dims - 1) request.ranks[a] = 1;
    Width width = options.halo.values()[a];
    if (halo > 0 && width != Width(0)) width = Width(halo);
    request.halo[a] = width;
  }
  return request;
}

template <class List>
std::string joined(const List& list, int dims, const char* between) {
  std::string text;
  for (int a = 0; a < dims; ++a) text += (a ? between : "") + fmt::format("{}", list[a]);
  return text;
}

std::string text_of(const Widths& halo, int dims) {
  std::string text;
  for (int a = 0; a < dims; ++a) text += fmt::format("{}{}:{}", a ? "," : "", halo[a].lo, halo[a].hi);
  return text;
}

// expect_alike() compares the arguments on all ranks before any other collective call of a grid. Returns the world.
const char* name_of(const Device* device) {
  return !device || !device->beside() ? "" : "the host's beside its own";
}

World& expect_alike(World& world, int dims, const Index& extents, const GridOptions& o) {
  Digest blocks;
  for (const auto& axis : o.blocks) {
    blocks.add(axis.size());
    for (const long block : axis) blocks.add(static_cast<std::uint64_t>(block));
  }
  agree(world, "makes a grid",
        {{"extents", joined(extents, dims, "x")},
         {"halo", text_of(o.halo.values(), dims)},
         {"halo of --halo auto", o.chosen ? std::to_string(o.chosen->depth) : ""},
         {"periodic", joined(o.periodic.values(), dims, ",")},
         {"wraps", joined(o.wraps.values(), dims, ",")},
         {"ranks", joined(o.ranks.values(), dims, "x")},
         {"blocks", o.blocks.empty() ? "" : fmt::format("of its own ({:x})", blocks.value())},
         {"device", name_of(o.device)}});
  return world;
}

World& expect_alike(World& world, const Decomposition& cut, const Widths& halo, const Device* device) {
  Digest blocks;
  for (int a = 0; a < cut.dims; ++a)
    for (const long at : cut.offsets[a]) blocks.add(static_cast<std::uint64_t>(at));
  for (const int rank : cut.rank_of_block) blocks.add(static_cast<std::uint64_t>(rank));
  agree(world, "makes a grid that is cut already",
        {{"extents", joined(cut.extents, cut.dims, "x")},
         {"halo", text_of(halo, cut.dims)},
         {"periodic", joined(cut.periodic, cut.dims, ",")},
         {"ranks", joined(cut.ranks, cut.dims, "x")},
         {"blocks", fmt::format("{:x}", blocks.value())},
         {"device", name_of(device)}});
  return world;
}

Device& device_for(World& world, Device* device) {
  if (!device) return world.part<Device>();
  if (&device->world() != &world)
    throw Error("a grid was given a device of another world", "give one of its own, as Device::host(world)");
  return *device;
}

// For --log: the cut and the halo of a grid, and which setting or option chose them.
std::string text_of(const GridCore& grid, bool cut_given, bool halo_given) {
  const Decomposition& cut = grid.cut();
  const Box block = cut.block(grid.world().rank());
  std::vector<long> cells;
  for (int a = 0; a < cut.dims; ++a) cells.push_back(block.extent(a));
  std::string text = fmt::format(
      "grid {}: cut {} {}, {} cells on rank 0, halo {}{}", joined(cut.extents, cut.dims, "x"),
      joined(cut.ranks, cut.dims, "x"), cut_given ? "as it was given" : "for the least predicted exchange",
      joined(cells, cut.dims, "x"), text_of(grid.halo(), cut.dims), halo_given ? " by --halo" : "");
  if (grid.bands().any()) text += "; halos of ranks of a node lie where their cells are";
  if (!std::is_sorted(cut.rank_of_block.begin(), cut.rank_of_block.end()))
    text += fmt::format("; blocks are on ranks {}", fmt::join(cut.rank_of_block, ","));
  return text;
}

Index extents_of(const Box& box) {
  Index n{};
  for (int a = 0; a < box.dims; ++a) n[a] = box.extent(a);
  return n;
}

} // namespace

GridCore::GridCore(World& world, int dims, const Index& extents, const GridOptions& options)
    : world_(expect_alike(world, dims, extents, options)),
      device_(device_for(world, options.device)),
      chosen_(options.chosen) {
  const Doing now(world, "the making of a grid");
  const DecompositionRequest request = request_of(world, dims, extents, options, device_.cuda());
  cut_ = decompose(request, exchange_cost(device_));
  asked_halo_ = request.halo;
  halo_ = halo_of(cut_, asked_halo_);
  cut_.map(mapping_for(device_, cut_, halo_, world.settings().mapping).rank_of_block);
  // A choice gives way to a cut that the program has given; a wish is refused.
  const bool fits = dims > 1 && cut_.ranks[static_cast<std::size_t>(dims - 1)] == cut_.size();
  if (halo_of(world.settings(), options) == kDirectHalo && (fits || !options.chosen))
    bands_ = Bands(cut_, device_.part<Links>());
  layout_ = layout_of(world.rank());
  log_info(world, [&] {
    const auto asked = request.ranks.begin();
    const bool given = std::all_of(asked, asked + dims, [](int ranks) { return ranks > 0; });
    return text_of(*this, given || !options.blocks.empty(),
                   chosen_ ? chosen_->depth > 0 : world.settings().halo > 0);
  });
}

GridCore::GridCore(World& world, const Decomposition& cut, const Widths& halo, Device* device)
    : world_(expect_alike(world, cut, halo, device)),
      device_(device_for(world, device)),
      cut_(cut),
      asked_halo_(halo) {
  if (cut_.size() != world.size())
    throw Error("a cut for " + std::to_string(cut_.size()) + " ranks was given to a grid of " +
                    std::to_string(world.size()),
                "cut it for the ranks of its world");
  halo_ = halo_of(cut_, asked_halo_);
  layout_ = layout_of(world.rank());
  log_info(world, [&] { return text_of(*this, true, false); });
}

Layout GridCore::layout_of(int rank) const {
  return tasuki::layout_of(cut_.dims, extents_of(cut_.block(rank)), halo_,
                           device_.cuda() ? Padding::gpu : Padding::cpu,
                           bands_.any() ? bands_.beside(rank) : Beside{});
}

std::vector<Box> GridCore::local_parts(const Box& region, const Widths& by) const {
  return tasuki::local_parts(cut_, world_.rank(), region, by);
}

} // namespace tasuki
