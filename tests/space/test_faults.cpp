// Touches of pages that are not there, by each way to fault that works here, without a cache behind.
#include <tasuki/space/faults.hpp>

#include <tests/checks.hpp>
#include <tests/space/spaces.hpp>

#include <algorithm>
#include <fstream>
#include <thread>

namespace tasuki::test {
namespace {

using space::Range;
using space::Touch;

std::uintptr_t place() { return world().settings().space_at + (std::uintptr_t{3} << 36); }
std::string stray(const void*, bool) { return "a stray"; }

TEST(Faults, AThreadThatTouchesGoesOnOnceItsPageIsShown) {
  for (const std::string& way : ways_to_fault()) {
    SCOPED_TRACE(way);
    Range range(world(), place(), std::size_t{1} << 26, 4096);
    const auto page = static_cast<std::uint64_t>(8 * world().node_rank() + 3); // no other rank's
    range.show(0, 64);
    const auto faults = space::make_faults(range, way, stray);
    EXPECT_EQ(faults->name(), way);
    volatile char* const seen = range.view_of(page);
    range.page(page)[5] = 42;
    faults->watch(page - 1, 3);
    // What a touch says, and what its thread has then.
    const auto touched = [&](bool write, const auto& serve) {
      char found = 0;
      std::thread toucher([&] {
        if (write) seen[5] = 43;
        found = seen[5];
      });
      Touch touch;
      EXPECT_EQ(faults->wait(&touch, 1), 1u);
      EXPECT_EQ(touch.page, page);
      EXPECT_EQ(touch.write, write);
      serve();
      faults->settle(touch);
      toucher.join();
      return found;
    };
    EXPECT_EQ(touched(false, [&] { faults->map(page, 1, false); }), 42) << "read";
    EXPECT_EQ(touched(true, [&] { faults->allow(page, 1); }), 43) << "written";
    EXPECT_EQ(range.page(page)[5], 43);
    seen[6] = 1; // no touch any more
    faults->protect(page, 1);
    EXPECT_EQ(touched(true, [&] { faults->allow(page, 1); }), 43) << "written again";
    faults->unmap(page, 1);
    range.page(page)[5] = 44;
    EXPECT_EQ(touched(false, [&] { faults->map(page, 1, true); }), 44) << "read when it was gone";
    seen[5] = 45;
    EXPECT_EQ(range.page(page)[5], 45);
    faults->stop();
    Touch none;
    EXPECT_EQ(faults->wait(&none, 1), 0u);
    any_rank(false); // nobody ends the range before
  }
}

// The kernel has a limit of mappings, and a process that meets it fails somewhere, by no memory. Pages of two kinds in turn
// are as many mappings.
TEST(Faults, SignalsStopBeforeTheKernelsLimitOfMappings) {
  long most = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> most;
  const long pages = std::clamp(most, 1024L, 1L << 20);
  Range range(world(), place(), static_cast<std::size_t>(pages) * 4096, 4096);
  if (world().node_rank() == 0) {
    const auto faults = space::make_faults(range, "signal", stray);
    faults->watch(0, range.pages());
    long shown = 0;
    const std::string said = refusal([&] {
      for (std::uint64_t page = 1; page < range.pages(); page += 2, ++shown) faults->map(page, 1, false);
    });
    if (most <= pages) {
      EXPECT_NE(
          said.find("preload sections, take a larger --page, raise vm.max_map_count, or take --faults uffd"),
          std::string::npos)
          << said;
      EXPECT_LT(2 * shown, most);
      EXPECT_GT(2 * shown, most - 8192) << "room that is there is not used";
    }
  }
  any_rank(false); // nobody ends the range before
}

} // namespace
} // namespace tasuki::test
