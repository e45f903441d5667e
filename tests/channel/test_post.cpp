// Questions to ranks that are in the middle of something else, from several threads at once.
#include <tasuki/base/mpi_info.hpp>
#include <tasuki/channel/post.hpp>
#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tasuki {
namespace {

using test::pick;
using test::Random;
using test::world;

constexpr std::size_t kMost = 3000; // bytes of a question

// The asked rank's number, and the question backwards as often as its first byte says.
std::vector<char> answer_of(int rank, const std::vector<char>& question) {
  std::vector<char> reply{static_cast<char>(rank)};
  for (int times = question.empty() ? 0 : question.front(); times > 0; --times)
    reply.insert(reply.end(), question.rbegin(), question.rend());
  return reply;
}

std::unique_ptr<Post> answering() {
  return std::make_unique<Post>(Ranks(world()), kMost, [](const char* question, std::size_t bytes) {
    return Post::Reply(answer_of(world().rank(), {question, question + bytes}));
  });
}

std::vector<char> question_of(Random& random) {
  std::vector<char> question(static_cast<std::size_t>(pick(random, 0, pick(random, 0, kMost))));
  for (char& byte : question) byte = static_cast<char>(pick(random, 0, 127));
  if (!question.empty()) question.front() = static_cast<char>(pick(random, 0, 3));
  return question;
}

#define NEEDS_THREADS() \
  if (!mpi_serves_threads(world())) GTEST_SKIP() << "MPI serves a single thread of each rank"

void await(Post::Letter& letter) {
  world().wait_until([&] { return letter.answered(); }, "an answer");
}

TEST(Post, BringsEachAnswerToWhoAsked) {
  NEEDS_THREADS();
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  auto post = answering();
  std::vector<std::thread> threads;
  std::vector<int> wrong(3, 0);
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      Random random = test::random(static_cast<std::uint64_t>(100 * world().rank() + t));
      for (int round = 0; round < 20; ++round) {
        // Several are under way at once, and are waited for in another order than they were asked in.
        std::vector<std::pair<std::vector<char>, std::shared_ptr<Post::Letter>>> letters;
        for (int place = 0; place < world().size(); ++place) {
          const auto question = question_of(random);
          letters.emplace_back(answer_of(place, question), post->ask(place, question,
                                                                     answer_of(place, question).size() +
                                                                         5 * static_cast<std::size_t>(t)));
        }
        std::shuffle(letters.begin(), letters.end(), random);
        for (auto& [expected, letter] : letters) {
          while (!letter->answered()) std::this_thread::yield();
          wrong[static_cast<std::size_t>(t)] += letter->bytes() != expected.size();
          wrong[static_cast<std::size_t>(t)] += letter->take() != expected;
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(3, 0));
}

TEST(Post, StoresAnAnswerWhereItIsWanted) {
  NEEDS_THREADS();
  auto post = answering();
  const int place = (world().rank() + 1) % world().size();
  std::vector<char> memory(9, 'x');
  const auto letter = post->ask(place, {2, 'a', 'b'}, &memory[1], 7);
  await(*letter);
  const std::vector<char> expected{'x', static_cast<char>(place), 'b', 'a', 2, 'b', 'a', 2, 'x'};
  EXPECT_EQ(memory, expected);
  EXPECT_EQ(letter->bytes(), 7u);
  EXPECT_EQ(letter->take_question(), (std::vector<char>{2, 'a', 'b'})); // to ask the next in
}

TEST(Post, SendsWhatOthersKeepWithoutACopy) {
  NEEDS_THREADS();
  const std::vector<char> kept{'k', 'e', 'p', 't', static_cast<char>('0' + world().rank())};
  auto post = std::make_unique<Post>(
      Ranks(world()), kMost, [&](const char*, std::size_t) { return Post::Reply(kept.data(), kept.size()); });
  for (int place = 0; place < world().size(); ++place) {
    const auto letter = post->ask(place, {}, 5);
    await(*letter);
    EXPECT_EQ(letter->take(), (std::vector<char>{'k', 'e', 'p', 't', static_cast<char>('0' + place)}));
  }
  post.reset(); // collective: no rank frees what others are still sent
}

TEST(Post, RefusesAQuestionThatIsTooLong) {
  NEEDS_THREADS();
  auto post = answering();
  EXPECT_EQ(test::refusal([&] { (void)post->ask(0, std::vector<char>(kMost + 1), 1); }),
            "a question of 3001 bytes, where 3000 are the most; ask in pieces");
  const auto letter = post->ask(0, std::vector<char>(kMost), 1); // the longest is answered
  await(*letter);
  EXPECT_EQ(letter->take(), std::vector<char>{0});
}

} // namespace
} // namespace tasuki
