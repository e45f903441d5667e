// The worker against clients of every kind: those that know the calls, and those that send anything.
#include <gtest/gtest.h>

#include <remote/server/calls.hpp>

#include <iostream>
#include <random>

#include "../memory_device.hpp"
#include "nowhere.hpp"
#include "served.hpp"

using namespace tasuki::remote;

namespace {

constexpr u64 base = 0x400000000000ull; // free under the address sanitizer, too
constexpr u64 mib = 1u << 20;

unsigned seed_of_test() {
  const char* given = std::getenv("TASUKI_TEST_SEED");
  const unsigned seed = given ? static_cast<unsigned>(std::atoi(given)) : std::random_device()();
  std::cout << "seed " << seed << '\n';
  return seed;
}

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

// A frame of each call with numbers that mean something, so that a changed one means something else.
std::vector<std::pair<std::uint16_t, std::vector<unsigned char>>> good_frames() {
  std::vector<std::pair<std::uint16_t, std::vector<unsigned char>>> frames;
  const auto add = [&](const auto& message, std::size_t tail = 0) {
    std::vector<unsigned char> body;
    encode(message, body);
    body.resize(body.size() + tail, 1);
    frames.emplace_back(static_cast<std::uint16_t>(std::decay_t<decltype(message)>::id), body);
  };
  add(call::Describe{});
  add(call::Map{base + 32 * mib, 2 * mib});
  add(call::Unmap{base + 32 * mib, 2 * mib});
  add(call::MemoryInfo{});
  add(call::CopyIn{base, 0}, 300);
  add(call::CopyInBox{base, 100, 1000, 10, 5, 2, 0}, 100);
  add(call::CopyOut{base, 500, 0});
  add(call::CopyOutBox{base, 100, 1000, 10, 5, 2, 0});
  add(call::Copy{base, base + 4096, 500, 0});
  add(call::CopyBox{base, 100, 1000, base + 8192, 200, 2000, 10, 5, 2, 0});
  add(call::Fill{base, 1000, 7, 0});
  add(call::FillBox{base, 100, 1000, 10, 5, 2, 7, 0});
  add(call::ModuleBytes{5, 100, 0}, 100);
  add(call::Load{5});
  add(call::FindKernel{1, 2, "halve"});
  add(call::FindVariable{1, "x"});
  add(call::SetKernelAttribute{2, 8, 1024});
  add(call::Occupancy{2, 128, 0, 0});
  call::Launch launch;
  launch.kernel = 2;
  launch.grid_x = launch.block_x = 1;
  add(launch, 12);
  add(call::CreateStream{3, 0, 0});
  add(call::WaitStream{3});
  add(call::QueryStream{3});
  add(call::DestroyStream{3});
  add(call::WaitDevice{});
  add(call::CreateEvent{4, 0});
  add(call::Record{4, 0});
  add(call::WaitFor{0, 4});
  add(call::WaitEvent{4});
  add(call::QueryEvent{4});
  add(call::Elapsed{4, 4});
  add(call::DestroyEvent{4});
  add(call::Release{6});
  add(call::SetLimit{1, 2});
  add(call::GetLimit{1});
  return frames;
}

TEST(Worker, StandsAHundredThousandFramesThatWereChanged) {
  std::mt19937 random(seed_of_test());
  MemoryDevice device(64 * mib);
  Nowhere nowhere;
  Replies replies(nowhere);
  const Grant grant{};
  Calls calls(device, grant, replies, [] { return true; });
  const auto make = [&](std::uint16_t call, const std::vector<unsigned char>& body) {
    CallHead head;
    head.call = call;
    head.number = 1 + random() % 1000;
    head.wanted = random() % 2;
    return dispatch(call, {body.data(), body.size()},
                    [&](const auto& message, View tail) { calls.make(head, message, tail); });
  };
  std::vector<unsigned char> body;
  encode(call::Reserve{base, 1ull << 32}, body);
  ASSERT_TRUE(make(static_cast<std::uint16_t>(Call::Reserve), body));
  body.clear();
  encode(call::Map{base, 16 * mib}, body);
  ASSERT_TRUE(make(static_cast<std::uint16_t>(Call::Map), body));
  const auto frames = good_frames();
  int taken = 0;
  for (int n = 0; n < 100000; ++n) {
    auto [call, changed] = frames[random() % frames.size()];
    for (unsigned changes = random() % 4; changes && !changed.empty(); --changes) {
      const std::size_t at = random() % changed.size();
      switch (random() % 4) {
        case 0: changed[at] = static_cast<unsigned char>(random()); break;
        case 1: changed[at] ^= static_cast<unsigned char>(1u << random() % 8); break;
        case 2: changed.resize(at); break;
        case 3:
          changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(at),
                         static_cast<unsigned char>(random()));
          break;
      }
    }
    if (random() % 20 == 0) call = static_cast<std::uint16_t>(random() % 64);
    if (call == static_cast<std::uint16_t>(Call::HostCall)) continue; // its stream would stop
    taken += make(call, changed);
  }
  EXPECT_GT(taken, 40000); // what was not changed much is a call still
  EXPECT_LT(taken, 100000);
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
