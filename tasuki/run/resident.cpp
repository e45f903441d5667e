// One kernel a GPU that does many steps (device/tiled.hpp): the host only starts it.
#include <tasuki/base/settings.hpp>
#include <tasuki/device/watch.hpp>
#include <tasuki/run/ahead.hpp>
#include <tasuki/run/executor.hpp>
#include <tasuki/run/march.hpp>
#include <tasuki/run/run.hpp>
#include <tasuki/run/tiling.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

namespace tasuki {
namespace {

constexpr double kLaunch = 10e-3;    // seconds of steps in a launch, about
constexpr int kUnbounded = 1 << 28;  // cells
constexpr long kWorthSplitting = 16; // cells of a thread
constexpr int kResults = 4;          // words that the kernel leaves for the host

// The sweep's accesses as tiles take them.
struct Roles {
  std::vector<FieldCore*> slots;   // memories that lie in shared memory
  std::vector<std::size_t> mailed; // accesses whose halo the steps make stale
  std::vector<std::size_t> fixed;  // accesses of memories that never change, read in the cell itself
  std::array<int, kMaxDims> reach{};
  std::string trouble; // why tiles cannot take them
};

Roles roles_of(const March& march) {
  Roles roles;
  const auto& accesses = march.sweep->accesses();
  const GridCore& grid = march.sweep->grid();
  const auto add = [&](FieldCore* memory) {
    if (std::find(roles.slots.begin(), roles.slots.end(), memory) == roles.slots.end())
      roles.slots.push_back(memory);
  };
  int reductions = 0;
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    const Access& access = accesses[k];
    if (access.kind == Access::Kind::reduce) {
      ++reductions;
      continue;
    }
    for (int a = 0; a < grid.dims(); ++a) {
      const int by = std::max(access.shape.width[a].lo, access.shape.width[a].hi);
      roles.reach[a] = std::max(roles.reach[a], by);
    }
    const bool changes = march.changes(march.memory[0][k]);
    if (access.field->element_bytes() % 4 != 0)
      roles.trouble = "field '" + access.name + "' has cells of odd bytes";
    if (access.here && changes)
      roles.trouble = "field '" + access.name + "' is read in the cell itself and passed on by a swap";
    if (access.here)
      roles.fixed.push_back(k);
    else
      for (const auto& now : march.memory) add(now[k]);
    if (changes && access.kind == Access::Kind::read) roles.mailed.push_back(k);
  }
  for (const FieldCore* memory : roles.slots)
    if (memory->element_bytes() != roles.slots.front()->element_bytes())
      roles.trouble = "fields that change, or are read beyond the cell, differ in the bytes of a number";
  if (roles.slots.size() > kTiledSlots || roles.mailed.size() > kTiledMails ||
      accesses.size() > kTiledAccesses || reductions > kTiledReduces)
    roles.trouble = "it touches too many fields at once";
  return roles;
}

// Where the halos of a rank's tiles come from: ranks of its node that can store into its memory, or itself.
std::string trouble_with_neighbours(const GridCore& grid) {
  World& world = grid.world();
  const std::string& forced = world.settings().channel;
  if (!forced.empty() && forced != "peer" && forced != "self")
    return "--channel " + forced + " wants other ways for halos than stores into the neighbour's memory";
  for (int rank = 0; rank < world.size(); ++rank)
    if (!world.same_node(world.rank(), rank)) return "ranks are on several nodes";
  for (int r = 0; r < world.node_size(); ++r)
    if (!grid.device().reaches(r)) return "the GPUs of this node cannot store into each other's memory";
  int cut_axes = 0;
  for (int a = 0; a < grid.dims(); ++a) cut_axes += grid.cut().ranks[a] > 1;
  if (cut_axes > 3) return "the grid is cut along more than three axes";
  return "";
}

// The region of a sweep in local cells; false where it is a part of a periodic axis, which has images.
bool local_region(const SweepCore& sweep, TiledLaunch& launch) {
  const GridCore& grid = sweep.grid();
  const Box owned = grid.owned();
  for (int a = 0; a < grid.dims(); ++a) {
    const long lo = sweep.region().lo[a], hi = sweep.region().hi[a], n = grid.extents()[a];
    if (grid.periodic(a) && (lo != 0 || hi != n)) return false;
    launch.region_lo[a] = grid.periodic(a) ? -kUnbounded : static_cast<int>(lo - owned.lo[a]);
    launch.region_hi[a] = grid.periodic(a) ? kUnbounded : static_cast<int>(hi - owned.lo[a]);
  }
  return true;
}

TilingRequest request_for(const March& march, const Roles& roles, bool cut_at_looks) {
  const GridCore& grid = march.sweep->grid();
  TilingRequest request{.dims = grid.dims(), .reach = roles.reach, .limits = march.sweep->tiled_limits()};
  for (int a = 0; a < request.dims; ++a) {
    const auto& at = grid.cut().offsets[a];
    for (std::size_t c = 0; c + 1 < at.size(); ++c)
      request.extents[a] = std::max(request.extents[a], at[c + 1] - at[c]);
    // A halo may not reach past the next block.
    request.most_halo[a] =
        grid.cut().exchanges(a) ? static_cast<int>(grid.cut().smallest_block(a)) : kUnbounded / 4;
    request.remote = request.remote || grid.cut().ranks[a] > 1;
  }
  for (const FieldCore* memory : roles.slots)
    request.slot_bytes += static_cast<int>(memory->element_bytes()) * memory->components();
  for (const std::size_t k : roles.fixed) {
    const FieldCore& field = *march.sweep->accesses()[k].field;
    const int bytes = static_cast<int>(field.element_bytes()) * field.components();
    request.fixed_bytes[kAllPinned] += bytes;
    if (field.components() > 1) request.fixed_bytes[kSomePinned] += bytes;
    // Where it is computed again beside its owner, what never changes is read from the block's own halo.
    for (int a = 0; a < request.dims; ++a)
      if (grid.cut().exchanges(a) && roles.reach[a] > 0)
        request.most_depth =
            std::min(request.most_depth, 1 + std::min(grid.halo()[a].lo, grid.halo()[a].hi) / roles.reach[a]);
  }
  if (cut_at_looks) request.most_depth = 1;
  if (const int halo = grid.world().settings().halo; halo > 0) {
    const int reach = *std::max_element(roles.reach.begin(), roles.reach.end());
    request.depth = std::clamp(reach > 0 ? halo / reach : 1, 1, request.most_depth);
  }
  return request;
}

template <class T>
Buffer on_device(Device& device, const std::vector<T>& list) {
  Buffer buffer(device, std::max<std::size_t>(1, list.size()) * sizeof(T));
  if (!list.empty()) copy_to_device(device, buffer.data(), list.data(), list.size() * sizeof(T));
  return buffer;
}

Box tile_box(int dims, const Index& extents, const std::array<int, kMaxDims>& tiles, int number) {
  Box box{.dims = dims};
  for (int a = 0; a < dims; ++a) {
    const int t = number % tiles[a];
    number /= tiles[a];
    box.lo[a] = extents[a] * t / tiles[a];
    box.hi[a] = extents[a] * (t + 1) / tiles[a];
  }
  return box;
}

// What a stretch of one sweep needs, made once: mail, and which cells of which tiles travel by it.
class Resident {
public:
  // Collective.
  Resident(const March& march, const Roles& roles, const TilingChoice& choice)
      : grid_(march.sweep->grid()),
        device_(grid_.device()),
        roles_(roles),
        choice_(choice),
        blocks_(std::accumulate(choice.tiles.begin(), choice.tiles.begin() + grid_.dims(), 1,
                                std::multiplies<>())),
        mail_layout_(layout_of(grid_.dims(), grid_.layout().extents, halo(), Padding::gpu)),
        mail_cell_(widest()),
        mail_(device_, mail_bytes(mail_layout_)),
        boards_(device_, 16ul * 2 * ranks() * blocks_),
        partials_(device_, 16ul * kTiledReduces * blocks_),
        words_(device_, 2 * sizeof(unsigned)),
        results_(device_, 2 * kResults * sizeof(int), Memory::pinned) {
    settle(march);
  }

