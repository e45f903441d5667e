// The owner-coordinate oracle: every cell holds a code of its global index, field, component and round. After an
// exchange every halo cell that was asked for holds its owner's, and not one other byte of the memory has changed.
#include <tasuki/device/graph.hpp>
#include <tasuki/halo/exchange.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>
#include <sstream>

namespace tasuki {
namespace {

using test::pick;
using test::Random;

struct Odd { // six bytes: its rows are aligned to nothing
  std::int16_t low, high, check;
};
struct Wide {
  double code;
  std::int64_t twice;
};

// A code below 2^24 as a value of each type.
template <class E>
E encoded(long code) {
  if constexpr (std::is_same_v<E, Odd>) {
    return {static_cast<std::int16_t>(code & 0x7fff), static_cast<std::int16_t>(code >> 15),
            static_cast<std::int16_t>(code % 1009)};
  } else if constexpr (std::is_same_v<E, Wide>) {
    return {static_cast<double>(code), 2 * code};
  } else if constexpr (std::is_same_v<E, std::complex<float>> || std::is_same_v<E, std::complex<double>>) {
    using Part = typename E::value_type;
    return {static_cast<Part>(code), static_cast<Part>(-code)};
  } else if constexpr (sizeof(E) == 1) {
    return static_cast<E>(code % 251);
  } else {
    return static_cast<E>(code);
  }
}
constexpr long kUntouched = 0xffff01; // what halos and padding hold before

// One field of any type, filled and looked at through its memory.
class AnyField {
public:
  AnyField(int number, std::shared_ptr<FieldCore> core) : number_(number), core_(std::move(core)) {}
  virtual ~AnyField() = default;
  const std::shared_ptr<FieldCore>& core() const { return core_; }
  virtual void fill(long round) = 0;
  // Compares the whole memory; `need` is what was asked for, of width 0 if nothing. Adds up the halo bytes that
  // came from their owners.
  virtual void check(long round, const Depth& need, long& arrived) = 0;

protected:
  int number_;
  std::shared_ptr<FieldCore> core_;
};

template <class T>
class FieldOf final : public AnyField {
public:
  using E = typename Field<T>::Element;
  template <int D>
  FieldOf(const Grid<D>& grid, int number)
      : FieldOf(Field<T>(grid, "field" + std::to_string(number)), number) {}

  void fill(long round) override {
    std::vector<E> memory(whole(), encoded<E>(kUntouched));
    const Layout& layout = grid().layout();
    Box owned = box_of(layout.dims, layout.extents);
    for (int k = 0; k < field_.components; ++k)
      for_cells(owned, [&](const Index& local) {
        memory[place(local, k)] = encoded<E>(code(global(local), k, round));
      });
    copy_to_device(grid().device(), start(), memory.data(), memory.size() * sizeof(E));
  }

  void check(long round, const Depth& need, long& arrived) override {
    const Layout& layout = grid().layout();
    const Box owned = box_of(layout.dims, layout.extents);
    std::vector<E> expected(whole(), encoded<E>(kUntouched)), got(whole());
    for (int k = 0; k < field_.components; ++k)
      for_cells(grow(owned, layout.halo), [&](const Index& local) {
        int axes = 0;
        bool within = true;
        for (int a = 0; a < layout.dims; ++a) {
          if (local[a] < 0) within = within && -local[a] <= need.width[a].lo;
          if (local[a] >= owned.hi[a]) within = within && local[a] - owned.hi[a] < need.width[a].hi;
          axes += local[a] < 0 || local[a] >= owned.hi[a];
        }
        Index owner = global(local);
        for (int a = 0; a < layout.dims; ++a) {
          const long n = grid().extents()[a];
          if (grid().periodic(a)) owner[a] = (owner[a] + n) % n;
          within = within && owner[a] >= 0 && owner[a] < n;
        }
        if (axes > 0 && (!within || axes > need.order)) return;
        if (axes > 0) arrived += static_cast<long>(sizeof(E));
        expected[place(local, k)] = encoded<E>(code(owner, k, round));
      });
    copy_to_host(grid().device(), got.data(), start(), got.size() * sizeof(E));
    long wrong = 0;
    for (int k = 0; k < field_.components; ++k)
      for_cells(grow(owned, layout.halo), [&](const Index& local) {
        const std::size_t at = place(local, k);
        if (std::memcmp(&got[at], &expected[at], sizeof(E)) == 0) return;
        if (wrong++ == 0)
          ADD_FAILURE() << core_->name() << " of " << sizeof(E) << " bytes, component " << k << ", round "
                        << round << ": first wrong cell is local " << text(local) << ", global "
                        << text(global(local)) << " of " << text(grid().extents());
      });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(E)), 0)
        << core_->name() << ": bytes outside the halo were written";
  }

private:
  FieldOf(Field<T> field, int number) : AnyField(number, field.core()), field_(std::move(field)) {}

