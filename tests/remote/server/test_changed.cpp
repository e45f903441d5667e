// Frames that were changed on their way, to the worker and back: each is a call or a refusal, and no more.
#include <gtest/gtest.h>

#include <remote/client/connection.hpp>
#include <remote/device/host.hpp>
#include <remote/server/calls.hpp>

#include <sys/mman.h>

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <random>
#include <set>

#include "../dice.hpp"
#include "../free_range.hpp"
#include "../memory_device.hpp"
#include "../random_frames.hpp"
#include "nowhere.hpp"

using namespace tasuki::remote;

namespace {

constexpr u64 base = free_range;
constexpr u64 mib = 1u << 20;

// With memory that the client lends.
class Lending : public Nowhere {
public:
  bool passes_files() const override { return true; }
  int take_file() override {
    const int file = memfd_create("lent", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || ftruncate(file, 2 * mib) || fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK)) std::abort();
    return file;
  }
};

// Some calls are well formed and would take a test's patience: a kernel of a billion blocks, a box of a billion rows, a
// stream that waits for a word, or functions of the client's that nobody calls.
template <class Message>
bool too_long(const Message&) {
  return false;
}
bool too_long(const call::Launch& c) {
  return u64{c.grid_x} * c.grid_y * c.grid_z > 64 || u64{c.block_x} * c.block_y * c.block_z > 1024;
}
bool too_long(const call::FillBox& c) { return c.height > 1000 || c.depth > 1000; }
bool too_long(const call::CopyBox& c) { return c.height > 1000 || c.depth > 1000; }
bool too_long(const call::CopyInBox& c) { return c.height > 1000 || c.depth > 1000; }
bool too_long(const call::CopyOutBox& c) { return c.height > 1000 || c.depth > 1000; }
bool too_long(const call::Digest& c) { return c.height > 1000 || c.depth > 1000; }
bool too_long(const call::LaunchGraph& c) { return c.functions > 0; }
bool too_long(const call::WordOperation& c) { return c.operation == 1 || c.operation == 4; }

// A worker's calls, as its loop makes them, of a client that has used a bit of everything.
class Worker {
public:
  Worker(Device& device, const std::string& module)
      : calls_(
            device, grant_, replies_, [] { return true; }, nullptr, &lending_) {
    sure(call::Reserve{base, 1ull << 32});
    sure(call::Map{base, 16 * mib});
    sure(call::ModuleBytes{1, module.size(), 0}, module);
    sure(call::Load{1});
    sure(call::CreateStream{1, 0, 0});
    sure(call::CreateEvent{1, 0});
    sure(call::Lend{1, 64 << 10});
  }
  bool make(const RandomFrame& frame) {
    CallHead head;
    head.call = frame.kind;
    head.number = ++number_;
    if (const Row* row = row_of(frame.kind); row && row->logged == Logged::waits)
      replies_.expect(head.number);
    const bool good = dispatch(frame.kind, {frame.body.data(), frame.body.size()},
                               [&](const auto& message, View tail) { make(head, message, tail); });
    if (!good) replies_.fail(head.number, true, Status::unknown, "no call"); // the loop shuts the link
    return good;
  }

private:
  template <class Message>
  void make(const CallHead& head, const Message& message, View tail) {
    if (too_long(message)) return replies_.fail(head.number, true, Status::unknown, "too long");
    calls_.make(head, message, tail);
    if constexpr (Message::id == Call::HostCall) calls_.release(message.token); // its stream stops no longer
  }
  template <class Message>
  void sure(const Message& message, const std::string& tail = "") {
    CallHead head;
    head.call = static_cast<std::uint16_t>(Message::id);
    head.number = ++number_;
    calls_.make(head, message, {tail.data(), tail.size()});
  }

  Lending lending_;
  Replies replies_{lending_};
  const Grant grant_{};
  Calls calls_;
  u64 number_ = 0;
};

void stand(Worker& worker, std::mt19937& dice, int frames, std::set<std::uint16_t>& made, int& taken) {
  RandomFrames random(dice, base);
  for (int n = 0; n < frames; ++n) {
    RandomFrame frame = random.call();
    random.change(frame.body);
    if (dice() % 20 == 0) frame.kind = static_cast<std::uint16_t>(dice() % 64);
    if (!worker.make(frame)) continue;
    made.insert(frame.kind);
    ++taken;
  }
}

TEST(Changed, CallsOfMemoryAlone) {
  std::mt19937 dice(seed_of_test());
  MemoryDevice device(64 * mib);
  const int frames = longer(100000);
  std::set<std::uint16_t> made;
  int taken = 0;
  Worker worker(device, "PTX");
  stand(worker, dice, frames, made, taken);
  EXPECT_EQ(made.size(), static_cast<std::size_t>(Call::count));
  EXPECT_GT(taken, frames / 10 * 4); // what was not changed much is a call still
  EXPECT_LT(taken, frames);
}