  const TilingChoice& choice() const { return choice_; }
  long mail_bytes_a_step() const { return put_bytes_ / choice_.depth; } // to other ranks

  // Enqueues some steps. What they leave for the host is there when the stream has come past; returns where. A verdict
  // comes `late` steps after its look.
  const int* launch(const March& march, int steps, const Until* until, long late, long done) {
    TiledLaunch l = base_;
    const auto& accesses = march.sweep->accesses();
    std::map<const FieldCore*, int> slot_of;
    for (std::size_t s = 0; s < roles_.slots.size(); ++s) {
      l.slot[s].origin = roles_.slots[s]->origin();
      slot_of[roles_.slots[s]] = static_cast<int>(s);
    }
    l.phases = march.phases;
    for (std::size_t k = 0; k < accesses.size(); ++k) {
      const Access& access = accesses[k];
      for (int p = 0; p < march.phases; ++p) {
        const auto found = slot_of.find(march.memory[p][k]);
        l.access[k].slot[p] = access.field && found != slot_of.end() ? found->second : -1;
      }
      l.access[k].origin = access.field && l.access[k].slot[0] < 0 ? access.field->origin() : nullptr;
    }
    l.steps = steps;
    if (until) {
      l.until.every = static_cast<int>(until->every);
      l.until.late = static_cast<int>(late);
      l.until.below = until->below;
      l.until.threshold = until->threshold;
      l.until.reduce = 0;
      for (const Access& access : accesses) {
        if (access.kind != Access::Kind::reduce) continue;
        if (access.reduction == until->reduction.get()) break;
        ++l.until.reduce;
      }
      l.first_look = static_cast<int>(until->every - done % until->every);
      l.looks = looks_;
      l.verdict_in = verdict_in_;
    }
    l.result = reinterpret_cast<int*>(results_.data()) + kResults * (turn_++ % 2);
    march.sweep->launch_tiled(device_.stream(), l, choice_.shared_bytes);
    return l.result;
  }
  // What the looks of the last launch left to the next.
  void looked(const int* results) {
    verdict_in_ = results[2];
    looks_ = static_cast<unsigned>(results[3]);
  }

private:
  std::size_t ranks() const { return static_cast<std::size_t>(grid_.world().node_size()); }
  Widths halo() const {
    Widths halo{};
    for (int a = 0; a < grid_.dims(); ++a) halo[a] = Width(choice_.depth * roles_.reach[a]);
    return halo;
  }
  int widest() const { // bytes of a cell of the slot that has most, in the mail
    int most = 4;
    for (const FieldCore* memory : roles_.slots)
      most = std::max(most, 2 * static_cast<int>(memory->element_bytes()) * memory->components());
    return most;
  }
  std::size_t mails() const { return std::max<std::size_t>(1, roles_.mailed.size()); }
  std::size_t mail_room(const Layout& layout) const { // bytes of one mail
    return (static_cast<std::size_t>(layout.plane) * static_cast<std::size_t>(mail_cell_) + 255) / 256 * 256;
  }
  std::size_t mail_bytes(const Layout& layout) const { return 2 * mails() * mail_room(layout); }

