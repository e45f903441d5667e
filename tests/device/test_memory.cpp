// How much memory a rank may ask for.
#include <tasuki/device/host_memory.hpp>
#include <tasuki/device/memory.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

using test::device;
using test::world;

TEST(Memory, OfAHostIsSharedByItsRanks) {
  const std::size_t all = memory_on_host(world()) * static_cast<std::size_t>(world().host_size());
  EXPECT_GT(all, std::size_t{1} << 20);
  EXPECT_LT(all, 2 * free_host_memory() + (std::size_t{1} << 30)); // others take and free meanwhile
}

TEST(Memory, ForFieldsIsTheDevices) {
  if (device().cuda())
    EXPECT_EQ(memory_for_fields(world()), device().memory());
  else
    EXPECT_LE(memory_for_fields(world()),
              device().memory() / static_cast<std::size_t>(world().host_size()) + 1);
}

TEST(Memory, IsWrittenInTheUnitThatFits) {
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(std::size_t{12} << 30), "12.0 GiB");
}

} // namespace
} // namespace tasuki
