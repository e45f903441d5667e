#include <tasuki/device/buffer.hpp>
#include <tasuki/device/copy.hpp>
#include <tasuki/device/device.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tasuki {
namespace {

// The message of the Error that a device of other settings ends with; empty if there is none. Collective.
std::string refusal(const std::string& device, bool share_devices) {
  Settings settings = test::world().settings();
  settings.device = device;
  settings.share_devices = share_devices;
  char name[] = "test";
  char* argv[] = {name, nullptr};
  World world(1, argv, settings);
  try {
    Device made(world);
  } catch (const Error& fault) {
    return fault.what();
  }
  return "";
}

TEST(Device, is_the_one_asked_for) {
  const Device& device = test::device();
  const std::string& wish = test::world().settings().device;
  if (wish == "host") {
    EXPECT_FALSE(device.cuda());
  }
  if (wish == "cuda") {
    EXPECT_TRUE(device.cuda());
  }
  if (wish == "auto") {
    EXPECT_EQ(device.cuda(), cuda_info().devices > 0);
  }
  EXPECT_FALSE(device.name().empty());
  EXPECT_GT(device.memory(), std::size_t{1} << 28);
  EXPECT_EQ(device.cuda(), device.kind() == DeviceKind::cuda);
  if (!device.cuda()) {
    EXPECT_EQ(device.ordinal(), 0);
  }
}

TEST(Device, reach_is_the_same_both_ways) {
  const Device& device = test::device();
  const World& world = test::world();
  const int n = world.node_size(), me = world.node_rank();
  std::vector<int> mine, all(static_cast<std::size_t>(n) * n);
  for (int r = 0; r < n; ++r) mine.push_back(device.reaches(r));
  MPI_Allgather(mine.data(), n, MPI_INT, all.data(), n, MPI_INT, world.node_comm());
  EXPECT_TRUE(device.reaches(me));
  for (int r = 0; r < n; ++r) {
    EXPECT_EQ(all[me * n + r], all[r * n + me]) << "rank " << r;
    if (!device.cuda()) {
      EXPECT_TRUE(device.reaches(r));
    }
  }
}

TEST(Device, says_what_of_cuda_is_missing) {
  const CudaInfo info = cuda_info();
  EXPECT_EQ(info.built, !info.version.empty());
  EXPECT_EQ(info.devices == 0, !info.reason.empty());
  if (info.devices > 0) GTEST_SKIP() << "nothing is missing here";
  const std::string text = refusal("cuda", false);
  EXPECT_NE(text.find(info.built ? "no GPU" : "this build has no CUDA"), std::string::npos) << text;
  EXPECT_NE(text.find("; "), std::string::npos) << text;
  EXPECT_EQ(refusal("auto", false), "");
}

TEST(Device, unknown_kind_is_refused) {
  const std::string text = refusal("tpu", false);
  EXPECT_NE(text.find("'tpu'"), std::string::npos) << text;
}

TEST(Device, more_ranks_than_gpus_is_refused) {
  const int gpus = cuda_info().devices, ranks = test::world().node_size();
  if (gpus == 0 || ranks <= gpus) GTEST_SKIP() << ranks << " ranks and " << gpus << " GPUs on this node";
  const std::string text = refusal("cuda", false);
  EXPECT_EQ(text.find(std::to_string(ranks) + " ranks on this node but "), 0u) << text;
  EXPECT_NE(text.find("--share-devices"), std::string::npos) << text;
  EXPECT_EQ(refusal("cuda", true), "");
}

// What a stream waits for is there when it goes on. The second stream would copy zeros if it did not wait.
TEST(Stream, waits_for_an_event) {
  Device& device = test::device();
  constexpr long kBytes = 32L << 20;
  const std::vector<char> values(kBytes, 9);
  Buffer a(device, kBytes), b(device, kBytes), c(device, kBytes);
  copy_to_device(device, a.data(), values.data(), values.size());
  Strided run;
  run.run = kBytes;
  const CopyPlan first(device, {{packed(run, a.data()), packed(run, b.data())}});
  const CopyPlan second(device, {{packed(run, b.data()), packed(run, c.data())}});
  Event done(device.kind());
  first.enqueue(device.stream());
  done.record(device.stream());
  device.transfer().wait(done);
  second.enqueue(device.transfer());
  device.transfer().synchronize();
  std::vector<char> got(kBytes);
  copy_to_host(device, got.data(), c.data(), got.size());
  EXPECT_EQ(got, values);
}

TEST(Stream, is_of_its_device) {
  Device& device = test::device();
  Stream made(device.kind(), false);
  void* const handle = made.handle();
  EXPECT_EQ(handle != nullptr, device.cuda());
  Stream moved(std::move(made));
  EXPECT_EQ(moved.handle(), handle);
  EXPECT_EQ(moved.kind(), device.kind());
  moved.synchronize();
}

TEST(Event, keeps_the_order_of_time) {
  Device& device = test::device();
  Event first(device.kind(), true), second(device.kind(), true);
  first.record(device.stream());
  second.record(device.stream());
  second.synchronize();
  EXPECT_GE(second.seconds_since(first), 0.0);
  EXPECT_LE(first.seconds_since(second), 0.0);
}

} // namespace
} // namespace tasuki
