// Random boxes between all ranks by every channel and mode, against copies done one by one. Every rank knows all boxes,
// and what every rank sends in every turn, so it knows what its memory has to be, every byte of it.
#include <tasuki/base/reduce.hpp>
#include <tasuki/base/subset.hpp>
#include <tasuki/device/graph.hpp>
#include <tasuki/transfer/transfer.hpp>
#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tasuki {
namespace {

using test::pick;
using test::Random;

constexpr long kWord = 8; // boxes begin and repeat at multiples of this, runs are any number of bytes
constexpr long kSource = 24 * 1024; // bytes that a rank sends from
constexpr unsigned char kUntouched = 0xa5;

// Bytes of the source of a rank in a turn: 16-bit numbers, small enough that their sums are numbers.
std::vector<char> source_of(int rank, long turn) {
  std::vector<char> bytes(kSource);
  for (long i = 0; i < kSource / 2; ++i) {
    const auto number = static_cast<std::int16_t>((i * 7919 + rank * 104729 + turn * 1299709) % 16001 - 8000);
    std::memcpy(bytes.data() + 2 * i, &number, 2);
  }
  return bytes;
}

// Bytes from a box's first to behind its last.
long span(const Strided& box) {
  long bytes = box.run;
  for (int l = 0; l < box.levels; ++l) bytes += (box.count[l] - 1) * box.stride[l];
  return bytes;
}

// A parcel as all ranks know it: `base` of its boxes counts from the start of the sender's source, of the receiver's memory.
using Known = Parcel;
char* at(long place) { return reinterpret_cast<char*>(place); }
long place(const Strided& box) { return reinterpret_cast<long>(box.base); }
Strided moved(Strided box, char* memory) {
  box.base = memory + place(box);
  return box;
}

long rounded(long bytes) { return (bytes + kWord - 1) / kWord * kWord; }

// The same run and counts at both ends, strides of their own. What lands begins at `end`, which moves on.
Known random_parcel(Random& random, int from, int to, const Route& route, long& end) {
  Known parcel{from, to, route, {}, {}};
  const bool adds = pick(random, 0, 4) == 0, is_long = pick(random, 0, 5) == 0;
  Strided box;
  box.run = is_long ? pick(random, 1, kSource / 2) : pick(random, 1, 200);
  if (adds) box.run = (box.run + 1) / 2 * 2;
  box.levels = is_long ? 0 : static_cast<int>(pick(random, 0, 3));
  for (int l = 0; l < box.levels; ++l) box.count[l] = pick(random, 1, 3);
  for (Strided* side : {&parcel.sent, &parcel.landing}) {
    *side = box;
    long inner = box.run;
    for (int l = 0; l < box.levels; ++l) {
      side->stride[l] = rounded(inner) + kWord * pick(random, 0, 2);
      inner = side->stride[l] * box.count[l];
    }
  }
  const long room = kSource - span(parcel.sent);
  if (adds) {
    parcel.sent.combine = pick(random, 0, 1) ? Combine::add_i16 : Combine::subtract_i16;
    parcel.sent.with = pick(random, 0, room / kWord) * kWord;
  }
  parcel.sent.base = at(pick(random, 0, (room - parcel.sent.with) / kWord) * kWord);
  parcel.landing.base = at(end);
  end += rounded(span(parcel.landing)) + kWord * pick(random, 0, 2);
  return parcel;
}

template <class Visit>
void each_run(const Strided& box, const Visit& visit, long offset = 0, int level = -1) {
  if (level == -1) level = box.levels;
  if (level == 0) return visit(offset);
  for (long i = 0; i < box.count[level - 1]; ++i)
    each_run(box, visit, offset + i * box.stride[level - 1], level - 1);
}

// The serial twin: what the parcel leaves in the memory of its receiver.
void deliver(const Known& parcel, const std::vector<char>& source, std::vector<char>& memory) {
  std::vector<long> froms, tos;
  each_run(parcel.sent, [&](long offset) { froms.push_back(place(parcel.sent) + offset); });
  each_run(parcel.landing, [&](long offset) { tos.push_back(place(parcel.landing) + offset); });
  for (std::size_t k = 0; k < tos.size(); ++k) {
    char* const to = memory.data() + tos[k];
    const char* const from = source.data() + froms[k];
    std::memcpy(to, from, static_cast<std::size_t>(parcel.sent.run));
    if (parcel.sent.combine == Combine::none) continue;
    const int sign = parcel.sent.combine == Combine::add_i16 ? 1 : -1;
    for (long i = 0; i < parcel.sent.run; i += 2) {
      std::int16_t one, other;
      std::memcpy(&one, from + i, 2);
      std::memcpy(&other, from + parcel.sent.with + i, 2);
      one = static_cast<std::int16_t>(one + sign * other);
      std::memcpy(to + i, &one, 2);
    }
  }
}

// Every channel and mode that there is.
std::vector<Route> every_route() {
  std::vector<Route> routes;
  for (std::size_t k = 0; k < kChannels.size(); ++k)
    for (std::size_t mode = 0; mode < (kChannels[k].modes ? kPeerModeNames.size() : 1); ++mode)
      routes.push_back({static_cast<ChannelKind>(k), static_cast<PeerMode>(mode)});
  return routes;
}

bool joins(World& world, const Route& route, int from, int to) {
  switch (row_of(route.channel).joins) {
    case Joins::itself: return from == to;
    case Joins::memory: return world.part<Device>().part<Links>().peer(from, to);
    case Joins::all: return true;
  }
  return false;
}

// Those that join two ranks; `wanted` alone where it is one of them.
std::vector<Route> routes_between(World& world, int from, int to, const std::optional<Route>& wanted) {
  if (wanted && joins(world, *wanted, from, to)) return {*wanted};
  std::vector<Route> routes;
  for (const Route& route : every_route())
    if (joins(world, route, from, to)) routes.push_back(route);
  return routes;
}

// Which parcels go from one rank to another: how many, by which route at most, and between whom.
struct Traffic {
  std::optional<Route> route;
  long most = 4; // parcels between two ranks
  std::function<bool(int from, int to)> between = [](int, int) { return true; };
};

// One transfer of random parcels, and what came of its turns. All of them may be enqueued before any is looked at.
class Scene {
public:
  Scene(World& world, Random& random, const Traffic& traffic, long turns, Turns counted = Turns::host)
      : device_(world.part<Device>()), turns_(turns) {
    const int size = world.size(), me = world.rank();
    std::vector<long> ends(static_cast<std::size_t>(size), kWord);
    for (int from = 0; from < size; ++from)
      for (int to = 0; to < size; ++to) {
        const long count = traffic.between(from, to) ? pick(random, 0, traffic.most) : 0;
        const std::vector<Route> routes = routes_between(world, from, to, traffic.route);
        for (long k = 0; k < count; ++k)
          all_.push_back(random_parcel(
              random, from, to, routes[pick(random, 0, static_cast<long>(routes.size()) - 1)], ends[to]));
      }
    bytes_ = rounded(ends[static_cast<std::size_t>(me)] + kWord);
    memory_ = std::make_unique<SharedBuffer>(device_, static_cast<std::size_t>(bytes_));
    source_ = Buffer(device_, kSource);
    given_ = Buffer(device_, static_cast<std::size_t>(kSource * turns));
    log_ = Buffer(device_, static_cast<std::size_t>(bytes_ * turns));
    const std::vector<char> before(static_cast<std::size_t>(bytes_), static_cast<char>(kUntouched));
    copy_to_device(device_, memory_->data(), before.data(), before.size());
    for (long turn = 0; turn < turns; ++turn) {
      copy_to_device(device_, given_.data() + turn * kSource, source_of(me, turn).data(), kSource);
      fill_.emplace_back(device_, std::vector<CopyPair>{{{given_.data() + turn * kSource, kSource},
                                                         {source_.data(), kSource}}});
      keep_.emplace_back(
          device_, std::vector<CopyPair>{{{memory_->data(), bytes_}, {log_.data() + turn * bytes_, bytes_}}});
    }
    transfer_ = std::make_unique<Transfer>(device_, parcels(), counted);
  }