  const GridCore& grid() const { return core_->grid(); }
  E* start() const { return field_.data() - grid().layout().lead; }
  std::size_t whole() const { return static_cast<std::size_t>(grid().layout().plane) * field_.components; }
  std::size_t place(const Index& local, int k) const {
    long at = grid().layout().lead + k * field_.component_stride();
    for (int a = 0; a < grid().dims(); ++a) at += local[a] * field_.stride(a);
    return static_cast<std::size_t>(at);
  }
  Index global(Index local) const {
    const Box owned = grid().owned();
    for (int a = 0; a < grid().dims(); ++a) local[a] += owned.lo[a];
    return local;
  }
  long code(const Index& g, int k, long round) const {
    long cell = 0;
    for (int a = grid().dims() - 1; a >= 0; --a) cell = cell * grid().extents()[a] + g[a];
    // Of a large grid in a late round some codes come twice: numbers of 4 bytes are exact up to there.
    const long code = 1 + (cell + grid().all().cells() * (k + 4 * (number_ + 8 * round))) % (kUntouched - 1);
    return code;
  }
  std::string text(const Index& index) const {
    std::string s = "(";
    for (int a = 0; a < grid().dims(); ++a) s += (a ? ", " : "") + std::to_string(index[a]);
    return s + ")";
  }
  template <class Visit>
  static void for_cells(const Box& box, const Visit& visit) {
    if (box.empty()) return;
    for (Index at = box.lo;;) {
      visit(at);
      int a = 0;
      while (a < box.dims && ++at[a] == box.hi[a]) {
        at[a] = box.lo[a];
        ++a;
      }
      if (a == box.dims) return;
    }
  }

  Field<T> field_;
};

template <int D>
std::unique_ptr<AnyField> make_field(const Grid<D>& grid, int type, int number) {
  switch (type) {
    case 0: return std::make_unique<FieldOf<float>>(grid, number);
    case 1: return std::make_unique<FieldOf<double>>(grid, number);
    case 2: return std::make_unique<FieldOf<std::complex<float>>>(grid, number);
    case 3: return std::make_unique<FieldOf<std::complex<double>>>(grid, number);
    case 4: return std::make_unique<FieldOf<float[3]>>(grid, number);
    case 5: return std::make_unique<FieldOf<Odd>>(grid, number);
    case 6: return std::make_unique<FieldOf<Wide>>(grid, number);
    default: return std::make_unique<FieldOf<std::uint8_t>>(grid, number);
  }
}

// A grid that can be made, the same on every rank.
template <int D>
struct Layouts {
  std::array<long, D> extents{};
  GridOptions options;
};

