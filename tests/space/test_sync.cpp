// What a synchronisation and a section cost in messages: as few as there are homes.
#include <tests/space/spaces.hpp>

namespace tasuki::test {
namespace {

constexpr long kRow = 512; // longs of a page

// Each rank of `space` is a node; the parts are eight pages.
void apart(const std::function<void(Space&, const Global<long>&)>& act) {
  for (const std::string& way : ways_to_fault())
    one_space(
        world().size(), way, [](Settings&) {},
        [&](Space& space, const std::string&) {
          const long rows = 8L * space.world().size();
          act(space, space.array<long>({rows, kRow}, space.bands({rows, kRow}, 8), "a"));
        });
}

std::uint64_t others(const Space& space) { return static_cast<std::uint64_t>(space.world().size() - 1); }

TEST(Sync, TakesAMessageAHomeAndOneAHolder) {
  apart([](Space& space, const Global<long>& a) {
    const int ranks = space.world().size(), me = space.world().rank();
    long sum = 0;
    for (long row = 0; row < 8L * ranks; ++row) sum += a[static_cast<std::size_t>(row * kRow)];
    EXPECT_EQ(sum, 0);
    space.sync();
    for (long row = 0; row < 8L * ranks; ++row) a[static_cast<std::size_t>(row * kRow + me)] = row + me + 1;
    const SpaceCounts before = space.counts();
    space.sync();
    const SpaceCounts after = space.counts();
    // Eight pages go to each other home in one message, and each home tells each holder in one what is stale.
    const auto pairs = static_cast<std::uint64_t>(ranks) * others(space);
    EXPECT_EQ(after.messages - before.messages, 2 * pairs);
    EXPECT_GE(after.bytes_out - before.bytes_out, pairs * 8);
    for (long row = 0; row < 8L * ranks; ++row)
      for (int r = 0; r < ranks; ++r) ASSERT_EQ(a[static_cast<std::size_t>(row * kRow + r)], row + r + 1);
    space.sync();
    const SpaceCounts quiet = space.counts();
    space.sync();
    EXPECT_EQ(space.counts().messages, quiet.messages) << "nothing was written, so nobody is told anything";
  });
}

TEST(Sync, ABoxOverAllPartsIsAskedOfEachHomeOnce) {
  apart([](Space& space, const Global<long>& a) {
    const auto rows = static_cast<std::size_t>(8 * space.world().size());
    const SpaceCounts before = space.counts();
    space.preload(&a[3], {rows, kRow}, {rows, 5}, 8, false); // a run a row: eight a home
    const SpaceCounts after = space.counts();
    const auto ranks = static_cast<std::uint64_t>(space.world().size());
    EXPECT_EQ(after.messages - before.messages, ranks * others(space));
    EXPECT_EQ(after.pages_by_section - before.pages_by_section, ranks * others(space) * 8);
    EXPECT_EQ(after.bytes_in - before.bytes_in, ranks * others(space) * 8 * 4096);
    space.preload(&a[3], {rows, kRow}, {rows, 5}, 8, false);
    EXPECT_EQ(space.counts().messages, after.messages) << "what is there is not asked for";
  });
}

} // namespace
} // namespace tasuki::test
