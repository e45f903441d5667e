#include <remote/server/gate/probe.hpp>

#include "house.hpp"

namespace tasuki::remote {
namespace {

TEST(Probe, TellsWhatAProcessFound) {
  const auto devices = probe([] { return std::vector<ServedDevice>{a_device(0), a_device(5)}; });
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[1].properties.name, "device 5");
  const auto shares = split(devices, 3);
  ASSERT_EQ(shares.size(), 6u);
  EXPECT_EQ(shares[3].gpu, 5);
  EXPECT_EQ(shares[3].properties.memory, 335u);
}

TEST(Probe, SaysWhyThereIsNone) {
  EXPECT_EQ(said([] { probe([]() -> std::vector<ServedDevice> { throw Error("no GPU", "buy one"); }); }),
            "no GPU; buy one");
  EXPECT_NE(said([] { probe([]() -> std::vector<ServedDevice> { _exit(3); }); }).find("crashed"),
            std::string::npos);
}

} // namespace
} // namespace tasuki::remote