template <int D>
Layouts<D> random_layout(Random& random, int size, int periodicity) {
  Layouts<D> made;
  std::array<int, kMaxDims> ranks{};
  std::array<Width, kMaxDims> halo{};
  std::array<bool, kMaxDims> periodic{};
  ranks.fill(1);
  for (int rest = size, prime = 2; rest > 1; ++prime)
    for (; rest % prime == 0; rest /= prime) ranks[pick(random, 0, D - 1)] *= prime;
  const bool free_choice = pick(random, 0, 3) == 0, explicit_blocks = !free_choice && pick(random, 0, 1) == 0;
  const int deepest = free_choice || D == 4 ? 2 : pick(random, 0, 3) == 0 ? 5 : 3;
  made.options.blocks.resize(explicit_blocks ? D : 0);
  for (int a = 0; a < D; ++a) {
    periodic[a] = periodicity >> a & 1;
    halo[a] = Width(static_cast<int>(pick(random, 0, deepest)), static_cast<int>(pick(random, 0, deepest)));
    const int pieces = free_choice ? size : ranks[a]; // wherever Tasuki cuts, the halo fits
    const long least = std::max({1, halo[a].lo, halo[a].hi}), more = D == 4 ? 1 : 4;
    if (explicit_blocks) {
      for (int c = 0; c < pieces; ++c) made.options.blocks[a].push_back(least + pick(random, 0, more));
      for (const long n : made.options.blocks[a]) made.extents[a] += n;
    } else {
      made.extents[a] = pieces * (least + (D == 4 && free_choice ? 0 : pick(random, 0, more))) +
                        pick(random, 0, pieces - 1);
    }
    if (free_choice) ranks[a] = 0;
  }
  made.options.halo = Halo(halo);
  made.options.periodic = PerAxis<bool>(periodic);
  made.options.ranks = PerAxis<int>(ranks);
  return made;
}

template <int D>
std::string describe(const Layouts<D>& layout, const GridCore& grid) {
  std::ostringstream s;
  s << D << "-D, extents";
  for (int a = 0; a < D; ++a) s << ' ' << layout.extents[a];
  s << ", ranks";
  for (int a = 0; a < D; ++a) s << ' ' << grid.cut().ranks[a];
  s << (layout.options.blocks.empty() ? "" : " (explicit blocks)") << ", halo";
  for (int a = 0; a < D; ++a) s << ' ' << grid.halo()[a].lo << '+' << grid.halo()[a].hi;
  s << ", periodic";
  for (int a = 0; a < D; ++a) s << ' ' << grid.periodic(a);
  s << ", block of rank " << grid.world().rank() << ' ' << to_string(grid.owned());
  return s.str();
}

// Which channel a direction has to use, by the letter of --channel: the slowest that is forced for its axes.
ChannelKind channel_by_letter(const std::string& spec, World& world, int to,
                              const std::array<int, kMaxDims>& d, int dims) {
  int forced = -1;
  const auto number = [](const std::string& name) {
    return name == "self" ? 0 : name.rfind("peer", 0) == 0 ? 1 : 2;
  };
  for (int a = 0; a < dims; ++a) {
    if (d[a] == 0) continue;
    int here = -1;
    std::stringstream entries(spec);
    for (std::string entry; std::getline(entries, entry, ',');) {
      const auto equals = entry.find('=');
      const std::string face = equals == std::string::npos ? "" : entry.substr(0, equals);
      const bool mine =
          face.empty() || (face[0] == "xyzt"[a] && (face.size() == 1 || face[1] == (d[a] < 0 ? '-' : '+')));
      if (mine) here = number(equals == std::string::npos ? entry : entry.substr(equals + 1));
    }
    forced = std::max(forced, here);
  }
  if (forced >= 0) return static_cast<ChannelKind>(forced);
  return to == world.rank()                  ? ChannelKind::self
         : world.same_node(to, world.rank()) ? ChannelKind::peer
                                             : ChannelKind::mpi;
}

void check_faces(const Exchange& exchange, World& world, const std::string& spec, int dims) {
  std::array<long, 3> bytes{};
  std::array<std::set<int>, 3> neighbours;
  for (const Face& face : exchange.faces()) {
    EXPECT_EQ(face.from, world.rank());
    EXPECT_EQ(to_string(face.channel),
              to_string(channel_by_letter(spec, world, face.to, face.direction, dims)));
    bytes[static_cast<int>(face.channel)] += face.bytes;
    neighbours[static_cast<int>(face.channel)].insert(face.to);
  }
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(exchange.bytes(static_cast<ChannelKind>(k)), bytes[k]);
    // Everything for one neighbour is one message.
    EXPECT_EQ(exchange.messages(static_cast<ChannelKind>(k)), static_cast<long>(neighbours[k].size()));
  }
}