// Streams, graphs and kernels that are true. A kernel may write where it must not, after which the device does no more.
TEST(Changed, CallsOfADeviceThatRunsKernels) {
  std::mt19937 dice(seed_of_test());
  std::ifstream file(TASUKI_PTX_TESTS "/many.ptx");
  std::string module{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(module.empty());
  for (std::size_t at; (at = module.find("_Z4stepPfi")) != std::string::npos;)
    module.replace(at, 10, "halve");
  const int rounds = longer(40), each = 500;
  std::set<std::uint16_t> made;
  int taken = 0;
  for (int n = 0; n < rounds; ++n) {
    HostOptions options;
    options.memory = 64 * mib;
    options.threads = 1;
    const auto device = open_host(options);
    Worker worker(*device, module);
    stand(worker, dice, each, made, taken);
  }
  EXPECT_EQ(made.size(), static_cast<std::size_t>(Call::count));
  EXPECT_GT(taken, rounds * each / 10 * 4);
}

// A worker that answers each call with what it is told to, and is gone after an answer whose head was changed: no more
// would come of it.
class Answering : public Link {
public:
  Answering(std::mt19937& dice, RandomFrames& random) : dice_(dice), random_(random) {}
  void next(Answer which) { which_ = which; }
  void write(const Piece* pieces, std::size_t count) override {
    std::lock_guard hold(mutex_);
    for (std::size_t n = 0; n < count; ++n) {
      const auto* bytes = static_cast<const unsigned char*>(pieces[n].data);
      in_.insert(in_.end(), bytes, bytes + pieces[n].size);
    }
    while (in_.size() >= sizeof(CallHead)) {
      CallHead head;
      std::memcpy(&head, in_.data(), sizeof head);
      if (in_.size() < sizeof head + head.bytes) break;
      in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(sizeof head + head.bytes));
      if (dice_() % 4 == 0)
        say(static_cast<Answer>(dice_() % static_cast<unsigned>(Answer::count)), 0); // of itself
      say(which_, head.number);
    }
    changed_.notify_all();
  }
  std::size_t read(void* to, std::size_t at_least, std::size_t at_most) override {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [&] { return over_ || out_.size() >= std::max<std::size_t>(at_least, 1); });
    if (out_.size() < at_least) throw LinkLost("the worker is gone", "ask another");
    const std::size_t bytes = std::min(at_most, out_.size());
    std::copy_n(out_.begin(), bytes, static_cast<unsigned char*>(to));
    out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(bytes));
    return bytes;
  }
  void shut() noexcept override {
    std::lock_guard hold(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  void shut_for(const std::string&) noexcept override { shut(); }
  void set_patience(std::chrono::milliseconds) override {}
  std::string peer() const override { return "a worker"; }

private:
  void say(Answer which, u64 number) {
    if (over_) return;
    RandomFrame frame = random_.answer(which);
    random_.change(frame.body);
    AnswerHead head;
    head.bytes = static_cast<u32>(frame.body.size());
    head.answer = frame.kind;
    head.number = number;
    head.error = dice_() % 8 ? 0 : static_cast<i32>(dice_() % 1000);
    std::vector<unsigned char> bytes(sizeof head);
    if (dice_() % 16 == 0) {
      if (dice_() % 2) head.bytes += dice_() % 2000;
      std::memcpy(bytes.data(), &head, sizeof head);
      bytes[4 + dice_() % 16] = static_cast<unsigned char>(dice_()); // its kind, its number
      over_ = true;
    } else {
      std::memcpy(bytes.data(), &head, sizeof head);
    }
    bytes.insert(bytes.end(), frame.body.begin(), frame.body.end());
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }

  std::mt19937& dice_;
  RandomFrames& random_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<unsigned char> in_, out_;
  Answer which_ = Answer::Done;
  bool over_ = false;
};

// Whether the client takes the answer.
template <class Reply>
bool asks(Connection& connection) {
  std::vector<unsigned char> rest;
  try {
    connection.ask<Reply>(call::MemoryInfo{}, {}, &rest);
    return true;
  } catch (const Failure&) {
    return false;
  }
}

bool asks(Connection& connection, Answer which) {
  switch (which) {
#define TASUKI_ANSWER(name, fields, tail) \
  case Answer::name:                      \
    return asks<answer::name>(connection);
#include <remote/wire/answers.def>
#undef TASUKI_ANSWER
    case Answer::count: break;
  }
  return false;
}

TEST(Changed, AnswersToTheClient) {
  std::mt19937 dice(seed_of_test());
  std::mt19937 of_worker(dice());
  RandomFrames random(of_worker, base);
  const int answers = longer(20000);
  int taken = 0, connections = 0, told = 0;
  for (int n = 0; n < answers;) {
    auto link = std::make_unique<Answering>(of_worker, random);
    Answering& worker = *link;
    std::vector<unsigned char> into(64);
    Connection::Handlers handlers;
    handlers.reached = [&](u64) { ++told; };
    handlers.trouble = [&](Status, bool, const std::string&) { ++told; };
    handlers.printed = [&](View) { ++told; };
    handlers.lost = [](const std::string&) {};
    Connection connection(std::move(link), std::move(handlers));
    for (++connections; n < answers && !connection.lost(); ++n) {
      const auto which = static_cast<Answer>(dice() % static_cast<unsigned>(Answer::count));
      worker.next(which);
      if (dice() % 8) {
        taken += asks(connection, which);
        continue;
      }
      Waiting waiting; // a copy, whose bytes are read to where they belong
      waiting.into = into.data();
      waiting.room = into.size();
      try {
        worker.next(Answer::Bytes);
        connection.begin(waiting, call::CopyOut{base, into.size(), 0});
        connection.finish(waiting);
        ++taken;
      } catch (const Failure&) {
        // the worker was lost, or the answer says so
      }
    }
  }
  EXPECT_GT(taken, answers / 4);
  EXPECT_GT(connections, answers / 100);
  EXPECT_GT(told, answers / 50);
}

} // namespace
