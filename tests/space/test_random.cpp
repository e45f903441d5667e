// Random programs against a plain array: in each phase ranks write bytes that no other rank writes, read others, and
// synchronise. TASUKI_TEST_SEED repeats one, TASUKI_TEST_PHASES makes it longer.
#include <tests/space/spaces.hpp>

#include <algorithm>
#include <cstdlib>

namespace tasuki::test {
namespace {

space::Map random_map(Random& numbers, int ranks, long elements) {
  const long rows = pick(numbers, 2, 40), parts = std::min(rows, pick(numbers, 1, 2L * ranks));
  const long columns = elements / rows, cut = pick(numbers, 0, 3) ? 1 : std::min(columns, 2L);
  const int first = static_cast<int>(pick(numbers, 0, ranks - 1));
  return {{rows, columns}, {parts, cut}, 1, first, static_cast<int>(pick(numbers, 1, ranks - first))};
}

void play(Space& space, std::uint64_t stream, int phases) {
  Random numbers = random(stream); // the same on every rank
  const int ranks = space.world().size(), me = space.world().rank();
  const space::Map map = random_map(numbers, ranks, pick(numbers, 5000, 120000));
  const long bytes = map.elements();
  const auto a = space.array<unsigned char>(map.extents(), map, "a");
  std::vector<unsigned char> plain(static_cast<std::size_t>(bytes), 0);
  Random own = random(stream * 1000 + 77 + static_cast<std::uint64_t>(me));
  const auto piece = [&](Random& from) {
    const long first = pick(from, 0, bytes - 1);
    const long longest = pick(from, 0, 3) ? 200 : 20000;
    return std::pair(first, std::min(bytes, first + pick(from, 1, longest)));
  };
  const auto compare = [&](const std::vector<char>* written) {
    for (int k = 0; k < 6; ++k) {
      const auto [first, end] = piece(own);
      if (pick(own, 0, 3) == 0)
        space.preload(&a[static_cast<std::size_t>(first)], static_cast<std::size_t>(end - first),
                      pick(own, 0, 1) == 0);
      if (pick(own, 0, 7) == 0)
        space.hold(&a[static_cast<std::size_t>(first)], static_cast<std::size_t>(end - first));
      for (long b = first; b < end; ++b) {
        const auto at = static_cast<std::size_t>(b);
        if (written && (*written)[at] && (*written)[at] != me + 1) continue; // another writes it now
        ASSERT_EQ(a[at], plain[at]) << "byte " << b << " of " << bytes;
      }
    }
  };
  for (int phase = 0; phase < phases; ++phase) {
    std::vector<char> writer(static_cast<std::size_t>(bytes), 0); // rank + 1
    for (int k = 0; k < 4 * ranks; ++k) {
      const int rank = k % ranks;
      const auto [first, end] = piece(numbers);
      const long step = pick(numbers, 0, 2) ? 1 : pick(numbers, 2, 5);
      const auto value = static_cast<unsigned char>(pick(numbers, 0, 255));
      for (long b = first; b < end; b += step) {
        const auto at = static_cast<std::size_t>(b);
        if (writer[at] && writer[at] != rank + 1) continue;
        writer[at] = static_cast<char>(rank + 1);
        plain[at] = static_cast<unsigned char>(value + b);
        if (rank == me) a[at] = plain[at];
      }
    }
    compare(&writer);
    if (testing::Test::HasFatalFailure()) break;
    space.sync(pick(numbers, 0, 5) == 0);
    compare(nullptr);
    if (testing::Test::HasFatalFailure()) break;
    space.sync(pick(numbers, 0, 5) == 0);
  }
}

TEST(Random, ProgramsReadWhatAPlainArrayHolds) {
  const char* const longer = std::getenv("TASUKI_TEST_PHASES");
  const int phases = longer ? std::atoi(longer) : 6;
  std::uint64_t stream = 100;
  for (const unsigned long page : {4096ul, 16384ul})
    each_space(
        [&](Space& space, const std::string&) {
          for (int round = 0; round < 2; ++round) play(space, ++stream, phases);
        },
        [&](Settings& s) { s.page = page; });
  // Caches that give pages back all the time.
  each_space([&](Space& space, const std::string&) { play(space, ++stream, phases); },
             [](Settings& s) { s.space_cache = 1; });
}

} // namespace
} // namespace tasuki::test