  void settle(const March& march);
  bool worth_splitting(const TiledLimits& limits) const;
  void list_mail(const March& march);

  GridCore& grid_;
  Device& device_;
  Roles roles_;
  TilingChoice choice_;
  int blocks_;
  Layout mail_layout_;
  int mail_cell_; // bytes
  SharedBuffer mail_, boards_;
  Buffer partials_, words_, results_;
  Buffer boxes_, put_from_, puts_, take_from_, takes_, take_ranks_, board_list_, world_ranks_;
  TiledLaunch base_;
  long put_bytes_ = 0;
  unsigned looks_ = 0;
  int verdict_in_ = -1, turn_ = 0;
};

void Resident::settle(const March& march) {
  TiledLaunch& l = base_;
  const int dims = grid_.dims();
  local_region(*march.sweep, l);
  l.blocks = blocks_;
  l.pinned = choice_.pinned;
  l.depth = choice_.depth;
  l.plane = grid_.layout().plane;
  int near = 1, fixed = 1;
  TilingRequest sizes{.dims = dims};
  for (int a = 0; a < dims; ++a) {
    const auto& at = grid_.cut().offsets[a];
    for (std::size_t c = 0; c + 1 < at.size(); ++c)
      sizes.extents[a] = std::max(sizes.extents[a], at[c + 1] - at[c]);
    l.tiles[a] = choice_.tiles[a];
    l.owned[a] = static_cast<int>(grid_.layout().extents[a]);
    l.reach[a] = roles_.reach[a];
    l.halo[a] = choice_.depth * roles_.reach[a];
    l.fixed_halo[a] = l.halo[a] - roles_.reach[a];
    l.stride[a] = grid_.layout().stride[a];
    l.origin[a] = grid_.owned().lo[a];
    l.extent[a] = grid_.extents()[a];
    l.near_stride[a] = near;
    l.fixed_stride[a] = fixed;
    near *= tile_cells(sizes, a, choice_.tiles[a]) + 2 * l.halo[a];
    fixed *= tile_cells(sizes, a, choice_.tiles[a]) + 2 * l.fixed_halo[a];
  }
  l.near_plane = near;
  l.fixed_plane = fixed;

  int bytes = 0;
  l.slots = static_cast<int>(roles_.slots.size());
  for (int s = 0; s < l.slots; ++s) {
    const FieldCore& memory = *roles_.slots[s];
    l.slot[s] = {nullptr, static_cast<int>(memory.element_bytes()), memory.components(), bytes};
    bytes += padded_bytes(static_cast<long>(near) * l.slot[s].element_bytes * l.slot[s].components);
  }
  const auto& accesses = march.sweep->accesses();
  l.accesses = static_cast<int>(accesses.size());
  for (int k = 0; k < l.accesses; ++k) {
    const FieldCore* field = accesses[k].field.get();
    l.access[k].offset = -1;
    l.access[k].element_bytes = field ? static_cast<int>(field->element_bytes()) : 0;
    l.access[k].components = field ? field->components() : 0;
  }
  for (std::size_t f = 0; f < roles_.fixed.size(); ++f) {
    TiledAccess& access = l.access[roles_.fixed[f]];
    if (choice_.pinned == kNonePinned || (choice_.pinned == kSomePinned && access.components == 1)) continue;
    access.offset = bytes;
    bytes += padded_bytes(static_cast<long>(fixed) * access.element_bytes * access.components);
  }

  l.mails = static_cast<int>(roles_.mailed.size());
  for (int m = 0; m < l.mails; ++m) l.mailed[m] = static_cast<int>(roles_.mailed[m]);
  l.split = worth_splitting(march.sweep->tiled_limits());
  list_mail(march);

  World& world = grid_.world();
  const int me = world.rank();
  std::vector<char*> boards;
  std::vector<int> world_ranks(ranks());
  for (int r = 0; r < world.node_size(); ++r)
    boards.push_back(r == world.node_rank() ? boards_.data() : boards_.peer(r));
  for (int r = 0; r < world.size(); ++r)
    if (world.same_node(r, me)) world_ranks[world.node_rank_of(r)] = r;
  board_list_ = on_device(device_, boards);
  world_ranks_ = on_device(device_, world_ranks);
  l.boards = reinterpret_cast<char* const*>(board_list_.data());
  l.world_rank = reinterpret_cast<const int*>(world_ranks_.data());
  l.partials = partials_.data();
  l.rank = world.node_rank();
  l.ranks = world.node_size();
  l.counter = reinterpret_cast<unsigned*>(words_.data());
  l.turn = l.counter + 1;
  l.watch = world.part<Watch>().handle();
}

// Whether a step takes longer than the mail is under way, so that to do the slabs around the interior apart pays.
bool Resident::worth_splitting(const TiledLimits& limits) const {
  long inside = 1, all = 1;
  for (int a = 0; a < grid_.dims(); ++a) {
    const long n = grid_.layout().extents[a] / choice_.tiles[a];
    inside *= std::max(0l, n - 2l * roles_.reach[a]);
    all *= n + 2l * (choice_.depth - 1) * roles_.reach[a];
  }
  return inside > 0 && all > kWorthSplitting * limits.threads;
}

// Which cells a tile puts into whose mail, and which it takes from its own rank's.
void Resident::list_mail(const March& march) {
  TiledLaunch& l = base_;
  const int dims = grid_.dims();
  World& world = grid_.world();
  const Decomposition& cut = grid_.cut();
  const int me = world.rank();
  const long e = 2 * static_cast<long>(roles_.slots.front()->element_bytes()); // of a number in the mail
  const auto box_of_rank = [&](int node_rank, const Layout& layout) {
    char* const memory = node_rank == world.node_rank() ? mail_.data() : mail_.peer(node_rank);
    TiledMailbox box{};
    for (std::size_t parity = 0; parity < 2; ++parity)
      for (std::size_t m = 0; m < mails(); ++m)
        box.mail[parity][m] = memory + (parity * mails() + m) * mail_room(layout) + layout.lead * e;
    box.plane = layout.plane;
    return box;
  };

  struct Neighbour {
    std::array<int, kMaxDims> direction;
    Index shift;
    Layout layout;
  };
  std::vector<TiledMailbox> boxes{box_of_rank(world.node_rank(), mail_layout_)};
  std::vector<Neighbour> neighbours;
  int directions = 1;
  for (int a = 0; a < dims; ++a) directions *= 3;
  for (int d = 0; d < directions; ++d) {
    Neighbour n{};
    bool away = false, possible = true; // over cut axes only: across the others a block is its own neighbour
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
      n.shift[a] = n.direction[a] > 0 ? l.owned[a] : n.direction[a] < 0 ? -n.layout.extents[a] : 0;
      cells *= n.direction[a] ? l.halo[a] : l.owned[a];
    }
    for (const std::size_t k : roles_.mailed)
      put_bytes_ += cells * 2 * static_cast<long>(march.sweep->accesses()[k].field->element_bytes()) *
                    march.sweep->accesses()[k].field->components();
    neighbours.push_back(n);
    boxes.push_back(box_of_rank(world.node_rank_of(rank), n.layout));
  }