// On GPUs, where nothing goes by MPI.
bool can_be_a_graph(World& world, const std::string& spec) {
  Device& device = world.part<Device>();
  int mpi = world.nodes() > 1 || spec.find("mpi") != std::string::npos;
  for (int r = 0; r < world.node_size(); ++r) mpi = mpi || !device.reaches(r);
  MPI_Allreduce(MPI_IN_PLACE, &mpi, 1, MPI_INT, MPI_MAX, world.comm());
  return device.cuda() && !mpi;
}

// One random layout, fields and needs; three rounds of the same exchange.
template <int D>
void exchange_once(World& world, const std::string& spec, Random& random, int number) {
  Device& device = world.part<Device>();
  const Layouts<D> layout = random_layout<D>(random, world.size(), number % (1 << D));
  Grid<D> grid(world, layout.extents, layout.options);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()) + ", layout " + std::to_string(number) +
               ", channel '" + spec + "': " + describe<D>(layout, *grid.core()));
  std::vector<std::unique_ptr<AnyField>> fields;
  std::vector<Depth> wanted;
  std::vector<HaloNeed> needs;
  const int count = static_cast<int>(pick(random, 1, 4));
  for (int f = 0; f < count; ++f) {
    fields.push_back(make_field(grid, static_cast<int>(pick(random, 0, 7)), f));
    Depth depth{{}, static_cast<int>(pick(random, 1, D))};
    const bool whole = pick(random, 0, 1) == 0, left_out = f > 0 && pick(random, 0, 4) == 0;
    for (int a = 0; a < D && !left_out; ++a) {
      const Width halo = grid.core()->halo()[a];
      depth.width[a] = whole ? halo
                             : Width(static_cast<int>(pick(random, 0, halo.lo)),
                                     static_cast<int>(pick(random, 0, halo.hi)));
    }
    wanted.push_back(depth);
    if (!left_out) needs.push_back({fields.back()->core(), depth});
  }

  // Turns of the device go with graphs: the same work for every round, enqueued once.
  const bool graph = pick(random, 0, 1) && can_be_a_graph(world, spec);
  Exchange exchange(needs, graph ? Turns::device : Turns::host);
  check_faces(exchange, world, spec, D);
  Stream& stream = pick(random, 0, 1) ? device.stream() : device.transfer();
  const auto enqueue = [&] {
    exchange.start(stream);
    exchange.wrap(stream);
    exchange.finish(stream);
  };
  std::unique_ptr<Graph> kept;
  if (graph) kept = std::make_unique<Graph>(stream, enqueue);
  for (long round = 0; round < 3; ++round) {
    for (auto& field : fields) field->fill(round);
    if (kept)
      kept->launch(stream);
    else
      enqueue();
    stream.synchronize();
    long arrived = 0, sent = 0;
    for (int f = 0; f < count; ++f) fields[f]->check(round, wanted[f], arrived);
    for (const auto kind : {ChannelKind::self, ChannelKind::peer, ChannelKind::mpi})
      sent += exchange.bytes(kind);
    long sums[2] = {arrived, sent};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_LONG, MPI_SUM, world.comm());
    EXPECT_EQ(sums[0], sums[1]) << "bytes that arrived, and bytes that the ranks say they send";
  }
}

// By face, at random, for the ranks of one node.
std::string random_channels(Random& random, int dims) {
  std::string spec;
  for (int a = 0; a < dims; ++a)
    for (const char side : {'-', '+'})
      if (const long which = pick(random, 0, 2); which > 0)
        spec +=
            (spec.empty() ? "" : ",") + std::string(1, "xyzt"[a]) + side + (which == 1 ? "=peer" : "=mpi");
  return spec;
}