  Transfer& transfer() { return *transfer_; }
  bool needs_host() const {
    return std::any_of(all_.begin(), all_.end(),
                       [](const Known& p) { return row_of(p.route.channel).needs_host; });
  }

  // The turn's bytes are there before, and what came is put aside behind.
  void fill(Stream& stream, long turn) const { fill_[static_cast<std::size_t>(turn)].enqueue(stream); }
  void keep(Stream& stream, long turn) const { keep_[static_cast<std::size_t>(turn)].enqueue(stream); }

  // Holds every byte of every turn against the serial twin; the counts against the list.
  void check() const {
    const int me = device_.world().rank();
    std::vector<char> log(static_cast<std::size_t>(bytes_ * turns_));
    copy_to_host(device_, log.data(), log_.data(), log.size());
    for (long turn = 0; turn < turns_; ++turn) {
      std::vector<char> expected(static_cast<std::size_t>(bytes_), static_cast<char>(kUntouched));
      for (const Known& p : all_)
        if (p.to == me) deliver(p, source_of(p.from, turn), expected);
      const char* const got = log.data() + turn * bytes_;
      const auto wrong = std::mismatch(expected.begin(), expected.end(), got).first - expected.begin();
      EXPECT_EQ(wrong, bytes_) << "turn " << turn << ": the first wrong byte; " << parcel_at(wrong);
    }
    for (std::size_t k = 0; k < kChannels.size(); ++k) {
      const auto kind = static_cast<ChannelKind>(k);
      long bytes = 0;
      std::set<int> neighbours;
      for (const Known& p : all_)
        if (p.from == me && p.route.channel == kind) {
          bytes += p.sent.bytes();
          neighbours.insert(p.to);
        }
      EXPECT_EQ(transfer_->bytes(kind), bytes) << to_string(kind);
      EXPECT_EQ(transfer_->messages(kind), static_cast<long>(neighbours.size())) << to_string(kind);
    }
  }

private:
  // What this rank lists.
  std::vector<Parcel> parcels() const {
    const World& world = device_.world();
    const int me = world.rank();
    std::vector<Parcel> mine;
    for (const Known& known : all_) {
      if (known.from != me && known.to != me) continue;
      Parcel p{known.from, known.to, known.route, {}, {}};
      if (p.from == me) p.sent = moved(known.sent, source_.data());
      if (p.to == me)
        p.landing = moved(known.landing, memory_->data());
      else if (needs_landing(p.route))
        p.landing = moved(known.landing, memory_->peer(world.node_rank_of(p.to)));
      mine.push_back(p);
    }
    return mine;
  }

