// Replicas of a device: what they agree on is told, what they do not is healed, and the right one is retired.
#include <gtest/gtest.h>

#include <remote/client/connection.hpp>
#include <remote/client/lasting_link.hpp>
#include <remote/client/replicas.hpp>

#include <iostream>
#include <random>

#include "memory_house.hpp"

using namespace tasuki::remote;

namespace {

Message answer_of(i32 error = 0) {
  Message message;
  message.head.error = error;
  return message;
}

TEST(Ballot, OfBytesTwoHaveToAgreeAndTheWholeIsTaken) {
  Ballot ballot(Call::CopyOut);
  ballot.add({0, 0, 7, true, answer_of()});
  EXPECT_FALSE(ballot.verdict().right);
  ballot.add({1, 0, 8, false, {}});
  EXPECT_FALSE(ballot.verdict().right);
  ballot.add({2, 0, 8, false, {}});
  ASSERT_TRUE(ballot.verdict().right);
  EXPECT_FALSE(ballot.verdict().right->whole);
  ballot.add({3, 0, 8, true, answer_of()});
  EXPECT_EQ(ballot.verdict().right->voter, 3);
  EXPECT_EQ(ballot.verdict().wrong, std::vector<int>{0});
}

TEST(Ballot, OfWhatMayDifferTheLeastIsPromised) {
  Ballot query(Call::QueryStream);
  query.add({0, 0, 1, true, answer_of()});
  EXPECT_EQ(query.verdict().right->error, 0);
  query.add({1, 600, 2, true, answer_of(600)}); // not ready
  EXPECT_EQ(query.verdict().right->error, 600);
  EXPECT_TRUE(query.verdict().wrong.empty());
  Ballot wait(Call::WaitStream);
  wait.add({0, 0, 1, true, answer_of()});
  wait.add({1, 400, 1, true, answer_of(400)});
  EXPECT_FALSE(wait.verdict().right); // one against one
}

TEST(Ballot, OfNumbersWithinATolerance) {
  const auto of = [](float x, float y) {
    Message message;
    message.body.resize(8);
    std::memcpy(message.body.data(), &x, 4);
    std::memcpy(message.body.data() + 4, &y, 4);
    return message;
  };
  const auto verdict_of = [&](std::optional<Tolerance> tolerance, std::vector<int> order) {
    Ballot ballot(Call::CopyOut, tolerance);
    const Message messages[] = {of(1, 100), of(1.000001f, 100.0001f), of(1, 101)};
    for (const int n : order) ballot.add({n, 0, static_cast<u64>(n), true, messages[n]});
    const Ballot::Verdict verdict = ballot.verdict();
    return std::make_pair(verdict.right ? verdict.right->voter : -1, verdict.wrong);
  };
  const Tolerance near = parse_tolerance("f32:1e-5"), far = parse_tolerance("f32:0.02");
  using Found = std::pair<int, std::vector<int>>;
  EXPECT_EQ(verdict_of({}, {0, 1, 2}), Found(-1, {}));
  for (const auto& order : {std::vector<int>{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}) {
    EXPECT_EQ(verdict_of(near, order), Found(0, {2})); // whoever was first
    EXPECT_EQ(verdict_of(far, order), Found(0, {}));
  }
  EXPECT_EQ(verdict_of(near, {0, 2}), Found(-1, {}));
}

TEST(Ballot, OfOtherModelsTheLeastIsPromised) {
  const auto of = [](u32 threads) {
    answer::Kernel kernel;
    kernel.max_threads = threads;
    Message message;
    encode(kernel, message.body);
    return message;
  };
  for (const bool tolerant : {false, true}) {
    Ballot ballot(Call::FindKernel, tolerant ? std::optional(parse_tolerance("f32:0")) : std::nullopt);
    ballot.add({0, 0, 1, true, of(1024)});
    ballot.add({1, 0, 2, true, of(512)});
    const Ballot::Verdict verdict = ballot.verdict();
    EXPECT_EQ(verdict.right ? verdict.right->voter : -1, tolerant ? 1 : -1);
    EXPECT_TRUE(verdict.wrong.empty());
  }
}

TEST(Replicas, OneCopyTravelsAndTheOthersSendDigests) {
  House house;
  house.open([&] {
    std::vector<Spare> three;
    for (const char* name : {"a:0", "b:0", "c:0"}) three.push_back(house.place(name));
    return three;
  }());
  house.device->post(call::Fill{0, all, 5, 0});
  house.device->post(call::Launch{});
  EXPECT_EQ(house.read(), after(1));
  house.device->post(call::HostCall{0, 77});
  EXPECT_EQ(house.said().substr(0, 40), "tasuki: replicas agreed on 1 copies, and");
  EXPECT_EQ(house.reached, std::vector<u64>{77}); // once, of three
  EXPECT_EQ(house.workers[0]->copies + house.workers[1]->copies + house.workers[2]->copies, 1);
  EXPECT_EQ(house.workers[1]->digests + house.workers[2]->digests, 2);
}

TEST(Replicas, TheLeastFreeMemoryIsThatOfTheDevice) {
  House house;
  std::vector<Spare> two;
  two.push_back(house.place("a:0"));
  two.push_back(house.place("b:0", {MemoryWorker::never, MemoryWorker::never, 0, 4711}));
  house.open(std::move(two));
  EXPECT_EQ(house.device->ask<answer::Memory>(call::MemoryInfo{}).free, 4711u);
}

// Bits that have turned over are found by the next copy, and the one that has them goes: whichever it is, and whoever can be asked.
TEST(Replicas, AWrongOneIsFoundHealedAndRetired) {
  for (const bool spare : {true, false})
    for (const std::size_t wrong : {0u, 1u}) {
      House house;
      std::vector<Spare> two;
      two.push_back(house.place("a:0", {}, true));
      two.push_back(house.place("b:0", {}, true));
      if (spare) house.spares->add(house.place("c:0"));
      house.open(std::move(two));
      house.device->post(call::Fill{0, all, 5, 0});
      house.device->post(call::Launch{});
      EXPECT_EQ(house.read(), after(1));
      house.workers[wrong]->flip(300);
      house.workers[wrong]->flip(301);
      EXPECT_EQ(house.read(100, 200), std::vector<unsigned char>(200, after(1)[0])); // not where they lie
      EXPECT_EQ(house.read(), after(1));
      house.device->post(call::Launch{});
      EXPECT_EQ(house.read(), after(2));
      const std::string said = house.said(), name = wrong ? "b:0" : "a:0";
      EXPECT_NE(said.find("agreed on 3 copies, and did not at first on 1\n"), std::string::npos) << said;
      EXPECT_NE(said.find("(4096 bytes from 0x0) gave 2 other bytes at " + name + " than at "),
                std::string::npos)
          << said;
      EXPECT_EQ(house.lost, "");
    }
}

// A small difference is none, wherever it lies; a large one is found as ever, and healed.
TEST(Replicas, NumbersMayDifferWithinATolerance) {
  for (const std::size_t wrong : {0u, 1u}) {
    House house;
    std::vector<Spare> two;
    two.push_back(house.place("a:0", {}, true));
    two.push_back(house.place("b:0", {}, true));
    house.open(std::move(two), false, {}, parse_tolerance("f32:1e-5"));
    house.device->post(call::Fill{0, all, 5, 0});
    house.device->post(call::Launch{});
    auto expected = after(1);
    EXPECT_EQ(house.read(), expected);
    house.workers[wrong]->flip(300);    // the lowest bits of a number
    if (wrong == 0) expected[300] ^= 4; // the first one's bytes are the program's
    EXPECT_EQ(house.read(), expected);
    EXPECT_EQ(house.workers[0]->digests + house.workers[1]->digests, 0);
    EXPECT_NE(house.said().find("agreed on 2 copies, and did not at first on 0\n"), std::string::npos);
    house.workers[wrong]->flip(403); // its exponent
    EXPECT_EQ(house.read(400, 8), std::vector<unsigned char>(8, after(1)[0]));
    const std::string said = house.said(), name = wrong ? "b:0" : "a:0";
    EXPECT_NE(said.find("gave 1 number further off at " + name + " than at "), std::string::npos) << said;
    EXPECT_EQ(house.lost, "");
  }
}

TEST(Replicas, OfThreeTwoDecide) {
  House house;
  std::vector<Spare> three;
  for (const char* name : {"a:0", "b:0", "c:0"}) three.push_back(house.place(name));
  house.open(std::move(three));
  house.device->post(call::Fill{0, all, 5, 0});
  EXPECT_EQ(house.read(), after(0));
  house.workers[0]->flip(9); // the one that sends the bytes
  EXPECT_EQ(house.read(), after(0));
  house.device->post(call::Launch{}); // nobody can come in: two are left
  EXPECT_EQ(house.read(), after(1));
  house.workers[1]->flip(9); // one against one
  EXPECT_THROW(house.read(), Failure);
  EXPECT_NE(house.end_of_lost().find("and no spare is left"), std::string::npos) << house.lost;
}

TEST(Replicas, SparesOfAReplicasHostStandBackUnlessTheyMay) {
  for (const bool may : {false, true}) {
    House house;
    std::vector<Spare> two;
    two.push_back(house.place("a:0"));
    two.push_back(house.place("b:0"));
    house.spares->add(house.place("b:1"));
    house.open(std::move(two), may);
    house.device->post(call::Fill{0, all, 5, 0});
    EXPECT_EQ(house.read(), after(0));
    house.workers[0]->end();
    if (may) {
      EXPECT_EQ(house.read(), after(0));
    } else {
      EXPECT_THROW(house.read(), Failure);
    }
  }
}

TEST(Replicas, AFaultOfOneIsThatGpusAndOfAllTheProgramsOwn) {
  for (const bool of_all : {false, true}) {
    House house;
    std::vector<Spare> two;
    two.push_back(house.place("a:0", {MemoryWorker::never, 3}));
    two.push_back(house.place("b:0", {MemoryWorker::never, of_all ? 3 : MemoryWorker::never}));
    house.spares->add(house.place("c:0"));
    house.open(std::move(two));
    house.device->post(call::Fill{0, all, 5, 0});
    house.device->post(call::Launch{});
    house.device->post(call::Launch{}); // of number 3
    if (of_all) {
      EXPECT_THROW(house.read(), Failure);
      EXPECT_EQ(house.trouble, static_cast<int>(Status::launch_failure));
      EXPECT_TRUE(house.spares->take()); // it is not used up
    } else {
      EXPECT_EQ(house.read(), after(2));
      EXPECT_EQ(house.trouble, 0);
    }
    EXPECT_EQ(house.lost, "");
  }
}

TEST(Replicas, ProgramsThatComeToOtherBytesEachTimeAreTold) {
  House house;
  std::vector<Spare> two;
  for (int n = 0; n < 2; ++n)
    two.push_back(house.place(std::string(1, static_cast<char>('a' + n)) + ":0",
                              {MemoryWorker::never, MemoryWorker::never, n}));
  for (int n = 2; n < 8; ++n)
    house.spares->add(
        house.place("s" + std::to_string(n) + ":0", {MemoryWorker::never, MemoryWorker::never, n}));
  house.open(std::move(two));
  house.device->post(call::Fill{0, all, 5, 0});
  house.device->post(call::Launch{});
  EXPECT_THROW(house.read(), Failure);
  EXPECT_NE(house.end_of_lost().find("other bytes each time"), std::string::npos) << house.lost;
}

// Who comes in has not made the calls before the image. Counts of functions begin anew there.
TEST(Images, ReplicasAndSparesBeginWithThem) {
  for (const bool replicas : {false, true}) {
    House house;
    if (replicas) {
      std::vector<Spare> two;
      two.push_back(house.place("a:0"));
      two.push_back(house.place("b:0"));
      house.spares->add(house.place("c:0"));
      house.open(std::move(two), false, often);
    } else {
      Spare one = house.place("a:0");
      house.place("b:0"); // nobody's
      house.spares->add(house.place("c:0"));
      house.open(std::move(one), often);
    }
    house.device->post(call::Map{0, all});
    house.device->post(call::Fill{0, all, 5, 0});
    house.device->post(call::HostCall{0, 7});
    house.device->post(call::Release{7});
    for (int n = 0; n < 500; ++n) house.device->post(call::Launch{});
    house.device->ask<answer::Done>(call::WaitDevice{});
    const int before = house.workers[0]->copies; // of images in the midst of the launches
    house.wait_for_image(0, before);
    house.device->post(call::Launch{});
    house.device->post(call::HostCall{0, 7});
    house.device->post(call::Release{7});
    house.workers[0]->end();
    EXPECT_EQ(house.read(), after(501));
    EXPECT_LE(house.workers[2]->launches, 1) << "it played the log from its beginning";
    EXPECT_EQ(house.lost, "");
    house.said();
    EXPECT_EQ(house.reached, (std::vector<u64>{7, 7}));
  }
}

// A wrong number is in no image that a spare would begin with, though memory may differ within the tolerance.
TEST(Images, AreOfMemoryThatAgreesWithinATolerance) {
  for (const bool wrong : {false, true}) {
    House house;
    Imaging::Rule rule = often;
    rule.tolerance = parse_tolerance("f32:1e-5");
    std::vector<Spare> two;
    two.push_back(house.place("a:0"));
    two.push_back(house.place("b:0"));
    house.spares->add(house.place("c:0"));
    house.open(std::move(two), false, rule, rule.tolerance);
    // An image begins, of what was posted before this, and is taken or not.
    const auto wait_for_image = [&] {
      house.device->ask<answer::Done>(call::WaitDevice{}); // those under way have ended
      const int before = house.workers[1]->copies;
      house.device->post(call::Fill{0, 0, 0, 0}); // there is something new, so one is tried
      house.device->flush();
      for (int n = 0; n < 20000 && house.workers[1]->copies == before; ++n)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      house.device->ask<answer::Done>(call::WaitDevice{});
    };
    house.device->post(call::Map{0, all});
    house.device->post(call::Fill{0, all, 5, 0});
    house.device->post(call::Launch{});
    EXPECT_EQ(house.read(), after(1));
    wait_for_image();
    house.workers[0]->flip(wrong ? 303 : 300);
    house.device->post(call::Launch{});
    wait_for_image();
    if (!wrong) house.workers[0]->end();
    EXPECT_EQ(house.read(304, 8), std::vector<unsigned char>(8, after(2)[0]));
    EXPECT_EQ(house.read(300, 4)[3], after(2)[0]);
    house.said();
    EXPECT_EQ(house.workers[2]->launches, wrong ? 1 : 0) << "where it begins";
    EXPECT_EQ(house.lost, "");
  }
}

TEST(Moves, ADeviceGoesToAnotherWorkerAndFunctionsRunOnce) {
  House house;
  auto link = std::make_unique<LastingLink>(0, house.place("a:0"), house.spares, 1 << 20);
  LastingLink* device = link.get();
  house.device = std::make_unique<Connection>(std::move(link), house.handlers());
  house.device->post(call::Fill{0, all, 5, 0});
  for (u64 n = 1; n <= 100; ++n) {
    house.device->post(call::Launch{});
    house.device->post(call::HostCall{0, n});
    house.device->post(call::Release{n});
  }
  EXPECT_EQ(device->move(house.place("b:0")), "");
  house.workers[0]->end();
  house.device->post(call::Launch{});
  EXPECT_EQ(house.read(), after(101));
  EXPECT_EQ(house.workers[1]->launches, 101);
  EXPECT_EQ(house.reached.size(), 100u);
  EXPECT_NE(device->move(house.place("c:0", {MemoryWorker::never, 50})), ""); // it comes to a fault there
  EXPECT_EQ(house.read(), after(101));
  EXPECT_EQ(house.lost, "");
}

// The log goes there in one piece: nobody waits at the client for what the program has waited for.
TEST(Moves, WhereTheProgramHasWaitedTheOtherWorkerPauses) {
  House house;
  auto link = std::make_unique<LastingLink>(0, house.place("a:0"), house.spares, 1 << 20);
  LastingLink* device = link.get();
  house.device = std::make_unique<Connection>(std::move(link), house.handlers());
  house.device->post(call::Fill{0, all, 5, 0});
  for (int n = 0; n < 100; ++n) {
    house.device->post(call::Launch{});
    house.device->ask<answer::Done>(call::WaitDevice{});
  }
  EXPECT_EQ(device->move(house.place("b:0")), "");
  house.workers[0]->end();
  EXPECT_EQ(house.read(), after(100));
  EXPECT_EQ(house.workers[1]->launches, 100);
  EXPECT_EQ(house.workers[1]->pauses, 100);
  EXPECT_EQ(house.lost, "");
}

// Workers end and bytes change at random calls of a random program; what it reads is what a memory of its own has.
TEST(Replicas, SurviveWhatHappensAtRandom) {
  const char* given = std::getenv("TASUKI_TEST_SEED");
  const unsigned seed = given ? static_cast<unsigned>(std::atoi(given)) : std::random_device()();
  std::cout << "seed " << seed << std::endl;
  std::mt19937 dice(seed);
  const auto below = [&](int n) { return static_cast<int>(dice() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 40; ++round) {
    House house;
    const int count = 2 + below(2);
    const auto ends = [&] { return below(3) ? MemoryWorker::never : static_cast<u64>(1 + below(80)); };
    std::vector<Spare> replicas;
    for (int n = 0; n < count; ++n)
      replicas.push_back(house.place(std::string(1, static_cast<char>('a' + n)) + ":0", {ends()}, true));
    for (int n = below(3); n > 0; --n)
      house.spares->add(house.place("s" + std::to_string(n) + ":0", {ends()}));
    house.open(std::move(replicas), false, round % 2 ? often : Imaging::Rule{});
    house.device->post(call::Map{0, all});
    std::vector<unsigned char> model(all);
    const int flip = below(80);
    for (int call = 0; call < 80; ++call) {
      const u64 at = static_cast<u64>(below(4000)), bytes = 1 + static_cast<u64>(below(90));
      const unsigned char value = static_cast<unsigned char>(below(256));
      switch (below(4)) {
        case 0:
          house.device->post(call::Fill{at, bytes, value, 0});
          std::fill_n(model.begin() + static_cast<long>(at), bytes, value);
          break;
        case 1: {
          std::vector<unsigned char> in(bytes, value);
          house.device->post(call::CopyIn{at, 0}, {in.data(), in.size()});
          std::copy(in.begin(), in.end(), model.begin() + static_cast<long>(at));
          break;
        }
        case 2:
          house.device->post(call::Launch{});
          for (unsigned char& byte : model) byte = static_cast<unsigned char>(byte * 3 + 1);
          break;
        default:
          if (call % 8 == 0) house.device->ask<answer::Done>(call::WaitDevice{});
          ASSERT_EQ(house.read(at, bytes),
                    std::vector<unsigned char>(model.begin() + static_cast<long>(at),
                                               model.begin() + static_cast<long>(at + bytes)))
              << "round " << round << ", call " << call;
      }
      if (call == flip) house.workers[static_cast<std::size_t>(below(count))]->flip(at);
    }
    ASSERT_EQ(house.read(), model) << "round " << round;
    ASSERT_EQ(house.lost, "");
  }
}

} // namespace