class Channels : public testing::TestWithParam<std::string> {
protected:
  template <int D>
  void exchange_many(int layouts) {
    const int size = test::world().size();
    Random random = test::random(D * 100 + std::hash<std::string>{}(GetParam()) % 97);
    std::string spec = GetParam() == "random" ? random_channels(random, D) : GetParam();
    if (spec.find('=') != std::string::npos) { // drop the faces that this grid does not have
      std::stringstream entries(std::exchange(spec, ""));
      for (std::string entry; std::getline(entries, entry, ',');)
        if (std::string("xyzt").find(entry[0]) < D) spec += (spec.empty() ? "" : ",") + entry;
    }
    if (test::world().nodes() > 1 && spec.find("peer") != std::string::npos)
      GTEST_SKIP() << "peer cannot join nodes";
    const auto world = test::world_with([&](Settings& s) {
      s.channel = spec;
      s.halo = 0;
      s.ranks.clear();
    });
    // All periodicities of a dimension several times over; fewer, and others from run to run, where ranks crowd the
    // cores.
    const int count = size > 4 ? layouts / 8 : size > 2 ? layouts / 2 : layouts;
    const int first = static_cast<int>(pick(random, 0, layouts - 1));
    for (int number = first; number < first + count; ++number) {
      exchange_once<D>(*world, spec, random, number);
      if (test::any_rank(HasFailure())) break; // the first wrong layout tells enough
    }
  }
};

TEST_P(Channels, OneDimension) { exchange_many<1>(32); }
TEST_P(Channels, TwoDimensions) { exchange_many<2>(64); }
TEST_P(Channels, ThreeDimensions) { exchange_many<3>(96); }
TEST_P(Channels, FourDimensions) { exchange_many<4>(64); }

INSTANTIATE_TEST_SUITE_P(Exchange, Channels,
                         testing::Values("", "peer", "mpi", "peer:pack", "peer:copy2d", "x=peer,y=mpi,z=peer",
                                         "x=peer:pack,y=peer:stores,z=peer:copy2d,t=mpi",
                                         "x-=mpi,x+=peer,y=peer,z+=mpi,t=mpi", "random"),
                         [](const auto& info) {
                           std::string name = info.param.empty() ? "chosen" : info.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
                           return name + "_" + std::to_string(info.index);
                         });

TEST(Faces, HaveTheShapeOfTheirMemory) {
  auto& world = test::world();
  if (world.settings().halo || !world.settings().ranks.empty())
    GTEST_SKIP() << "the grid is changed by the settings";
  Grid<3> grid(world, {64, 48, 40}, {.halo = 1, .periodic = true});
  Field<double> u(grid, "u");
  const Exchange exchange({{u.core(), {grid.core()->halo(), 3}}});
  const Layout& layout = grid.core()->layout();
  EXPECT_EQ(exchange.faces().size(), 26u);
  for (const Face& face : exchange.faces()) {
    const auto& d = face.direction;
    const bool one_row = d[1] != 0 && d[2] != 0;
    EXPECT_EQ(face.shape, one_row ? "block" : d[0] == 0 ? "block-stride" : "stride");
    long cells = 1;
    for (int a = 0; a < 3; ++a) cells *= d[a] == 0 ? layout.extents[a] : 1;
    EXPECT_EQ(face.bytes, cells * 8);
  }
}

TEST(Forced, RefusesWhatCannotBe) {
  const auto message = [](const std::string& spec, int dims) -> std::string {
    const auto world = test::world_with([&](Settings& s) { s.channel = spec; });
    try {
      Router router(world->part<Device>(), dims);
      for (const int to : {world->rank(), (world->rank() + 1) % world->size()})
        router.routes(world->rank(), {{{1}, to, {{FaceShape::block, 0, 64, 0}}}});
    } catch (const Error& fault) {
      return fault.what();
    }
    return "";
  };
  EXPECT_NE(message("pigeon", 2).find("no channel 'pigeon'; write --channel"), std::string::npos);
  EXPECT_NE(message("z=mpi", 2).find("names no face of a 2-dimensional grid: 'z'"), std::string::npos);
  EXPECT_NE(message("x*=mpi", 2).find("'x*'"), std::string::npos);
  EXPECT_NE(message("=mpi", 2).find("names no face"), std::string::npos);
  if (test::world().size() > 1) {
    EXPECT_NE(message("self", 2).find("channel self cannot join ranks"), std::string::npos);
  }
  EXPECT_EQ(message("mpi", 2), "");
}

} // namespace
} // namespace tasuki