  std::string parcel_at(long place_of_byte) const {
    for (const Known& p : all_)
      if (p.to == device_.world().rank() && place_of_byte >= place(p.landing) &&
          place_of_byte < place(p.landing) + span(p.landing))
        return "in the parcel from rank " + std::to_string(p.from) + " by " + to_string(p.route);
    return "in no parcel";
  }

  Device& device_;
  long turns_, bytes_ = 0;
  std::vector<Known> all_;
  std::unique_ptr<SharedBuffer> memory_; // what lands
  Buffer source_, given_, log_;
  std::vector<CopyPlan> fill_, keep_;
  std::unique_ptr<Transfer> transfer_;
};

// The ways in which a transfer is driven.
void drive(Device& device, Transfer& transfer, Stream& stream, Random& random) {
  const long way = pick(random, 0, device.cuda() ? 2 : 4);
  if (way == 0) return transfer.whole(stream);
  if (way >= 3) {
    const int parts = static_cast<int>(pick(random, 1, 3));
    transfer.open(stream);
    for (int part = 0; part < parts; ++part) transfer.share(part, parts);
    return transfer.close(stream);
  }
  if (way == 1) transfer.wrap(stream);
  transfer.start(stream);
  if (way == 2) transfer.wrap(stream);
  transfer.finish(stream);
}

class Transfers : public testing::TestWithParam<std::optional<Route>> {};

std::string seed_text() { return "TASUKI_TEST_SEED=" + std::to_string(test::seed()); }

TEST_P(Transfers, EveryByteLandsWhereItBelongs) {
  World& world = test::world();
  Device& device = test::device();
  for (int round = 0; round < 8; ++round) {
    Random random = test::random(static_cast<std::uint64_t>(100 + round));
    SCOPED_TRACE(seed_text() + ", round " + std::to_string(round));
    const long turns = pick(random, 1, 6);
    Scene scene(world, random, {.route = GetParam()}, turns);
    Stream& stream = round % 2 ? device.transfer() : device.stream();
    for (long turn = 0; turn < turns; ++turn) {
      scene.fill(stream, turn);
      drive(device, scene.transfer(), stream, random);
      scene.keep(stream, turn);
      if (!device.cuda() && pick(random, 0, 1)) scene.transfer().free_ahead(stream);
    }
    stream.synchronize();
    scene.check();
    if (test::any_rank(HasFailure())) break;
  }
}

// Of two transfers one starts before the other has finished, in any order.
TEST_P(Transfers, StartTwice) {
  World& world = test::world();
  Stream& stream = test::device().stream();
  Random random = test::random(2);
  SCOPED_TRACE(seed_text());
  constexpr long kTurns = 12;
  Scene a(world, random, {.route = GetParam()}, kTurns), b(world, random, {.route = GetParam()}, kTurns);
  const auto begin = [&](Scene& scene, long turn) {
    scene.fill(stream, turn);
    scene.transfer().start(stream);
  };
  const auto end = [&](Scene& scene, long turn) {
    scene.transfer().wrap(stream);
    scene.transfer().finish(stream);
    scene.keep(stream, turn);
  };
  for (long turn = 0; turn < kTurns; ++turn) {
    const long way = pick(random, 0, 2);
    begin(a, turn);
    if (way == 0) end(a, turn);
    begin(b, turn);
    if (way == 1) end(a, turn);
    end(b, turn);
    if (way == 2) end(a, turn);
  }
  stream.synchronize();
  a.check();
  b.check();
}

// Ranks that send nothing, that are sent nothing, and neither; and nobody has anything.
TEST_P(Transfers, SomeRanksHaveNothing) {
  World& world = test::world();
  Stream& stream = test::device().stream();
  const int last = world.size() - 1;
  const std::vector<std::function<bool(int, int)>> cases = {
      [](int, int) { return false; },
      [=](int from, int to) { return from == 0 && to == last; },
      [](int from, int to) { return from < to; },
      [](int from, int to) { return from == to && from % 2 == 0; },
      [](int, int to) { return to == 0; },
  };
  for (std::size_t k = 0; k < cases.size(); ++k) {
    Random random = test::random(static_cast<std::uint64_t>(10 + k));
    SCOPED_TRACE(seed_text() + ", case " + std::to_string(k));
    Scene scene(world, random, {.route = GetParam(), .most = 3, .between = cases[k]}, 5);
    for (long turn = 0; turn < 5; ++turn) {
      scene.fill(stream, turn);
      scene.transfer().whole(stream);
      scene.keep(stream, turn);
    }
    stream.synchronize();
    scene.check();
  }
}

// Where a graph of the device does the turns: on GPUs. On the host the host counts them, whatever is asked for.
TEST_P(Transfers, TheDeviceCountsTheTurns) {
  World& world = test::world();
  Device& device = test::device();
  Stream& stream = device.stream();
  Random random = test::random(3);
  SCOPED_TRACE(seed_text());
  constexpr long kTurns = 4;
  std::optional<Scene> scene;
  const bool refused = device.cuda() && [&] {
    Random same = random;
    return Scene(world, same, {.route = GetParam()}, 1).needs_host();
  }();
  if (refused) {
    EXPECT_THROW(Scene(world, random, {.route = GetParam()}, 1, Turns::device), Error);
    return;
  }
  scene.emplace(world, random, Traffic{.route = GetParam()}, kTurns, Turns::device);
  std::unique_ptr<Graph> graph;
  if (device.cuda()) graph = std::make_unique<Graph>(stream, [&] { scene->transfer().whole(stream); });
  for (long turn = 0; turn < kTurns; ++turn) {
    scene->fill(stream, turn);
    if (graph)
      graph->launch(stream);
    else
      scene->transfer().whole(stream);
    scene->keep(stream, turn);
  }
  stream.synchronize();
  scene->check();
}

std::vector<std::optional<Route>> cases() {
  std::vector<std::optional<Route>> list{std::nullopt};
  for (const Route& route : every_route()) list.emplace_back(route);
  return list;
}
INSTANTIATE_TEST_SUITE_P(By, Transfers, testing::ValuesIn(cases()), [](const auto& info) {
  std::string name = info.param ? to_string(*info.param) : "any";
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
});

// What is wrong with a list is said before anything travels.
class Lists : public testing::Test {
protected:
  // The line of the error; "" where there is none.
  std::string refusal(const std::vector<Parcel>& parcels) {
    try {
      Transfer(test::device(), parcels);
    } catch (const Error& fault) {
      return fault.what();
    }
    return "";
  }
  Strided box(long bytes) const { return {memory_.data(), bytes}; }
  int me_ = test::world().rank(), size_ = test::world().size();
  Buffer memory_{test::device(), 256};
  const Route mpi_{ChannelKind::mpi, PeerMode::stores};
};

TEST_F(Lists, OfOtherRanksAreRefused) {
  EXPECT_NE(refusal({{me_, size_, mpi_, box(8), {}}}).find("rank " + std::to_string(me_) + " lists a parcel"),
            std::string::npos);
  EXPECT_NE(refusal({{-1, me_, mpi_, {}, box(8)}}).find("lists a parcel from rank -1"), std::string::npos);
  if (size_ < 3) return;
  EXPECT_NE(refusal({{(me_ + 1) % size_, (me_ + 2) % size_, mpi_, box(8), box(8)}}).find("lists a parcel"),
            std::string::npos);
}

TEST_F(Lists, OfAChannelThatJoinsOthersAreRefused) {
  if (size_ < 2) GTEST_SKIP() << "needs two ranks";
  const Route self{ChannelKind::self, PeerMode::stores};
  EXPECT_NE(refusal({{me_, (me_ + 1) % size_, self, box(8), box(8)}}).find("cannot go by channel self"),
            std::string::npos);
}

TEST_F(Lists, ThatDifferAreRefusedOnAllRanks) {
  if (size_ < 2) GTEST_SKIP() << "needs two ranks";
  // Rank 0 sends rank 1 two boxes; the others have no part in it.
  const auto lists = [&](const std::vector<long>& sent, const std::vector<long>& expected,
                         PeerMode mode = PeerMode::stores) {
    std::vector<Parcel> parcels;
    if (me_ == 0)
      for (const long bytes : sent) parcels.push_back({0, 1, mpi_, box(bytes), {}});
    if (me_ == 1)
      for (const long bytes : expected) parcels.push_back({0, 1, {ChannelKind::mpi, mode}, {}, box(bytes)});
    return refusal(parcels);
  };
  const std::string said = "rank 0 sends rank 1 other parcels than rank 1 expects; let both list";
  EXPECT_EQ(lists({8, 24}, {8, 24}), "");
  EXPECT_NE(lists({8, 24}, {24, 8}).find(said), std::string::npos) << "another order";
  EXPECT_NE(lists({8, 24}, {8, 32}).find(said), std::string::npos) << "another size";
  EXPECT_NE(lists({8, 24}, {8}).find(said), std::string::npos) << "one more";
  EXPECT_NE(lists({8, 24}, {}).find(said), std::string::npos) << "a rank that expects nothing";
  EXPECT_NE(lists({}, {8}).find(said), std::string::npos) << "a rank that sends nothing";
  EXPECT_NE(lists({8}, {8}, PeerMode::pack).find(said), std::string::npos) << "another route";
}

// Whoever has heard from all that it stores into knows that they are done.
TEST(Following, IsOfWhoHasHeardFromItsReceivers) {
  World& world = test::world();
  const int me = world.rank(), size = world.size();
  const Links& links = world.part<Device>().part<Links>();
  for (int a = 0; a < size; ++a)
    for (int b = 0; b < a; ++b)
      if (!links.peer(a, b)) GTEST_SKIP() << "ranks " << a << " and " << b << " are not joined by peer";
  if (size < 2) GTEST_SKIP() << "needs two ranks";
  Device& device = test::device();
  const SharedBuffer memory(device, 64);
  const Buffer source(device, 64);
  const Route peer{ChannelKind::peer, PeerMode::stores};
  const auto parcel = [&](int from, int to) {
    Parcel p{from, to, peer, {source.data(), 8}, {}};
    p.landing = {to == me ? memory.data() : memory.peer(world.node_rank_of(to)), 8};
    return p;
  };
  const int next = (me + 1) % size, before = (me + size - 1) % size;
  const Transfer up(device, {parcel(me, next), parcel(before, me)});
  const Transfer down(device, {parcel(me, before), parcel(next, me)});
  std::vector<Parcel> first; // from rank 0 to rank 1 alone
  if (me < 2) first.push_back(parcel(0, 1));
  const Transfer one_way(device, first);
  const Transfer itself(device, {{me, me, {}, {source.data(), 8}, {memory.data(), 8}}});
  EXPECT_TRUE(up.follows(down));
  EXPECT_EQ(up.follows(up), size == 2) << "the next is not the one before";
  EXPECT_EQ(one_way.follows(one_way), me != 0);
  EXPECT_EQ(one_way.follows(down), me != 0 || size == 2 || next == 1);
  EXPECT_TRUE(itself.follows(one_way)) << "what a rank sends itself has no other to hear from";
}

// Ranks of even and of odd numbers send round rings of their own, a different number of times; rank 0 does without both.
TEST(Transfer, OfSomeRanksConcernsThemAlone) {
  World& world = test::world();
  Device& host = Device::host(world);
  const int me = world.rank(), kind = me % 2;
  std::vector<int> members;
  for (int rank = kind ? 1 : 2; rank < world.size(); rank += 2) members.push_back(rank);
  if (me > 0) {
    const Ranks ranks = subset(world, members);
    const auto n = static_cast<int>(members.size());
    const int to = ranks.rank((ranks.place() + 1) % n), from = ranks.rank((ranks.place() + n - 1) % n);
    for (int round = 0; round <= kind; ++round) {
      std::vector<int> mine{100 * me + round, 7}, came(2);
      const Strided sent{.base = reinterpret_cast<char*>(mine.data()), .run = 8};
      const Strided landing{.base = reinterpret_cast<char*>(came.data()), .run = 8};
      const Route route{n == 1 ? ChannelKind::self : ChannelKind::mpi};
      std::vector<Parcel> parcels{{me, to, route, sent, n == 1 ? landing : Strided{}}};
      if (n > 1) parcels.push_back({from, me, route, {}, landing});
      Transfer transfer(host, ranks, parcels);
      transfer.whole(host.stream());
      EXPECT_EQ(came, (std::vector<int>{100 * from + round, 7}));
    }
    if (members.size() < static_cast<std::size_t>(world.size())) {
      const Strided box{.base = reinterpret_cast<char*>(&members), .run = 8};
      EXPECT_EQ(test::refusal([&] {
                  Transfer(Device::host(world), ranks, {{me, me, {ChannelKind::peer}, box, box}});
                }),
                "a parcel from rank " + std::to_string(me) + " to rank " + std::to_string(me) +
                    " cannot go by channel peer between some ranks alone; take channel mpi");
    }
  }
  barrier(world);
}

} // namespace
} // namespace tasuki