  std::vector<TiledPut> puts;
  std::vector<TiledTake> takes;
  std::vector<short> ranks;
  std::vector<int> put_from{0}, take_from{0};
  const auto each_cell = [&](const Box& box, const auto& visit) {
    if (box.empty()) return;
    for (Index x = box.lo;;) {
      visit(x);
      int a = 0;
      while (a < dims && ++x[a] == box.hi[a]) {
        x[a] = box.lo[a];
        ++a;
      }
      if (a == dims) return;
    }
  };
  for (int t = 0; t < blocks_; ++t) {
    const Box tile = tile_box(dims, grid_.layout().extents, choice_.tiles, t);
    const auto near = [&](const Index& x) {
      int i = 0;
      for (int a = 0; a < dims; ++a) i += static_cast<int>(x[a] - tile.lo[a] + l.halo[a]) * l.near_stride[a];
      return i;
    };
    if (!tile.empty()) {
      for (std::size_t n = 0; n < neighbours.size(); ++n) { // what has the longest way first
        Box sent = tile;
        for (int a = 0; a < dims; ++a) {
          if (neighbours[n].direction[a] > 0)
            sent.lo[a] = std::max(tile.lo[a], static_cast<long>(l.owned[a] - l.halo[a]));
          if (neighbours[n].direction[a] < 0) sent.hi[a] = std::min(tile.hi[a], static_cast<long>(l.halo[a]));
        }
        each_cell(sent, [&](const Index& x) {
          Index there = x;
          for (int a = 0; a < dims; ++a) there[a] -= neighbours[n].shift[a];
          puts.push_back(
              {near(x), static_cast<int>(neighbours[n].layout.index(there)), static_cast<int>(n) + 1, 0});
        });
      }
      Widths inwards = halo();
      for (int a = 0; a < dims; ++a) inwards[a] = Width(-l.halo[a]);
      const Box inside = grow(tile, inwards);
      for (const Box& rim : inside.empty() ? std::vector<Box>{tile} : subtract(tile, inside))
        each_cell(rim, [&](const Index& x) {
          puts.push_back({near(x), static_cast<int>(mail_layout_.index(x)), 0, 0});
        });

      // The halo, as far as the grid goes.
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
          takes.push_back({near(x), static_cast<int>(mail_layout_.index(at))});
          ranks.push_back(static_cast<short>(cut.neighbour(me, direction)));
        });
    }
    put_from.push_back(static_cast<int>(puts.size()));
    take_from.push_back(static_cast<int>(takes.size()));
  }
  boxes_ = on_device(device_, boxes);
  puts_ = on_device(device_, puts);
  put_from_ = on_device(device_, put_from);
  takes_ = on_device(device_, takes);
  take_from_ = on_device(device_, take_from);
  take_ranks_ = on_device(device_, ranks);
  l.boxes = reinterpret_cast<const TiledMailbox*>(boxes_.data());
  l.box_count = static_cast<int>(boxes.size());
  l.puts = reinterpret_cast<const TiledPut*>(puts_.data());
  l.put_from = reinterpret_cast<const int*>(put_from_.data());
  l.takes = reinterpret_cast<const TiledTake*>(takes_.data());
  l.take_from = reinterpret_cast<const int*>(take_from_.data());
  l.take_rank = reinterpret_cast<const short*>(take_ranks_.data());
}

