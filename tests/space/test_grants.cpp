// A thread that waits for a lock is told when it is its turn, and asks nobody meanwhile.
#include <tasuki/space/grants.hpp>

#include <tasuki/base/reduce.hpp>
#include <tests/space/spaces.hpp>

#include <atomic>
#include <chrono>
#include <thread>

namespace tasuki::test {
namespace {

using std::chrono::milliseconds;

TEST(Grants, AreForOneTicketAndForOnce) {
  space::Grants grants;
  EXPECT_FALSE(grants.wait(1, milliseconds(0)));
  grants.give(2);
  EXPECT_FALSE(grants.wait(1, milliseconds(0)));
  EXPECT_TRUE(grants.wait(2, milliseconds(0))) << "given before it is waited for";
  EXPECT_FALSE(grants.wait(2, milliseconds(0)));
  std::atomic<bool> goes_on{false};
  std::thread other([&] {
    while (!grants.wait(3, milliseconds(5000))) {}
    goes_on = true;
  });
  grants.give(4);
  EXPECT_FALSE(goes_on);
  grants.give(3);
  other.join();
  EXPECT_TRUE(grants.wait(4, milliseconds(0)));
}

// However long a lock is another's: a question of who wants it, the keeper's word, and a question more.
TEST(Locking, AsksNobodyWhileALockIsAnothers) {
  each_space([](Space& space, const std::string&) {
    World& on = space.world();
    const auto ranks = static_cast<std::uint64_t>(on.size());
    const auto node = static_cast<std::uint64_t>(on.node_size());
    const std::uint64_t before = space.counts().messages;
    if (on.rank() == 0) space.lock(9);
    barrier(on, "rank 0 to have the lock");
    if (on.rank() == 0) std::this_thread::sleep_for(milliseconds(30)); // the others have long asked for it
    if (on.rank() != 0) space.lock(9);
    space.unlock(9);
    barrier(on, "all ranks to have had the lock");
    const std::uint64_t asked = space.counts().messages - before;
    // Two questions, a grant and a word of release a rank; who lets it go asks the others of its node what they wrote.
    EXPECT_LE(asked, 4 * (ranks - 1) + ranks * (node - 1));
  });
}

// Threads of one rank wait for each other likewise.
TEST(Locking, GoesFromThreadToThread) {
  each_space([](Space& space, const std::string&) {
    const auto sum = space.array<long>({8}, space::Map({8}, {1}, 8, 0, 1), "sum");
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] {
        for (int k = 0; k < 5; ++k) {
          space.lock(2);
          ++sum[0];
          space.unlock(2);
        }
      });
    for (std::thread& thread : threads) thread.join();
    space.sync();
    EXPECT_EQ(sum[0], 15L * space.world().size());
    space.sync();
  });
}

} // namespace
} // namespace tasuki::test
