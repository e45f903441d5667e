// The worker against clients of every kind: those that know the calls, and those that send anything.
#include <gtest/gtest.h>

#include <remote/server/calls.hpp>

#include <random>

#include "../dice.hpp"
#include "../free_range.hpp"
#include "../memory_device.hpp"
#include "served.hpp"

using namespace tasuki::remote;

namespace {

constexpr u64 base = free_range;
constexpr u64 mib = 1u << 20;

using Served = ServedBy<MemoryDevice>;

TEST(Worker, ServesWhatIsPostedInOrder) {
  Served served;
  Told told;
  Connection worker(std::move(served.client), told.handlers());
  worker.ask<answer::Done>(call::Reserve{base, 1ull << 32});
  worker.post(call::Map{base, 8 * mib});
  std::vector<float> x(1 << 20, 3.0f), y(x.size());
  worker.post(call::CopyIn{base, 0}, {x.data(), x.size() * 4}); // a large one, and small ones around it
  worker.post(call::ModuleBytes{1, 4, 0}, {"PTX", 4});
  worker.ask<answer::Done>(call::Load{1});
  worker.ask<answer::Kernel>(call::FindKernel{1, 2, "halve"});
  struct {
    u64 x = base;
    i32 n = 1 << 20;
  } parameters;
  for (int n = 0; n < 3; ++n) {
    call::Launch launch;
    launch.kernel = 2;
    worker.post(launch, {&parameters, 12});
  }
  worker.post(call::Copy{base + 4 * mib, base, 4 * mib, 0});
  Waiting waiting;
  waiting.into = y.data();
  waiting.room = 4 * mib;
  worker.begin(waiting, call::CopyOut{base + 4 * mib, 4 * mib, 0});
  worker.finish(waiting);
  for (const float value : y) ASSERT_EQ(value, 0.375f);
  EXPECT_EQ(told.error, 0);
}

TEST(Worker, TellsWhatAPostedCallFailedWith) {
  Served served;
  Told told;
  Connection worker(std::move(served.client), told.handlers());
  worker.ask<answer::Done>(call::Reserve{base, 1ull << 32});
  worker.post(call::Fill{base + mib, 4, 0, 0}); // nothing is mapped there
  worker.ask<answer::Memory>(call::MemoryInfo{});
  EXPECT_EQ(told.error, static_cast<int>(Status::invalid_value));
  EXPECT_THROW(worker.ask<answer::Done>(call::Map{base, 128 * mib}), Failure);
  EXPECT_THROW(worker.ask<answer::Done>(call::QueryStream{77}), Failure);         // of nobody
  EXPECT_THROW(worker.ask<answer::Bytes>(call::CopyOut{0x1000, 16, 0}), Failure); // the worker's own memory
  EXPECT_THROW(worker.ask<answer::Bytes>(call::CopyOut{reinterpret_cast<u64>(&told), 16, 0}), Failure);
}

TEST(Worker, AnswersEachCallOfAStrictConnection) {
  Served served;
  Told told;
  Connection worker(std::move(served.client), told.handlers(), true);
  worker.ask<answer::Done>(call::Reserve{base, 1ull << 32});
  worker.post(call::Map{base, 2 * mib});
  std::vector<unsigned char> x(mib, 7), y(4);
  worker.post(call::CopyIn{base, 0}, {x.data(), x.size()});
  EXPECT_THROW(worker.post(call::Fill{base + 4 * mib, 4, 0, 0}), Failure); // nothing is mapped there
  EXPECT_EQ(told.error, 0);
  Waiting waiting;
  waiting.into = y.data();
  waiting.room = y.size();
  worker.begin(waiting, call::CopyOut{base + mib - 4, 4, 0});
  worker.finish(waiting);
  EXPECT_EQ(y, (std::vector<unsigned char>(4, 7)));
}

// What one client has made and mapped is nothing to another, by whatever number.
TEST(Worker, KnowsNoHandleOfAnotherClient) {
  Served first, second;
  Told told, other;
  Connection mine(std::move(first.client), told.handlers());
  Connection theirs(std::move(second.client), other.handlers());
  mine.ask<answer::Done>(call::Reserve{base, 1ull << 32});
  mine.post(call::Map{base, 2 * mib});
  mine.post(call::CreateStream{5, 0, 0});
  mine.post(call::CreateEvent{6, 0});
  mine.post(call::Record{6, 5});
  mine.post(call::ModuleBytes{7, 4, 0}, {"PTX", 4});
  mine.ask<answer::Done>(call::Load{7});
  mine.ask<answer::Kernel>(call::FindKernel{7, 8, "halve"});
  mine.ask<answer::Bytes>(call::CopyOut{base, 16, 5});
  theirs.ask<answer::Done>(call::Reserve{base + (1ull << 40), 1ull << 32});
  EXPECT_THROW(theirs.ask<answer::Bytes>(call::CopyOut{base, 16, 0}), Failure);
  EXPECT_THROW(theirs.ask<answer::Done>(call::QueryStream{5}), Failure);
  EXPECT_THROW(theirs.ask<answer::Done>(call::WaitEvent{6}), Failure);
  EXPECT_THROW(theirs.ask<answer::Kernel>(call::FindKernel{7, 8, "halve"}), Failure);
  call::Launch launch;
  launch.kernel = 8;
  theirs.post(launch, {"", 0});
  theirs.ask<answer::Memory>(call::MemoryInfo{});
  EXPECT_EQ(other.error, static_cast<int>(Status::invalid_device_function));
  EXPECT_EQ(told.error, 0);
}

// Modules on their way take no more than one may, however many a client begins.
TEST(Worker, HoldsAsManyBytesOfModulesAsOneMayHave) {
  Served served;
  Told told;
  Connection worker(std::move(served.client), told.handlers());
  worker.post(call::ModuleBytes{1, 1u << 29, 0}, {"PTX", 4});
  worker.post(call::ModuleBytes{2, 1u << 29, 0}, {"PTX", 4});
  worker.ask<answer::Memory>(call::MemoryInfo{});
  EXPECT_EQ(told.error, 0);
  worker.post(call::ModuleBytes{3, 4, 0}, {"PTX", 4});
  worker.ask<answer::Memory>(call::MemoryInfo{});
  EXPECT_EQ(told.error, static_cast<int>(Status::invalid_kernel_image));
}

TEST(Worker, LeavesAClientThatGoesWithNothing) {
  Served served;
  {
    Told told;
    Connection worker(std::move(served.client), told.handlers());
    worker.ask<answer::Done>(call::Reserve{base, 1ull << 32});
    worker.post(call::HostCall{0, 9}); // its stream stops for ever
    worker.flush();
  }
  served.worker.join();
  served.worker = std::thread([] {});
  EXPECT_EQ(served.status, 0);
}

TEST(Worker, ShutsTheLinkWhereAFrameIsNone) {
  std::mt19937 random(seed_of_test());
  for (int n = 0; n < 200; ++n) {
    Served served;
    std::vector<unsigned char> noise(16 + random() % 400);
    for (auto& byte : noise) byte = static_cast<unsigned char>(random());
    noise[4] = static_cast<unsigned char>(random() % 80); // often a call that there is
    noise[5] = 0;
    if (random() % 2) noise[2] = noise[3] = 0; // often a length that it may have
    try {
      served.client->write({noise.data(), noise.size()});
      served.client->shut();
    } catch (const LinkLost&) {
      // it was quick
    }
  }
}

} // namespace