class ResidentCuda final : public Executor {
public:
  ResidentCuda(const Program& program, const Until& until)
      : program_(program),
        device_(program.grid().device()),
        until_(until),
        judges_(can_judge()),
        steps_(make_overlapped(device_)),
        ahead_(device_, 1) {}
  const char* name() const override { return "resident"; }

  void prepare(Walk& walk, long first, long last) override {
    steps_->prepare(walk, first, std::min(last, first + 1));
    constexpr long kLook = 128; // steps in which whatever comes often has come
    for (long step = first; step <= std::min(last, first + kLook);) {
      const auto march = march_at(program_, step, last, kTiledPhases);
      if (march && march->steps >= kFewSteps) resident_of(*march);
      step += march ? march->steps : 1;
    }
  }

  bool judges(const Until&) const override { return judges_; }

  Advance advance(Walk& walk, long first, long last) override {
    const auto march = march_at(program_, first, last, kTiledPhases);
    // An exact sum is left to the last step, which is done as any other.
    const bool exact = march && march->sweep->reduces() && program_.grid().world().settings().deterministic;
    // One that judges does every step in the kernel: nobody else looks.
    if (!march || (!judges_ && march->steps - exact < kFewSteps)) return steps_->advance(walk, first, first);
    walk.settle();
    Resident& resident = resident_of(*march);
    const long most = std::max(kFewSteps, static_cast<long>(kLaunch / resident.choice().seconds));
    long steps = std::min(march->steps - exact, most);
    // What the run's end leaves the last look of its `late` steps: the verdict comes within the run.
    const long last_look = judges_ ? last / until_.every * until_.every : 0;
    long late = until_.late;
    if (judges_ && last_look + late > last) {
      if (first < last_look)
        steps = std::min(steps, last_look - first);
      else
        late = last - last_look;
    }
    refresh_fixed(walk, *march, resident.choice().depth);
    walk.phases().begin_step(1); // all of them are measured, as one
    walk.phases().begin(Phase::sweep);
    const int* const results =
        resident.launch(*march, static_cast<int>(steps), judges_ ? &until_ : nullptr, late, first - 1);
    walk.phases().end();
    Advance advance{first + steps - 1};
    if (judges_) {
      device_.stream().synchronize();
      advance = {first + results[0] - 1, results[1] != 0};
      resident.looked(results);
    } else {
      ahead_.enqueued(1);
    }
    const long done = advance.done - first + 1;
    march->swap_fields(done);
    for (FieldCore* memory : march->changing) memory->validity().touched();
    walk.jumped();
    if (const long bytes = resident.mail_bytes_a_step(); bytes > 0)
      walk.count(ChannelKind::peer, done * bytes, done / resident.choice().depth);
    return advance;
  }

