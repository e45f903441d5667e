// A device moves while the program goes on: the new worker has played the log. Of replicas it is compared with the others from
// then on, and the old one ends.
#include <gtest/gtest.h>

#include <remote/client/connection.hpp>
#include <remote/client/lasting_link.hpp>
#include <remote/client/replicas.hpp>

#include <future>

#include "memory_worker.hpp"

using namespace tasuki::remote;

namespace {

constexpr u64 all = MemoryWorker::bytes;

// A device of two replicas, a:0 and b:0.
struct Two {
  explicit Two(bool same_host = false) {
    std::vector<Spare> replicas;
    for (const char* name : {"a:0", "b:0"}) replicas.push_back(place(name));
    auto made = std::make_unique<ReplicaLink>(0, std::move(replicas), std::make_shared<Spares>(),
                                              Replication{1 << 20, same_host}, agreement, standing);
    link = made.get();
    Connection::Handlers handlers;
    handlers.reached = [](u64) {};
    handlers.trouble = [](Status, bool, const std::string&) {};
    handlers.printed = [](View) {};
    handlers.lost = [this](const std::string& why) { lost = why; };
    device = std::make_unique<Connection>(std::move(made), handlers);
    device->post(call::Fill{0, all, 5, 0});
    value = 5;
  }
  Spare place(const std::string& name, const MemoryWorker::Trial& trial = {}) {
    workers.push_back(std::make_unique<MemoryWorker>(trial));
    return {name, name.substr(0, name.find(':')), {}, workers.back()->visit()};
  }
  // The next step of the program: a launch, and its bytes.
  void step() {
    device->post(call::Launch{});
    value = static_cast<unsigned char>(value * 3 + 1);
    std::vector<unsigned char> got;
    device->ask<answer::Bytes>(call::CopyOut{0, all, 0}, {}, &got);
    EXPECT_EQ(got, std::vector<unsigned char>(all, value));
  }
  int launches(std::size_t worker) const { return workers[worker]->launches; }

  std::vector<std::unique_ptr<MemoryWorker>> workers;
  Agreement agreement;
  std::shared_ptr<Standing> standing = std::make_shared<Standing>();
  ReplicaLink* link = nullptr;
  std::string lost;
  unsigned char value = 0;
  std::unique_ptr<Connection> device; // ends first
};

TEST(ReplicaMoves, GoOnWithTheSameBytesAndTheOldOneEnds) {
  for (const std::size_t goes : {0u, 1u}) {
    Two two;
    for (int n = 0; n < 3; ++n) two.step();
    EXPECT_EQ(two.link->move(two.place("c:1"), goes ? "b:0" : ""), "");
    EXPECT_EQ(two.link->peer(), goes ? "a:0+c:1" : "b:0+c:1");
    EXPECT_EQ(two.launches(2), 3); // the log
    for (int n = 0; n < 2; ++n) two.step();
    EXPECT_EQ(two.launches(goes), 3);
    EXPECT_EQ(two.launches(1 - goes), 5);
    EXPECT_EQ(two.launches(2), 5);
    const Report report = two.standing->report();
    EXPECT_EQ(report.replicas, 2u);
    EXPECT_EQ(report.agreed, 5u);
    EXPECT_EQ(report.differed + report.faults, 0u); // nothing was lost
    EXPECT_GT(report.log, 0u);
    EXPECT_NE(report.log, Report::none);
    EXPECT_EQ(two.lost, "");
  }
}

TEST(ReplicaMoves, AreComparedWithTheOthersFromThenOn) {
  Two two;
  two.step();
  ASSERT_EQ(two.link->move(two.place("c:1"), "a:0"), "");
  two.workers[2]->flip(17);
  two.device->post(call::Launch{});
  std::vector<unsigned char> got;
  // One against one, and nobody is left who could decide.
  EXPECT_THROW(two.device->ask<answer::Bytes>(call::CopyOut{0, all, 0}, {}, &got), Failure);
  two.device.reset(); // what it says has been said
  EXPECT_NE(two.lost.find("no spare is left"), std::string::npos) << two.lost;
}

TEST(ReplicaMoves, AreRefusedOntoTheHostOfAnother) {
  Two two;
  two.step();
  EXPECT_NE(two.link->move(two.place("b:1"), "a:0").find("--same-host"), std::string::npos);
  EXPECT_EQ(two.link->move(two.place("c:1"), "d:0"), "none of its replicas is at d:0");
  two.step();
  EXPECT_EQ(two.link->peer(), "a:0+b:0");
  EXPECT_EQ(two.link->move(two.place("b:1"), ""), ""); // the one that is there goes
  EXPECT_EQ(two.link->peer(), "a:0+b:1");
  two.step();
  Two beside(true);
  EXPECT_EQ(beside.link->move(beside.place("b:1"), "a:0"), "");
  beside.step();
}

TEST(ReplicaMoves, ToAWorkerThatIsLostLeaveAllAsItWas) {
  Two two;
  for (int n = 0; n < 4; ++n) two.step();
  MemoryWorker::Trial trial;
  trial.ends = 4; // in the midst of the log
  EXPECT_EQ(two.link->move(two.place("c:1", trial), ""), "c:1 did not come to the same state");
  two.step();
  EXPECT_EQ(two.link->peer(), "a:0+b:0");
  EXPECT_EQ(two.standing->report().faults, 0u);
}

// The new worker answers a copy before the old one does, for which the program still waits.
TEST(Moves, EndWhereTheNewWorkerIsTheFirstToAnswer) {
  MemoryWorker before({}), next({});
  auto made = std::make_unique<LastingLink>(0, Spare{"a:0", "a", {}, before.visit()},
                                            std::make_shared<Spares>(), Log::Room(1 << 20));
  LastingLink& link = *made;
  Connection::Handlers handlers;
  handlers.reached = [](u64) {};
  handlers.trouble = [](Status, bool, const std::string&) {};
  handlers.printed = [](View) {};
  auto device = std::make_unique<Connection>(std::move(made), handlers);
  device->post(call::Fill{0, all, 5, 0});
  device->ask<answer::Done>(call::WaitDevice{});
  auto stands = before.stand();
  Waiting copy;
  device->begin(copy, call::CopyOut{0, all, 0});
  device->post(call::Launch{});
  device->flush();
  auto moved = std::async(std::launch::async, [&] { return link.move({"b:0", "b", {}, next.visit()}); });
  while (next.launches == 0) std::this_thread::yield(); // it has answered
  stands.unlock();
  if (moved.wait_for(std::chrono::seconds(60)) != std::future_status::ready) {
    device.reset();
    FAIL() << "the move hangs";
  }
  EXPECT_EQ(moved.get(), "");
  device->finish(copy);
  EXPECT_EQ(copy.body, std::vector<unsigned char>(all, 5));
  std::vector<unsigned char> got;
  device->ask<answer::Bytes>(call::CopyOut{0, all, 0}, {}, &got);
  EXPECT_EQ(got, std::vector<unsigned char>(all, 16));
}

} // namespace
