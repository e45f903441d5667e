// Beats against a worker that answers, one that is silent and one that ends; and what the test link does to bytes.
#include <remote/link/heartbeat.hpp>
#include <remote/link/trial.hpp>

#include <thread>
#include <vector>

#include "ends.hpp"

namespace tasuki::remote {
namespace {

using std::chrono::milliseconds;

TEST(Heartbeat, IsQuietWhileBeatsAreAnswered) {
  Ends ends = ends_of("socket");
  std::atomic<int> calls{0};
  std::thread worker([&] { answer_beats(*ends.worker); });
  {
    const Heartbeat watch(std::move(ends.client), {milliseconds(5), milliseconds(20000)},
                          [&](const std::string&) { ++calls; });
    std::this_thread::sleep_for(milliseconds(60));
  }
  worker.join(); // the lane has ended with the watch
  EXPECT_EQ(calls, 0);
}

// Who can go elsewhere when the server is about to end goes; who cannot is said to the worker.
TEST(Heartbeat, SaysThatAServerIsAboutToEnd) {
  for (const bool movable : {false, true}) {
    Ends ends = ends_of("socket");
    std::atomic<int> stays{0};
    Pulse pulse;
    pulse.stays = [&] { ++stays; };
    std::thread worker([&] { answer_beats(*ends.worker, pulse); });
    {
      Heartbeat watch(std::move(ends.client), {milliseconds(5), milliseconds(20000)},
                      [](const std::string&) {});
      watch.set_movable(movable);
      std::this_thread::sleep_for(milliseconds(30));
      EXPECT_FALSE(watch.leaving());
      EXPECT_EQ(stays, 0);
      pulse.leaving = true;
      while (!watch.leaving()) std::this_thread::yield();
      if (movable) {
        std::this_thread::sleep_for(milliseconds(30));
        EXPECT_EQ(stays, 0);
        watch.set_movable(false); // it has found no place
      }
      while (stays == 0) std::this_thread::yield();
    }
    worker.join();
  }
}

TEST(Heartbeat, BringsWhatTheClientReports) {
  Ends ends = ends_of("tls");
  std::atomic<unsigned> beats{0}, reports{0};
  std::mutex mutex;
  Report last;
  Pulse pulse;
  pulse.reported = [&](const Report& report) {
    const std::lock_guard<std::mutex> guard(mutex);
    last = report;
    ++reports;
  };
  std::thread worker([&] { answer_beats(*ends.worker, pulse); });
  {
    Heartbeat watch(std::move(ends.client), {milliseconds(5), milliseconds(20000)},
                    [](const std::string&) {});
    std::this_thread::sleep_for(milliseconds(30));
    EXPECT_EQ(reports, 0u); // it has nothing to say
    watch.set_report([&] {
      Report report;
      report.log = 1000 + ++beats;
      return report;
    });
    while (reports < 2) std::this_thread::yield();
  }
  worker.join();
  EXPECT_EQ(last.log, 1000u + beats);
  EXPECT_EQ(last.image, Report::none);
  EXPECT_EQ(last.faults, 0u);
}

TEST(Heartbeat, SaysThatAWorkerIsSilent) {
  Ends ends = ends_of("tls");
  std::promise<std::string> lost;
  const Heartbeat watch(std::move(ends.client), {milliseconds(5), milliseconds(100)},
                        [&](const std::string& why) { lost.set_value(why); });
  EXPECT_EQ(lost.get_future().get().rfind("worker has been silent for 0.1", 0), 0u);
}

TEST(Heartbeat, SaysThatAWorkerHasEnded) {
  Ends ends = ends_of("socket");
  std::promise<std::string> lost;
  const Heartbeat watch(std::move(ends.client), {milliseconds(5), milliseconds(20000)},
                        [&](const std::string& why) { lost.set_value(why); });
  ends.worker.reset();
  EXPECT_EQ(lost.get_future().get(), "the worker of worker has ended");
}

TEST(Trial, IsReadAndRefused) {
  const Trial trial = parse_trial("delay=2ms,cut=10,flip=3");
  EXPECT_EQ(trial.delay, milliseconds(2));
  EXPECT_EQ(trial.cut, 10u);
  EXPECT_EQ(trial.flip, 3u);
  EXPECT_EQ(trial.freeze, Trial::kNever);
  for (const char* text : {"x", "delay=1", "delay=us", "cut=1ms", "cut=-1", "=3"})
    EXPECT_NE(said([&] { parse_trial(text); }).find("no trial"), std::string::npos) << text;
}

TEST(Trial, DelaysWithoutHoldingUpTheWriter) {
  Ends ends = ends_of("socket");
  ends.client = tried(std::move(ends.client), parse_trial("delay=100ms"));
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) ends.client->write({"x", 1});
  char letters[100];
  ends.worker->read(letters, 100, 100);
  EXPECT_GE(std::chrono::steady_clock::now() - begin,
            milliseconds(100)); // one delay at least, whatever the machine does
}

TEST(Trial, CutsFreezesAndFlips) {
  for (const char* kind : {"socket", "shared", "tls"}) {
    char letters[8] = {};
    Ends cut = ends_of(kind);
    cut.client = tried(std::move(cut.client), parse_trial("cut=2"));
    cut.client->write({"abcd", 4});
    cut.worker->read(letters, 2, 2);
    EXPECT_STREQ(letters, "ab");
    EXPECT_THROW(cut.worker->read(letters, 1, 1), LinkLost);

    Ends frozen = ends_of(kind);
    frozen.client = tried(std::move(frozen.client), parse_trial("freeze=3"));
    frozen.client->write({"abcd", 4});
    frozen.worker->read(letters, 3, 3);
    frozen.worker->set_patience(milliseconds(60));
    EXPECT_NE(said([&] { frozen.worker->read(letters, 1, 1); }).find("no answer in time"), std::string::npos);

    Ends flipped = ends_of(kind);
    flipped.client = tried(std::move(flipped.client), parse_trial("flip=1"));
    flipped.client->write({"abc", 3});
    flipped.worker->read(letters, 3, 3);
    EXPECT_EQ(std::string(letters, 3), "acc");
  }
}

} // namespace
} // namespace tasuki::remote