  // Why it cannot do the program's first steps, or nothing.
  static std::string trouble(const Program& program) {
    GridCore& grid = program.grid();
    if (const std::string why = trouble_with_neighbours(grid); !why.empty()) return why;
    constexpr long kLook = 128;
    std::string first;
    for (long step = 1; step <= kLook;) {
      const auto march = march_at(program, step, kLook + kFewSteps, kTiledPhases);
      const std::string why = !march ? "a step is more than one sweep and swaps"
                              : march->steps < kFewSteps
                                  ? "no " + std::to_string(kFewSteps) + " steps in a row are alike"
                                  : trouble_with(*march);
      if (why.empty()) return "";
      if (first.empty()) first = why;
      step += march ? march->steps : 1;
    }
    return first;
  }

private:
  // A single sweep all along, whose reduction is looked at.
  bool can_judge() const {
    if (!until_.reduction || until_.late > until_.every || program_.grid().world().settings().deterministic)
      return false;
    for (const Item& item : program_.items())
      if (item.period != 1) return false;
    const auto march = march_at(program_, 1, 1, kTiledPhases);
    if (!march) return false;
    const auto& accesses = march->sweep->accesses();
    return std::any_of(accesses.begin(), accesses.end(), [&](const Access& access) {
      return access.kind == Access::Kind::reduce && access.reduction == until_.reduction.get();
    });
  }

