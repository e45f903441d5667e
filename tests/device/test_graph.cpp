// Work that was enqueued once and is done many times.
#include <tasuki/device/copy.hpp>
#include <tasuki/device/graph.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace tasuki {
namespace {

using Words = std::vector<std::uint32_t>;

Strided words(const Buffer& buffer) {
  Strided s;
  s.base = buffer.data();
  s.run = static_cast<long>(buffer.bytes());
  return s;
}
Words read(const Buffer& buffer) {
  Words all(buffer.bytes() / 4);
  copy_to_host(test::device(), all.data(), buffer.data(), buffer.bytes());
  return all;
}
void put(const Buffer& buffer, const Words& all) {
  copy_to_device(test::device(), buffer.data(), all.data(), buffer.bytes());
}

TEST(Graph, AHostHasNone) {
  if (test::device().cuda()) GTEST_SKIP() << "this is no host";
  bool called = false;
  EXPECT_THROW(Graph(test::device().stream(), [&] { called = true; }), Error);
  EXPECT_FALSE(called);
}

class GraphOnGpu : public testing::Test {
protected:
  void SetUp() override {
    if (!test::device().cuda()) GTEST_SKIP() << "no GPU";
  }
};

// Two streams, three copies in a chain that goes through both: what is read is what was written just before.
TEST_F(GraphOnGpu, IsDoneInOrderAcrossStreamsAsOftenAsItIsLaunched) {
  Device& device = test::device();
  const Words zero(1000, 0), first(1000, 7), second(1000, 9);
  Buffer a(device, 4000), b(device, 4000), c(device, 4000), d(device, 4000);
  const CopyPlan ab(device, {{words(a), words(b)}}), bc(device, {{words(b), words(c)}}),
      cd(device, {{words(c), words(d)}});
  Event forked(device.kind()), joined(device.kind());
  put(a, first);
  put(d, zero);
  const Graph graph(device.stream(), [&] {
    ab.enqueue(device.stream());
    forked.record(device.stream());
    device.transfer().wait(forked);
    bc.enqueue(device.transfer());
    joined.record(device.transfer());
    device.stream().wait(joined);
    cd.enqueue(device.stream());
  });
  EXPECT_EQ(graph.nodes(), 3);
  EXPECT_EQ(read(d), zero) << "it was done when it was kept";
  graph.launch(device.stream());
  EXPECT_EQ(read(d), first);
  put(a, second);
  graph.launch(device.stream());
  EXPECT_EQ(read(d), second);
}

TEST_F(GraphOnGpu, MemoryMayBeMadeWhileItIsKept) {
  Device& device = test::device();
  const Words seven(1000, 7);
  Buffer a(device, 4000), b;
  put(a, seven);
  std::vector<CopyPlan> plan;
  const Graph graph(device.stream(), [&] {
    b = Buffer(device, 4000);
    plan.emplace_back();
  });
  EXPECT_EQ(graph.nodes(), 0);
  EXPECT_EQ(read(b), Words(1000, 0));
}

TEST_F(GraphOnGpu, AnErrorWhileItIsKeptLeavesTheStreamAsItWas) {
  Device& device = test::device();
  const Words seven(1000, 7);
  Buffer a(device, 4000), b(device, 4000);
  const CopyPlan ab(device, {{words(a), words(b)}});
  put(a, seven);
  EXPECT_THROW(Graph(device.stream(),
                     [&] {
                       ab.enqueue(device.stream());
                       throw Error("no", "yes");
                     }),
               Error);
  device.stream().synchronize();
  EXPECT_EQ(read(b), Words(1000, 0));
  ab.enqueue(device.stream());
  EXPECT_EQ(read(b), seven);
}

} // namespace
} // namespace tasuki
