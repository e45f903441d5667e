// tasuki-bench-moves: what a halo and a block of memory take by themselves, beside which directives/moves.c is measured. A line of
// JSON a figure.
//
//   mpirun -n 2 tasuki-bench-moves --cells 8192 --device cuda --out moves.jsonl
//
// The halo is that of a field of N x N doubles that is cut along its slow axis. A block is memory in one piece, which each rank
// sends to the next one by the fastest channel.
#include <bench/lines.hpp>
#include <tasuki/base/options.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/halo/exchange.hpp>
#include <tasuki/route/route.hpp>
#include <tasuki/tasuki.hpp>

#include <nlohmann/json.hpp>

#include <cstdio>

namespace tasuki::bench {
namespace {

// Seconds of a transfer, of many behind one another.
double seconds_of(World& world, Transfer& transfer, int rounds) {
  Stream& stream = world.part<Device>().stream();
  double began = 0;
  for (int k = -10; k < rounds; ++k) {
    if (k == 0) {
      stream.synchronize();
      barrier(world);
      began = seconds();
    }
    transfer.whole(stream);
  }
  stream.synchronize();
  barrier(world);
  return (seconds() - began) / rounds;
}

// A block to the next rank, and one from the rank before.
double block(World& world, long bytes, int rounds) {
  Device& device = world.part<Device>();
  const int me = world.rank(), n = world.size(), next = (me + 1) % n, before = (me + n - 1) % n;
  Buffer here(device, static_cast<std::size_t>(bytes));
  SharedBuffer there(device, static_cast<std::size_t>(bytes));
  const Router router(device, 1);
  const auto route = [&](int from, int to) {
    return router.routes(from, {{{1}, to, {{FaceShape::block, bytes, bytes, 0}}}})[0];
  };
  const auto piece = [&](char* base) {
    Strided all;
    all.base = base;
    all.run = bytes;
    return all;
  };
  Parcel sent{.from = me, .to = next, .route = route(me, next), .sent = piece(here.data())};
  if (needs_landing(sent.route)) sent.landing = piece(there.peer(world.node_rank_of(next)));
  Transfer transfer(
      device, {sent, {.from = before, .to = me, .route = route(before, me), .landing = piece(there.data())}});
  return seconds_of(world, transfer, rounds);
}

} // namespace
} // namespace tasuki::bench

int main(int argc, char** argv) {
  using namespace tasuki;
  long cells = 8192;
  int rounds = 20;
  std::string out;
  Settings settings;
  OptionParser line("bench-moves", "What a halo and a block of memory take by themselves");
  line.add("--cells", cells, "of a side of the field", {4, 1L << 20});
  line.add("--rounds", rounds, "of a block; fifty times as many of a halo", {1, 1 << 20});
  line.add("--out", out, "lines of JSON are added to this file");
  add_options(line, settings);
  line.parse(argc, argv);
  World world(argc, argv, settings);
  const int ranks = world.size();
  if (ranks < 2) throw Error("one rank sends nothing", "start two");

  bench::Lines kept(world.rank() == 0 ? out : "");
  const auto say = [&](const char* what, long bytes, double took) {
    if (world.rank() > 0) return;
    const nlohmann::ordered_json row = {{"what", what}, {"bytes", bytes}, {"seconds", took}};
    std::printf("%s\n", row.dump().c_str());
    kept.add(row.dump());
  };
  Grid<2> grid(world, {cells, cells}, {.ranks = {1, ranks}});
  Field<double> u(grid, "u");
  Exchange halo({{u.core(), {{Width(1), Width(1)}, 1}}});
  say("halo", 8 * cells * (ranks == 2 ? 1 : 2), bench::seconds_of(world, halo, 50 * rounds));
  const long bytes = 8 * cells * cells / ranks / ranks * (ranks - 1);
  say("block", bytes, bench::block(world, bytes, rounds));
}
