// Copies of what other nodes have of arrays over devices: what they cost, and where there is no memory for them.
#include <tests/checks.hpp>
#include <tests/space/spaces.hpp>

#include <sys/resource.h>

#include <fstream>
#include <sstream>

namespace tasuki::test {
namespace {

constexpr long kSteps = 3 * static_cast<long>(Space::kDeviceStep / sizeof(long));

TEST(DeviceCache, CountsWhatItsCopiesCost) {
  if (world().size() < 2) return;
  one_space(
      2, "auto",
      [](Settings& s) {
        s.halo = 0;
        s.ranks.clear();
      },
      [](Space& space, const std::string&) {
        const auto g = space.array<long>({kSteps}, space::Map({kSteps}, {1}, 8, 0, 1), "g", Memory::device);
        const bool far = !space.world().same_node(0, space.world().rank());
        const long one = 1;
        if (far) space.copy(g.data(), &one, sizeof one); // brings a step, and takes its twin
        if (far) space.hold(g.data() + kSteps - 1, sizeof one);
        space.sync();
        const std::vector<SpaceCost> costs = space.costs();
        ASSERT_EQ(costs.size(), 1u);
        const SpaceCounts& c = costs[0].counts;
        std::uint64_t away = 0; // ranks of the other node
        for (int rank = 0; rank < space.world().size(); ++rank) away += !space.world().same_node(0, rank);
        EXPECT_EQ(costs[0].array, "g");
        EXPECT_EQ(costs[0].bytes, kSteps * sizeof(long));
        EXPECT_EQ(c.pages_by_section, 2 * away);
        EXPECT_EQ(c.first_writes, away);
        EXPECT_EQ(c.bytes_in, 3 * away * Space::kDeviceStep) << "two steps, and the held one again";
        EXPECT_GT(c.bytes_out, 0u);
        EXPECT_LT(c.bytes_out, away * 64);
        EXPECT_EQ(space.counts().pages_by_section, c.pages_by_section) << "the sum over all arrays";
        EXPECT_EQ(Space::of(space.world()), std::vector<Space*>{&space});
      });
}

// As much memory as this process has, and half a step more.
class LittleMemory {
public:
  LittleMemory() {
    getrlimit(RLIMIT_DATA, &before_);
    std::ifstream status("/proc/self/status");
    std::string word;
    rlim_t kilobytes = 0;
    while (status >> word && word != "VmData:") {}
    status >> kilobytes;
    const rlimit little{kilobytes * 1024 + Space::kDeviceStep / 2, before_.rlim_max};
    setrlimit(RLIMIT_DATA, &little);
  }
  ~LittleMemory() { setrlimit(RLIMIT_DATA, &before_); }

private:
  rlimit before_{};
};

// On a host, whose memory can be held small.
TEST(DeviceCache, CopiesThatDoNotFitAreRefusedInWords) {
  if (world().size() < 2 || device().cuda()) return;
  one_space(
      2, "auto",
      [](Settings& s) {
        s.halo = 0;
        s.ranks.clear();
      },
      [](Space& space, const std::string&) {
        const auto g = space.array<long>({kSteps}, space::Map({kSteps}, {1}, 8, 0, 1), "g", Memory::device);
        if (space.world().rank() == 0) g[0] = g[kSteps - 1] = 7;
        space.sync();
        if (!space.world().same_node(0, space.world().rank())) {
          std::string said;
          {
            const LittleMemory now;
            said = refusal([&] { space.preload(g.data(), kSteps * sizeof(long)); });
          }
          EXPECT_NE(
              said.find(
                  "'s device has no memory left for copies of what other nodes have; 0 B are there; preload "
                  "smaller sections, and give them back (sms_sync_drop)"),
              std::string::npos)
              << said;
          space.preload(g.data(), kSteps * sizeof(long)); // there is memory again
          EXPECT_EQ(g[0], 7) << "of a step that there was memory for";
          EXPECT_EQ(g[kSteps - 1], 7);
        }
      });
}

} // namespace
} // namespace tasuki::test