  static std::string trouble_with(const March& march) {
    const TiledLimits limits = march.sweep->tiled_limits();
    if (!limits.possible) return limits.reason;
    TiledLaunch launch;
    if (!local_region(*march.sweep, launch))
      return "sweep '" + march.sweep->name() + "' does a part of a periodic axis";
    const Roles roles = roles_of(march);
    if (!roles.trouble.empty()) return roles.trouble;
    if (!best_tiling(request_for(march, roles, false)))
      return "the fields of sweep '" + march.sweep->name() + "' do not fit into the shared memory of the GPU";
    return "";
  }

  // Collective when it is first asked for.
  Resident& resident_of(const March& march) {
    for (auto& [sweep, memory, resident] : made_)
      if (sweep == march.sweep && memory == march.memory) return *resident;
    const Roles roles = roles_of(march);
    const bool every_step = judges_ && until_.every == 1;
    const auto choice = best_tiling(request_for(march, roles, every_step));
    return *std::get<2>(
        made_.emplace_back(march.sweep, march.memory, std::make_unique<Resident>(march, roles, *choice)));
  }

  // Halos of what never changes are read where cells are computed twice, or where the sweep reaches that far.
  void refresh_fixed(Walk& walk, const March& march, int depth) {
    const GridCore& grid = program_.grid();
    std::vector<HaloNeed> needs;
    const auto& accesses = march.sweep->accesses();
    for (std::size_t k = 0; k < accesses.size(); ++k) {
      if (!accesses[k].field || march.changes(march.memory[0][k])) continue;
      Depth need{.width = {}, .order = grid.dims()};
      bool any = false;
      for (int a = 0; a < grid.dims(); ++a) {
        if (!grid.cut().exchanges(a)) continue;
        int reach = 0;
        for (const Access& access : accesses)
          reach = std::max({reach, access.shape.width[a].lo, access.shape.width[a].hi});
        need.width[a] = Width(std::min(grid.halo()[a].lo, (depth - 1) * reach),
                              std::min(grid.halo()[a].hi, (depth - 1) * reach));
        any = any || need.width[a] != Width(0);
      }
      if (!any || covers(accesses[k].field->validity().depth(), need, grid.dims())) continue;
      need = most(need, accesses[k].field->validity().depth());
      needs.push_back({accesses[k].field, need});
      accesses[k].field->validity().exchanged(need, grid.dims());
    }
    if (needs.empty()) return;
    const auto exchange = walk.planner().exchange_for(needs);
    exchange->start(device_.stream());
    exchange->wrap(device_.stream());
    exchange->finish(device_.stream());
    walk.count(exchange.get());
  }

  Program program_;
  Device& device_;
  const Until& until_;
  const bool judges_;                   // looks at `until` itself, in every step
  std::unique_ptr<StepExecutor> steps_; // whatever is no long stretch
  Ahead ahead_;
  std::vector<std::tuple<Sweep, std::vector<std::vector<FieldCore*>>, std::unique_ptr<Resident>>> made_;
};

} // namespace

std::string trouble_with_resident(const Program& program) { return ResidentCuda::trouble(program); }
std::unique_ptr<Executor> make_resident(const Program& program, const Until& until) {
  return std::make_unique<ResidentCuda>(program, until);
}

} // namespace tasuki
