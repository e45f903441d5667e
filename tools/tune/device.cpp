#include <tools/tune/device.hpp>

#include <tasuki/base/gather.hpp>
#include <tasuki/device/graph.hpp>
#include <tasuki/device/team.hpp>
#include <tasuki/halo/boxes.hpp>
#include <tasuki/halo/exchange.hpp>
#include <tasuki/tasuki.hpp>
#include <tasuki/transfer/collectives.hpp>
#include <tools/tune/least.hpp>

#include <algorithm>

namespace tasuki::tune {
namespace {

struct Scale {
  TS_CELL void operator()(auto c, auto a, auto b) const { b(c) = 3.0 * a(c); }
};
struct Add {
  TS_CELL void operator()(auto c, auto a, auto b, auto r) const { r(c) = a(c) + 3.0 * b(c); }
};

// A block a rank, of numbers that nobody exchanges.
Grid<2> grid_of(World& world, long rows) {
  return Grid<2>(world, {1024, rows * world.size()}, {.halo = 0, .ranks = {1, world.size()}});
}

// Bytes a second of a sweep over memory that no cache holds.
double bandwidth(World& world, const Sweep& sweep, int arrays, int times) {
  Stream& stream = world.part<Device>().stream();
  const std::vector<Box> all = sweep->grid().local_parts(sweep->region(), {});
  double cells = 0;
  for (const Box& box : all) cells += static_cast<double>(box.cells());
  const double least = least_of(world, times, [&] {
    stream.synchronize();
    const double begun = seconds();
    for (int k = 0; k < 4; ++k) sweep->launch(stream, all, true);
    stream.synchronize();
    return (seconds() - begun) / 4;
  });
  return cells * arrays * static_cast<double>(sizeof(double)) / least;
}

// Seconds of a reduction of a number over all ranks.
double reduction(World& world, CollectiveWay way, int times) {
  constexpr int kMany = 100;
  long number = 1;
  return least_of(world, times, [&] {
    const double begun = seconds();
    for (int k = 0; k < kMany; ++k)
      fold_all(
          world, &number, sizeof number,
          [](char* into, const char* from) { *into = static_cast<char>(*into | *from); }, way);
    return (seconds() - begun) / kMany;
  });
}

// Seconds of an exchange that copies nothing: neighbours' flags, of fields whose bands lie one behind another.
double meeting(World& world, int times) {
  constexpr int kMany = 200;
  const auto direct = std::make_shared<HaloChoice>(HaloChoice{kDirectHalo, "", {}});
  const Grid<2> grid(world, {64, 8L * world.size()}, {.halo = 1, .chosen = direct});
  const Field<double> u(grid, "u");
  Exchange exchange({{u.core(), whole_halo(grid.core()->halo(), 2, false)}});
  Stream& stream = grid.core()->device().stream();
  return least_of(world, times, [&] {
    stream.synchronize();
    const double begun = seconds();
    for (int k = 0; k < kMany; ++k) exchange.whole(stream);
    stream.synchronize();
    return (seconds() - begun) / kMany;
  });
}

// GPUs of a node that do not all reach each other have no memory in common.
bool may_meet(World& world) {
  const Device& device = world.part<Device>();
  bool all = world.size() > 1 && world.nodes() == 1;
  for (int rank = 0; all && rank < world.node_size(); ++rank) all = device.reaches(rank);
  return !any_rank(world, !all);
}

} // namespace

DeviceConstants measure_device(World& world, bool quick) {
  Device& device = world.part<Device>();
  Stream& stream = device.stream();
  const int times = quick ? 3 : 10;
  DeviceConstants constants;
  if (may_meet(world)) constants.meeting = meeting(world, times);
  if (world.size() > 1) {
    constants.reduction_flat = reduction(world, CollectiveWay::flat, times);
    constants.reduction_levels = reduction(world, CollectiveWay::levels, times);
  }
  {
    const long megabytes = quick ? 4 : device.cuda() ? 512 : 64; // an array
    Grid<2> grid = grid_of(world, megabytes * 128);
    Field<double> a(grid, "a"), b(grid, "b"), r(grid, "r");
    constants.stream_bandwidth = bandwidth(world, sweep(Scale{}, grid.all(), reads(a), writes(r)), 2, times);
    constants.stream_bandwidth_2 =
        bandwidth(world, sweep(Add{}, grid.all(), reads(a), reads(b), writes(r)), 3, times);
  }
  Grid<2> grid = grid_of(world, 1);
  Field<double> a(grid, "a"), r(grid, "r");
  const Sweep tiny = sweep(Scale{}, grid.all(), reads(a), writes(r));
  const std::vector<Box> all = grid.core()->local_parts(tiny->region(), {});
  constexpr int kMany = 200; // a stream takes a thousand or so before its launches wait
  const auto launch_many = [&] {
    for (int k = 0; k < kMany; ++k) tiny->launch(stream, all, true);
  };
  launch_many();
  constants.launch = least_of(world, times, [&] {
    stream.synchronize();
    const double begun = seconds();
    launch_many();
    return (seconds() - begun) / kMany;
  });
  constants.dependent_launch = least_of(world, times, [&] {
    stream.synchronize();
    const double begun = seconds();
    launch_many();
    stream.synchronize();
    return (seconds() - begun) / kMany;
  });
  if (device.cuda()) {
    const double both = least_of(world, times, [&] {
      stream.synchronize();
      const double begun = seconds();
      for (int k = 0; k < kMany; ++k) {
        tiny->launch(stream, all, true);
        stream.synchronize();
      }
      return (seconds() - begun) / kMany;
    });
    constants.synchronize = std::max(0.0, both - constants.launch);
    const Graph graph(stream, launch_many);
    graph.launch(stream);
    const auto replay = [&](int n) {
      return least_of(world, times, [&] {
        stream.synchronize();
        const double begun = seconds();
        for (int k = 0; k < n; ++k) graph.launch(stream);
        stream.synchronize();
        return seconds() - begun;
      });
    };
    constants.graph_node = std::max(0.0, (replay(11) - replay(1)) / (10.0 * kMany));
  } else {
    Team team(world);
    constexpr int kMeetings = 2000;
    constants.barrier = least_of(world, times, [&] {
      const double begun = seconds();
      team.run(team.threads(), [&](int thread, int) {
        for (int k = 0; k < kMeetings; ++k) team.meet(thread, [] {});
      });
      return (seconds() - begun) / kMeetings;
    });
  }
  return constants;
}

} // namespace tasuki::tune
