// What every kind of link promises.
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>
#include <vector>

#include "ends.hpp"

namespace tasuki::remote {
namespace {

unsigned test_seed() {
  const char* text = std::getenv("TASUKI_TEST_SEED");
  const unsigned seed =
      text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : std::random_device()();
  std::cout << "seed " << seed << "\n";
  return seed;
}

class LinkOf : public testing::TestWithParam<const char*> {};
std::vector<const char*> kinds() {
  std::vector<const char*> all{"socket", "shared", "tls", "lanes"};
  if (has_ucx()) all.push_back("ucx");
  return all;
}
INSTANTIATE_TEST_SUITE_P(Kinds, LinkOf, testing::ValuesIn(kinds()));

// A stream of random pieces arrives as it was, whatever it is read by, while the other direction is as busy.
TEST_P(LinkOf, KeepsBytesInOrderBothWays) {
  const unsigned seed = test_seed();
  Ends ends = ends_of(GetParam());
  constexpr std::size_t kBytes = 12 << 20; // rings go round several times
  const auto writes = [&](Link& link, unsigned of) {
    std::mt19937 random(of);
    std::minstd_rand bytes(of + 1);
    std::size_t left = kBytes;
    while (left > 0) {
      std::vector<std::vector<unsigned char>> parts;
      std::vector<Piece> pieces;
      for (unsigned count = 1 + random() % 100; count > 0 && left > 0; --count) {
        const std::size_t most = random() % 50 == 0 ? 3 << 20 : 3000;
        parts.emplace_back(std::min<std::size_t>(left, random() % most));
        for (unsigned char& byte : parts.back()) byte = static_cast<unsigned char>(bytes());
        left -= parts.back().size();
      }
      for (const auto& part : parts) pieces.push_back({part.data(), part.size()});
      link.write(pieces.data(), pieces.size());
    }
  };
  const auto reads = [&](Link& link, unsigned of) {
    std::mt19937 random(of + 2);
    std::minstd_rand bytes(of + 1);
    std::vector<unsigned char> got(4 << 20);
    std::size_t left = kBytes, wrong = 0;
    while (left > 0) {
      const std::size_t most = std::min<std::size_t>(left, 1 + random() % got.size());
      const std::size_t least = random() % 3 == 0 ? most : random() % 2;
      const std::size_t now = link.read(got.data(), least, most);
      if (now < least || now > most) return left;
      for (std::size_t i = 0; i < now; ++i) wrong += got[i] != static_cast<unsigned char>(bytes());
      left -= now;
    }
    return wrong;
  };
  std::thread up([&] { writes(*ends.client, seed); }), down([&] { writes(*ends.worker, seed + 9); });
  auto came_up = std::async(std::launch::async, [&] { return reads(*ends.worker, seed); });
  EXPECT_EQ(reads(*ends.client, seed + 9), 0u);
  EXPECT_EQ(came_up.get(), 0u);
  up.join();
  down.join();
}

TEST_P(LinkOf, AnswersManySmallMessages) {
  Ends ends = ends_of(GetParam());
  std::thread worker([&] {
    for (int i = 0; i < 2000; ++i) {
      int number = 0;
      ends.worker->read(&number, sizeof number, sizeof number);
      ends.worker->write(bytes_of(number));
    }
  });
  for (int i = 0; i < 2000; ++i) {
    int answer = -1;
    ends.client->write(bytes_of(i));
    ends.client->read(&answer, sizeof answer, sizeof answer);
    ASSERT_EQ(answer, i);
  }
  worker.join();
}

TEST_P(LinkOf, TakesWhatIsThereAndWaitsForNothing) {
  Ends ends = ends_of(GetParam());
  char letters[8] = {};
  EXPECT_EQ(ends.client->read(letters, 0, 8), 0u);
  ends.worker->write({"abc", 3});
  EXPECT_EQ(ends.client->read(letters, 3, 8), 3u);
  EXPECT_STREQ(letters, "abc");
}

// What was written before the end is read; behind it stands an error that names the peer.
TEST_P(LinkOf, SaysThatThePeerIsGone) {
  Ends ends = ends_of(GetParam());
  ends.worker->write({"last", 4});
  ends.worker.reset();
  char letters[5] = {};
  ends.client->read(letters, 4, 4);
  EXPECT_STREQ(letters, "last");
  const std::string line = said([&] { ends.client->read(letters, 1, 1); });
  EXPECT_NE(line.find("the connection to worker is gone"), std::string::npos) << line;
  EXPECT_THROW(for (int i = 0; i < 100000; ++i) ends.client->write({letters, 4}), LinkLost); // and no SIGPIPE
}

TEST_P(LinkOf, ShutEndsThoseWhoWait) {
  Ends ends = ends_of(GetParam());
  auto here = std::async(std::launch::async, [&] {
    char letter;
    return said([&] { ends.client->read(&letter, 1, 1); });
  });
  auto there = std::async(std::launch::async, [&] {
    char letter;
    return said([&] { ends.worker->read(&letter, 1, 1); });
  });
  auto writes = std::async(std::launch::async, [&] {
    const std::vector<char> bytes(1 << 20);
    return said([&] {
      for (;;) ends.worker->write({bytes.data(), bytes.size()});
    });
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ends.client->shut_for("worker has been silent");
  EXPECT_NE(there.get().find("the connection to client is gone"), std::string::npos);
  EXPECT_NE(writes.get().find("the connection to client is gone"), std::string::npos);
  here.get(); // it may have had a byte of the writer's
  char letter;
  std::vector<char> rest(8 << 20);
  const std::string line = said([&] {
    for (;;) ends.client->read(rest.data(), 1, rest.size());
  });
  EXPECT_EQ(line.rfind("worker has been silent; ", 0), 0u) << line;
  EXPECT_THROW(ends.client->read(&letter, 1, 1), LinkLost);
}

TEST_P(LinkOf, HasPatience) {
  Ends ends = ends_of(GetParam());
  ends.client->set_patience(std::chrono::milliseconds(60));
  char letter;
  const std::string line = said([&] { ends.client->read(&letter, 1, 1); });
  EXPECT_NE(line.find("no answer in time"), std::string::npos) << line;
}

TEST_P(LinkOf, PassesFilesWhereItCan) {
  Ends ends = ends_of(GetParam());
  if (!ends.client->passes_files()) {
    EXPECT_NE(said([&] { ends.client->take_file(); }).find("takes no files"), std::string::npos);
    return;
  }
  int both[2];
  ASSERT_EQ(pipe(both), 0);
  ends.client->pass_file(both[1]);
  const Descriptor file(ends.worker->take_file()), in(both[0]), out(both[1]);
  ASSERT_EQ(::write(file.number(), "x", 1), 1);
  char letter = 0;
  EXPECT_EQ(::read(in.number(), &letter, 1), 1);
  EXPECT_EQ(letter, 'x');
}

} // namespace
} // namespace tasuki::remote
