#include <tasuki/run/tile_mail.hpp>

#include <tasuki/device/list.hpp>

#include <algorithm>

namespace tasuki {
namespace {

Box tile_box(int dims, const Index& extents, const int (&tiles)[kTiledDims], int number) {
  Box box{.dims = dims};
  for (int a = 0; a < dims; ++a) {
    const int t = number % tiles[a];
    number /= tiles[a];
    box.lo[a] = extents[a] * t / tiles[a];
    box.hi[a] = extents[a] * (t + 1) / tiles[a];
  }
  return box;
}

template <class Visit>
void each_cell(const Box& box, const Visit& visit) {
  if (box.empty()) return;
  for (Index x = box.lo;;) {
    visit(x);
    int a = 0;
    while (a < box.dims && ++x[a] == box.hi[a]) {
      x[a] = box.lo[a];
      ++a;
    }
    if (a == box.dims) return;
  }
}

int widest(const Roles& roles) {
  int most = 4;
  for (const FieldCore* memory : roles.slots)
    most = std::max(most, 2 * static_cast<int>(memory->element_bytes()) * memory->components());
  return most;
}

} // namespace

TileMail::TileMail(const March& march, const Roles& roles, const TiledLaunch& tiles)
    : grid_(march.sweep->grid()),
      device_(grid_.device()),
      roles_(roles),
      tiles_(tiles),
      mails_(std::max<std::size_t>(1, roles.mailed.size())),
      layout_(layout_of(grid_.dims(), grid_.layout().extents, halo(), Padding::gpu)),
      cell_bytes_(widest(roles)),
      mail_(device_, 2 * mails_ * room(layout_)) {
  list_boxes(march);
  list_cells();
}

void TileMail::tell(TiledLaunch& l) const {
  l.mails = static_cast<int>(roles_.mailed.size());
  for (int m = 0; m < l.mails; ++m) l.mailed[m] = static_cast<int>(roles_.mailed[m]);
  l.boxes = reinterpret_cast<const TiledMailbox*>(boxes_.data());
  l.box_count = box_count_;
  l.puts = reinterpret_cast<const TiledPut*>(puts_.data());
  l.put_from = reinterpret_cast<const int*>(put_from_.data());
  l.takes = reinterpret_cast<const TiledTake*>(takes_.data());
  l.take_from = reinterpret_cast<const int*>(take_from_.data());
  l.take_rank = reinterpret_cast<const short*>(take_ranks_.data());
}

Widths TileMail::halo() const {
  Widths halo{};
  for (int a = 0; a < grid_.dims(); ++a) halo[a] = Width(tiles_.halo[a]);
  return halo;
}

std::size_t TileMail::room(const Layout& layout) const {
  return (static_cast<std::size_t>(layout.plane) * static_cast<std::size_t>(cell_bytes_) + 255) / 256 * 256;
}

TiledMailbox TileMail::box_of(int rank, const Layout& layout) {
  const World& world = grid_.world();
  const long number = 2 * static_cast<long>(roles_.slots.front()->element_bytes()); // of a number in the mail
  char* const memory = rank == world.rank() ? mail_.data() : mail_.peer(world.node_rank_of(rank));
  TiledMailbox box{};
  for (std::size_t parity = 0; parity < 2; ++parity)
    for (std::size_t m = 0; m < mails_; ++m)
      box.mail[parity][m] = memory + (parity * mails_ + m) * room(layout) + layout.lead * number;
  box.plane = layout.plane;
  return box;
}

void TileMail::list_boxes(const March& march) {
  const int dims = grid_.dims(), me = grid_.world().rank();
  const Decomposition& cut = grid_.cut();
  std::vector<TiledMailbox> boxes{box_of(me, layout_)};
  int directions = 1;
  for (int a = 0; a < dims; ++a) directions *= 3;
  for (int d = 0; d < directions; ++d) {
    Neighbour n{};
    bool away = false, possible = true; // only along cut axes: along the others a block is its own neighbour
    for (int a = 0, rest = d; a < dims; ++a, rest /= 3) {
      n.direction[a] = rest % 3 - 1;
      away = away || n.direction[a] != 0;
      possible = possible && (n.direction[a] == 0 || cut.ranks[a] > 1);
    }
    const int rank = away && possible ? cut.neighbour(me, n.direction) : -1;
    if (rank < 0) continue;
    n.layout = layout_of(dims, grid_.layout_of(rank).extents, halo(), Padding::gpu);
    long cells = 1;
    for (int a = 0; a < dims; ++a) {
      n.shift[a] = n.direction[a] > 0 ? tiles_.owned[a] : n.direction[a] < 0 ? -n.layout.extents[a] : 0;
      cells *= n.direction[a] ? tiles_.halo[a] : tiles_.owned[a];
    }
    for (const std::size_t k : roles_.mailed)
      put_bytes_ += cells * 2 * static_cast<long>(march.sweep->accesses()[k].field->element_bytes()) *
                    march.sweep->accesses()[k].field->components();
    neighbours_.push_back(n);
    boxes.push_back(box_of(rank, n.layout));
  }
  boxes_ = on_device(device_, boxes);
  box_count_ = static_cast<int>(boxes.size());
}

void TileMail::list_cells() {
  const int dims = grid_.dims(), me = grid_.world().rank();
  const TiledLaunch& l = tiles_;
  const Decomposition& cut = grid_.cut();
  std::vector<TiledPut> puts;
  std::vector<TiledTake> takes;
  std::vector<short> ranks;
  std::vector<int> put_from{0}, take_from{0};
  for (int t = 0; t < l.blocks; ++t) {
    const Box tile = tile_box(dims, grid_.layout().extents, l.tiles, t);
    const auto near = [&](const Index& x) {
      int i = 0;
      for (int a = 0; a < dims; ++a) i += static_cast<int>(x[a] - tile.lo[a] + l.halo[a]) * l.near_stride[a];
      return i;
    };
    if (!tile.empty()) {
      for (std::size_t n = 0; n < neighbours_.size(); ++n) { // farthest neighbours first
        Box sent = tile;
        for (int a = 0; a < dims; ++a) {
          if (neighbours_[n].direction[a] > 0)
            sent.lo[a] = std::max(tile.lo[a], static_cast<long>(l.owned[a] - l.halo[a]));
          if (neighbours_[n].direction[a] < 0)
            sent.hi[a] = std::min(tile.hi[a], static_cast<long>(l.halo[a]));
        }
        each_cell(sent, [&](const Index& x) {
          Index there = x;
          for (int a = 0; a < dims; ++a) there[a] -= neighbours_[n].shift[a];
          puts.push_back(
              {near(x), static_cast<int>(neighbours_[n].layout.index(there)), static_cast<int>(n) + 1, 0});
        });
      }
      Widths inwards = halo();
      for (int a = 0; a < dims; ++a) inwards[a] = Width(-l.halo[a]);
      const Box inside = grow(tile, inwards);
      for (const Box& rim : inside.empty() ? std::vector<Box>{tile} : subtract(tile, inside))
        each_cell(rim, [&](const Index& x) {
          puts.push_back({near(x), static_cast<int>(layout_.index(x)), 0, 0});
        });

      // The halo, limited to the grid.
      Box grown = grow(tile, halo());
      for (int a = 0; a < dims; ++a) {
        if (grid_.periodic(a)) continue;
        grown.lo[a] = std::max(grown.lo[a], -l.origin[a]);
        grown.hi[a] = std::min(grown.hi[a], l.extent[a] - l.origin[a]);
      }
      for (const Box& around : subtract(grown, tile))
        each_cell(around, [&](const Index& x) {
          Index at = x;
          std::array<int, kMaxDims> direction{};
          for (int a = 0; a < dims; ++a) {
            const int side = x[a] < 0 ? -1 : x[a] >= l.owned[a] ? 1 : 0;
            if (cut.ranks[a] > 1)
              direction[a] = side;
            else
              at[a] -= side * l.owned[a]; // a periodic axis that is not cut
          }
          takes.push_back({near(x), static_cast<int>(layout_.index(at))});
          ranks.push_back(static_cast<short>(cut.neighbour(me, direction)));
        });
    }
    put_from.push_back(static_cast<int>(puts.size()));
    take_from.push_back(static_cast<int>(takes.size()));
  }
  puts_ = on_device(device_, puts);
  put_from_ = on_device(device_, put_from);
  takes_ = on_device(device_, takes);
  take_from_ = on_device(device_, take_from);
  take_ranks_ = on_device(device_, ranks);
}

} // namespace tasuki
