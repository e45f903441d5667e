// Flags between ranks: whoever sees a flag sees what was stored before it was raised, with no host in between.
#include <tasuki/device/copy.hpp>
#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/graph.hpp>
#include <tasuki/device/signal/signal.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace tasuki {
namespace {

enum class Way { as_chosen, stream_gate, kernel_gate };

void await_by(Way way, Stream& stream, const std::vector<Flag*>& flags, Flag value) {
  std::vector<Awaited> awaited;
  for (Flag* flag : flags) awaited.push_back({flag, -1});
  if (way == Way::as_chosen)
    await(test::device(), stream, awaited, value, "a test");
  else
    cuda::await_flags(stream.handle(), awaited, value,
                      way == Way::stream_gate ? cuda::Gate::stream : cuda::Gate::kernel,
                      test::world().part<Watch>().handle());
}

bool has(Way way) {
  if (way == Way::as_chosen) return true;
  return test::device().cuda() && (way == Way::kernel_gate || cuda::has_stream_gate());
}

Strided words(char* base, long count) {
  Strided s;
  s.base = base;
  s.run = static_cast<long>(sizeof(std::uint32_t)) * count;
  return s;
}

class Signal : public testing::TestWithParam<Way> {
protected:
  void SetUp() override {
    if (!has(GetParam())) GTEST_SKIP() << "this device has no such gate";
  }
};
INSTANTIATE_TEST_SUITE_P(Each, Signal, testing::Values(Way::as_chosen, Way::stream_gate, Way::kernel_gate));

// Every rank sends a message a step to the next: stores it into the next one's inbox, raises a flag there, waits for
// its own, keeps what came, and tells the one before that the inbox is free. Two inboxes take turns. A message that
// is seen before it is whole, or overwritten before it is read, is a wrong word in the log.
void run_ring(Way way, Flag start) {
  Device& device = test::device();
  const World& world = test::world();
  const int n = world.node_size(), me = world.node_rank(), next = (me + 1) % n, before = (me + n - 1) % n;
  if (!device.reaches(next) || !device.reaches(before)) GTEST_SKIP() << "no peer access here";
  constexpr long kWords = 1500, kSteps = 300, kMessage = kWords * 4;
  enum { arrived, taken };
  SharedBuffer inbox(device, 2 * kMessage), flags(device, 4096);
  const auto flag = [&](int r, int which) { return reinterpret_cast<Flag*>(flags.peer(r) + which * 128); };
  std::vector<Flag> first(64, start);
  copy_to_device(device, flags.data(), first.data(), first.size() * sizeof(Flag));

  const auto word = [](int from, long step, long i) {
    return static_cast<std::uint32_t>(step * 100003 + from * 17 + i);
  };
  std::vector<std::uint32_t> sent;
  for (long s = 0; s < kSteps; ++s)
    for (long i = 0; i < kWords; ++i) sent.push_back(word(me, s, i));
  Buffer outbox(device, sent.size() * 4), log(device, sent.size() * 4);
  copy_to_device(device, outbox.data(), sent.data(), outbox.bytes());
  std::vector<CopyPlan> send, keep;
  for (long s = 0; s < kSteps; ++s) {
    const long slot = s % 2 * kMessage;
    send.emplace_back(device, std::vector<CopyPair>{{words(outbox.data() + s * kMessage, kWords),
                                                     words(inbox.peer(next) + slot, kWords)}});
    keep.emplace_back(device, std::vector<CopyPair>{{words(inbox.data() + slot, kWords),
                                                     words(log.data() + s * kMessage, kWords)}});
  }
  MPI_Barrier(world.node_comm()); // all flags stand at the start

  Stream& stream = device.transfer();
  for (long s = 0; s < kSteps; ++s) {
    const Flag now = start + static_cast<Flag>(s) + 1;
    if (s >= 2) await_by(way, stream, {flag(me, taken)}, now - 2);
    send[s].enqueue(stream);
    raise(stream, {flag(next, arrived)}, now);
    await_by(way, stream, {flag(me, arrived)}, now);
    keep[s].enqueue(stream);
    raise(stream, {flag(before, taken)}, now);
  }
  stream.synchronize();

  std::vector<std::uint32_t> got(sent.size());
  copy_to_host(device, got.data(), log.data(), log.bytes());
  long wrong = 0;
  for (long s = 0; s < kSteps; ++s)
    for (long i = 0; i < kWords; ++i) wrong += got[s * kWords + i] != word(before, s, i);
  EXPECT_EQ(wrong, 0) << "words of " << got.size();
  MPI_Barrier(world.node_comm());
}

TEST_P(Signal, a_ring_of_messages_loses_nothing) { run_ring(GetParam(), 0); }

TEST_P(Signal, sequence_numbers_may_wrap_around) { run_ring(GetParam(), static_cast<Flag>(-100)); }

// More flags than a warp has threads and than one call of the driver takes.
TEST_P(Signal, many_flags_are_awaited_together) {
  Device& device = test::device();
  constexpr long kFlags = 300;
  SharedBuffer memory(device, kFlags * 64);
  std::vector<Flag*> flags;
  for (long i = 0; i < kFlags; ++i) flags.push_back(reinterpret_cast<Flag*>(memory.data() + i * 64));
  std::vector<std::uint32_t> values(1000, 7), got(1000);
  Buffer source(device, 4000), middle(device, 4000), target(device, 4000);
  copy_to_device(device, source.data(), values.data(), 4000);
  const CopyPlan first(device, {{words(source.data(), 1000), words(middle.data(), 1000)}});
  const CopyPlan second(device, {{words(middle.data(), 1000), words(target.data(), 1000)}});
  const auto wait_then_copy = [&] {
    await_by(GetParam(), device.stream(), flags, 5);
    second.enqueue(device.stream());
  };
  if (device.cuda()) wait_then_copy(); // a GPU waits by itself; a host would never come to raise them
  first.enqueue(device.transfer());
  for (long i = 0; i < kFlags; i += 50) // the last flag only after all others
    raise(device.transfer(), {flags.begin() + i, flags.begin() + i + 50}, 5);
  if (!device.cuda()) wait_then_copy();
  device.stream().synchronize();
  copy_to_host(device, got.data(), target.data(), 4000);
  EXPECT_EQ(got, values);
  std::vector<Flag> raised(kFlags * 16);
  copy_to_host(device, raised.data(), memory.data(), memory.bytes());
  for (long i = 0; i < kFlags; ++i) EXPECT_EQ(raised[i * 16], 5u) << "flag " << i;
}

TEST(SignalState, a_host_knows_whether_it_would_wait) {
  Device& device = test::device();
  SharedBuffer memory(device, 1024);
  const std::vector<Awaited> flags{{reinterpret_cast<Flag*>(memory.data())},
                                   {reinterpret_cast<Flag*>(memory.data()) + 64}};
  raise(device.stream(), {flags[0].flag}, 3);
  EXPECT_EQ(would_wait(device.stream(), flags, 3), !device.cuda());
  raise(device.stream(), {flags[1].flag}, 4);
  EXPECT_FALSE(would_wait(device.stream(), flags, 3));
  EXPECT_EQ(would_wait(device.stream(), flags, 4), !device.cuda());
  device.stream().synchronize();
}

// Values go round the ranks, as an exchange of halos does it, in steps that are kept once and launched many times: only
// the device knows which turn it is.
TEST(SignalTurns, of_the_device_are_counted_in_a_graph) {
  Device& device = test::device();
  const World& world = test::world();
  if (!device.cuda()) GTEST_SKIP() << "no GPU";
  const int n = world.node_size(), me = world.node_rank(), next = (me + 1) % n, before = (me + n - 1) % n;
  if (!device.reaches(next) || !device.reaches(before)) GTEST_SKIP() << "no peer access here";
  constexpr long kWords = 3000;
  constexpr int kSteps = 5, kLaunches = 40;
  enum { free, full };
  SharedBuffer inbox(device, kWords * 4), flags(device, 4096);
  const auto flag = [&](int r, int which) { return reinterpret_cast<Flag*>(flags.peer(r) + which * 128); };
  const DeviceTurn turn(device);
  Buffer value(device, kWords * 4);
  std::vector<std::uint32_t> mine(kWords, static_cast<std::uint32_t>(me + 1)), got(kWords);
  copy_to_device(device, value.data(), mine.data(), value.bytes());
  const CopyPlan send(device, {{words(value.data(), kWords), words(inbox.peer(next), kWords)}});
  const CopyPlan keep(device, {{words(inbox.data(), kWords), words(value.data(), kWords)}});
  MPI_Barrier(world.node_comm());
  Stream& stream = device.stream();
  const Graph graph(stream, [&] {
    for (int step = 0; step < kSteps; ++step) {
      raise_next(stream, {flag(before, free)}, turn);
      await_next(device, stream, {{flag(me, free), next}}, turn);
      send.enqueue(stream);
      raise_next(stream, {flag(next, full)}, turn);
      await_last(device, stream, {{flag(me, full), before}}, turn);
      keep.enqueue(stream);
    }
  });
  for (int launch = 0; launch < kLaunches; ++launch) graph.launch(stream);
  copy_to_host(device, got.data(), value.data(), value.bytes());
  const int from = ((me - kSteps * kLaunches) % n + n) % n;
  EXPECT_EQ(got, std::vector<std::uint32_t>(kWords, static_cast<std::uint32_t>(from + 1)));
  MPI_Barrier(world.node_comm());
}

// A flag that nobody raises.
TEST(SignalWatch, a_kernel_gives_up_and_says_for_whom_it_waited) {
  if (!test::device().cuda()) GTEST_SKIP() << "no GPU";
  const auto made = test::world_with([](Settings& settings) { settings.patience = 0.2; });
  Device& device = made->part<Device>();
  Watch& watch = made->part<Watch>();
  Buffer flag(device, 4);
  Stream stream(DeviceKind::cuda, false);
  EXPECT_NO_THROW(watch.check());
  cuda::await_flags(stream.handle(), {{reinterpret_cast<Flag*>(flag.data()), made->rank()}}, 1,
                    cuda::Gate::kernel, watch.handle());
  stream.synchronize();
  try {
    watch.check();
    FAIL() << "it did not say so";
  } catch (const Error& fault) {
    EXPECT_NE(std::string(fault.what()).find("rank " + std::to_string(made->rank()) + " did not come"),
              std::string::npos)
        << fault.what();
  }
}

TEST(SignalWatch, a_kernel_gives_up_when_it_is_told_to) {
  if (!test::device().cuda()) GTEST_SKIP() << "no GPU";
  const auto made = test::world_with([](Settings&) {});
  Device& device = made->part<Device>();
  Watch& watch = made->part<Watch>();
  Buffer flag(device, 4);
  Stream stream(DeviceKind::cuda, false);
  cuda::await_flags(stream.handle(), {{reinterpret_cast<Flag*>(flag.data()), 0}}, 1, cuda::Gate::kernel,
                    watch.handle());
  watch.give_up();
  stream.synchronize();
  EXPECT_NO_THROW(watch.check());
}

TEST_P(Signal, no_flags_are_no_wait) {
  await_by(GetParam(), test::device().stream(), {}, 1);
  raise(test::device().stream(), {}, 1);
  test::device().stream().synchronize();
}

} // namespace
} // namespace tasuki
