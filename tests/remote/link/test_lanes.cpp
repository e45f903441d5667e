// A link of several connections is one stream, and is lost where one of them is.
#include <remote/link/lanes.hpp>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "ends.hpp"

namespace tasuki::remote {
namespace {

struct Laned {
  Ends ends;
  std::vector<Link*> clients, workers; // their lanes, the first in front
};

Laned laned_of(std::size_t lanes, const std::string& kind) {
  Laned made;
  std::vector<std::unique_ptr<Link>> clients, workers;
  for (std::size_t n = 0; n < lanes; ++n) {
    Ends lane = ends_of(kind);
    made.clients.push_back(lane.client.get());
    made.workers.push_back(lane.worker.get());
    if (n == 0) {
      made.ends = std::move(lane);
    } else {
      clients.push_back(std::move(lane.client));
      workers.push_back(std::move(lane.worker));
    }
  }
  made.ends = {laned(std::move(made.ends.client), std::move(clients)),
               laned(std::move(made.ends.worker), std::move(workers))};
  return made;
}

std::vector<unsigned> numbers(std::size_t bytes) {
  std::vector<unsigned> all(bytes / sizeof(unsigned));
  std::iota(all.begin(), all.end(), 1u);
  return all;
}

TEST(Lanes, SplitLargePiecesAmongSmallOnes) {
  for (const std::size_t lanes : {2, 3, 5, 16}) {
    for (const std::size_t size : {kSplit - 4, kSplit, kSplit + 4, std::size_t(4) << 20}) {
      Laned made = laned_of(lanes, "socket");
      const std::vector<unsigned> large = numbers(size);
      const unsigned before = 7, behind = 9;
      std::thread writer([&] {
        const Piece pieces[] = {bytes_of(before), {large.data(), size}, {nullptr, 0}, bytes_of(behind)};
        made.ends.worker->write(pieces, 4);
      });
      std::vector<unsigned> got(large.size() + 2);
      made.ends.client->read(got.data(), 4 * got.size(), 4 * got.size());
      writer.join();
      EXPECT_EQ(got.front(), before);
      EXPECT_EQ(got.back(), behind);
      EXPECT_TRUE(std::equal(large.begin(), large.end(), got.begin() + 1))
          << lanes << " lanes, " << size << " bytes";
    }
  }
}

// The bytes are really on the lanes: what is written when nobody reads shows there.
TEST(Lanes, CarryEqualShares) {
  Laned made = laned_of(4, "socket");
  const std::size_t size = 4 * kSplit;
  const std::vector<unsigned> large = numbers(size);
  std::thread writer([&] { made.ends.client->write({large.data(), size}); });
  std::vector<unsigned> share(kSplit / 4);
  for (std::size_t lane = 1; lane < 4; ++lane) {
    made.workers[lane]->read(share.data(), kSplit, kSplit);
    EXPECT_EQ(share.front(), 1 + lane * share.size());
    EXPECT_EQ(share.back(), (1 + lane) * share.size());
  }
  made.workers[0]->read(share.data(), 8, 8); // the head
  made.workers[0]->read(share.data(), kSplit, kSplit);
  EXPECT_EQ(share.back(), share.size());
  writer.join();
}

// Whichever lane ends, and at whichever moment: whoever reads or writes at either end hears it, and nothing hangs.
TEST(Lanes, EndTogether) {
  const char* text = std::getenv("TASUKI_TEST_SEED");
  const unsigned seed =
      text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : std::random_device()();
  std::cout << "seed " << seed << "\n";
  std::mt19937 dice(seed);
  for (int round = 0; round < 12; ++round) {
    Laned made = laned_of(4, round % 2 ? "tls" : "socket");
    const std::vector<unsigned> large = numbers(4 << 20);
    const std::size_t lane = dice() % 4, turns = dice() % 6;
    std::atomic<std::size_t> rounds{0};
    const auto writes = [&](Link& link) {
      return said([&] {
        for (;;) link.write({large.data(), 4 * large.size()});
      });
    };
    std::atomic<std::size_t> wrong{0};
    const auto reads = [&](Link& link) {
      std::vector<unsigned> got(large.size());
      return said([&] {
        for (;; ++rounds) {
          link.read(got.data(), 4 * got.size(), 4 * got.size());
          wrong += got != large;
        }
      });
    };
    Link &client = *made.ends.client, &worker = *made.ends.worker;
    std::future<std::string> all[] = {std::async(std::launch::async, [&] { return writes(client); }),
                                      std::async(std::launch::async, [&] { return reads(client); }),
                                      std::async(std::launch::async, [&] { return writes(worker); }),
                                      std::async(std::launch::async, [&] { return reads(worker); })};
    while (rounds < turns) std::this_thread::yield();
    (dice() % 2 ? made.clients : made.workers)[lane]->shut();
    for (auto& one : all) EXPECT_NE(one.get().find(" is gone ("), std::string::npos);
    EXPECT_EQ(wrong, 0u);
  }
}

} // namespace
} // namespace tasuki::remote
