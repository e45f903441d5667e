// Constants for machines without measurements. They only need to order the channels correctly.
#include <tasuki/route/tuning.hpp>

namespace tasuki {
namespace {

struct Constant {
  ChannelKind channel;
  PairKind pair;
  double latency;   // s
  double bandwidth; // bytes/s of a block
  double scattered; // bytes/s if every row has 8 bytes
};

using enum ChannelKind;

// Shared memory between two processes on two cores of a host; MPI over shared memory; MPI over a 100 Gbit/s network
// after packing by one core. Measured on a Xeon, the network according to its data sheet.
constexpr Constant kHost[] = {
    {self, PairKind::self, 0.2e-6, 8e9, 2e9},
    {peer, PairKind::node, 1e-6, 5e9, 1.25e9},
    {mpi, PairKind::node, 2e-6, 3e9, 1e9},
    {mpi, PairKind::far, 5e-6, 2.5e9, 1e9},
};

// H200 (memory 4.19 TB/s, half of it for a copy), NVLink with 18 links: 370 GB/s by stores of a kernel, 2.6 us for a
// flag and its answer; GPU-aware MPI after a synchronised pack (8.6 us), over PCIe 5 and one 400 Gbit/s port.
constexpr Constant kCuda[] = {
    {self, PairKind::self, 2.4e-6, 2000e9, 500e9},
    {peer, PairKind::node, 2.6e-6, 370e9, 90e9},
    {mpi, PairKind::node, 20e-6, 40e9, 30e9},
    {mpi, PairKind::far, 25e-6, 40e9, 30e9},
};

} // namespace

Tuning Tuning::built_in(DeviceKind kind) {
  const bool cuda = kind == DeviceKind::cuda;
  Tuning t;
  t.machine.device = cuda ? "cuda" : "host";
  const auto add = [&](const auto& table) {
    for (const Constant& c : table) {
      const auto line = [&](FaceShape shape, long row, double bandwidth) {
        t.lines.push_back({c.channel, PeerMode::stores, shape, row, c.pair, c.latency, bandwidth, 0, {}});
      };
      line(FaceShape::stride, 8, c.scattered);
      line(FaceShape::block_stride, 64, (c.scattered + c.bandwidth) / 2);
      line(FaceShape::block, 0, c.bandwidth);
    }
  };
  if (cuda) {
    add(kCuda);
    t.device = {.stream_bandwidth = 4.0e12,
                .stream_bandwidth_2 = 4.19e12,
                .launch = 3.9e-6,
                .dependent_launch = 2.4e-6,
                .synchronize = 4.7e-6,
                .graph_node = 1.25e-6,
                .barrier = 0};
  } else {
    add(kHost);
    t.device = {.stream_bandwidth = 10e9,
                .stream_bandwidth_2 = 10e9,
                .launch = 1e-6,
                .dependent_launch = 1e-6,
                .synchronize = 0,
                .graph_node = 0,
                .barrier = 0.5e-6};
  }
  return t;
}

} // namespace tasuki
