// Clients that behave: they get what they ask for, wait in line, and leave nothing behind.
#include <sys/stat.h>
#include <remote/link/heartbeat.hpp>
#include <remote/wire/names.hpp>

#include <fstream>
#include <sstream>

#include "house.hpp"

namespace tasuki::remote {
namespace {

TEST(Gate, SaysWhatThereIs) {
  const House house;
  for (const Host& host : {house.tcp, house.local}) {
    const Greeting there = greet(host, house.key);
    EXPECT_EQ(there.version, TASUKI_VERSION);
    ASSERT_EQ(there.devices.size(), 2u);
    EXPECT_EQ(there.devices[1].properties.name, "device 1");
    EXPECT_EQ(there.devices[1].properties.memory, 1001u);
    EXPECT_EQ(there.devices[1].properties.attributes[10], 32);
    EXPECT_EQ(there.devices[1].gpu, 1);
  }
}

// By TLS and by shared memory; each client and device has a process of its own.
TEST(Gate, GivesEachClientAProcess) {
  const House house;
  const Visit first = open_device(house.tcp, house.key, 0), second = open_device(house.local, house.key, 1);
  EXPECT_EQ(echo(*first.link), 'E');
  EXPECT_EQ(echo(*second.link), 'E');
  EXPECT_NE(process_of(*first.link), process_of(*second.link));
  EXPECT_NE(process_of(*first.link), house.gate);
  EXPECT_FALSE(first.link->passes_files());
  EXPECT_TRUE(second.link->passes_files());
}

TEST(Gate, LetsClientsWaitInLine) {
  const House house;
  Visit first = open_device(house.local, house.key, 0);
  auto second = std::async(std::launch::async, [&] {
    Visit visit = open_device(house.tcp, house.key, 0);
    return echo(*visit.link);
  });
  EXPECT_TRUE(comes_true(
      [&] { return ask_status(house.local, house.key, kLong).find("\"waiting\":1") != std::string::npos; }));
  Wish now;
  now.queue = false;
  EXPECT_NE(said([&] { open_device(house.local, house.key, 0, now); }).find("device 0 is in use"),
            std::string::npos);
  first = Visit();
  EXPECT_EQ(second.get(), 'E');
}

// Who waits and goes makes room in the line.
TEST(Gate, ForgetsThoseWhoStopWaiting) {
  const House house;
  const Visit first = open_device(house.local, house.key, 0);
  const int waits = fork();
  if (waits == 0) {
    open_device(house.local, house.key, 0);
    _exit(0);
  }
  EXPECT_TRUE(comes_true(
      [&] { return ask_status(house.local, house.key, kLong).find("\"waiting\":1") != std::string::npos; }));
  kill(waits, SIGKILL);
  waitpid(waits, nullptr, 0);
  EXPECT_TRUE(comes_true(
      [&] { return ask_status(house.local, house.key, kLong).find("\"waiting\":1") == std::string::npos; }));
}

TEST(Gate, SharesADeviceWhereItIsTold) {
  const House house([](GateOptions& options) { options.clients = 2, options.memory = 500; });
  const Visit first = open_device(house.tcp, house.key, 0), second = open_device(house.tcp, house.key, 0);
  EXPECT_NE(process_of(*first.link), process_of(*second.link));
  std::uint64_t memory = 0;
  first.link->write({"m", 1});
  first.link->read(&memory, sizeof memory, sizeof memory);
  EXPECT_EQ(memory, 500u);
  Wish wish;
  wish.memory = 501;
  EXPECT_NE(said([&] { open_device(house.tcp, house.key, 1, wish); }).find("501 bytes are more"),
            std::string::npos);
}

TEST(Gate, RefusesInOneLine) {
  const House house;
  EXPECT_NE(said([&] { open_device(house.tcp, house.key, 2); }).find("there is no device 2 of 2"),
            std::string::npos);
  EXPECT_NE(said([&] { open_device(house.tcp, house.key, -1); }).find("there is no device -1"),
            std::string::npos);
  Host closed = house.tcp;
  closed.port = 1;
  EXPECT_NE(said([&] { greet(closed, house.key); }).find("nobody serves GPUs at 127.0.0.1, port 1"),
            std::string::npos);
  Host unknown;
  unknown.name = "no-such-host.invalid";
  EXPECT_NE(said([&] { greet(unknown, house.key); }).find("there is no host no-such-host.invalid"),
            std::string::npos);
}

TEST(Gate, CountsForTop) {
  const House house;
  Wish wish;
  wish.program = "./many \xff";
  const Visit visit = open_device(house.local, house.key, 1, wish);
  echo(*visit.link);
  const std::string status = ask_status(house.tcp, house.key, kLong);
  EXPECT_NE(status.find("\"program\":\"./many "), std::string::npos) << status;
  EXPECT_NE(status.find("\"calls\":1,"), std::string::npos) << status;
  EXPECT_NE(status.find("\"bytes_in\":1,"), std::string::npos) << status;
}

// What it says of its device, as numbers; nothing of it is believed.
TEST(Gate, ShowsWhatAClientReports) {
  const House house;
  const Visit quiet = open_device(house.tcp, house.key, 0);
  std::uint64_t number = 0;
  while (std::string(name_of_call(number)) != "WaitStream") ++number;
  for (const bool truthful : {true, false}) {
    const Visit visit = open_device(truthful ? house.local : house.tcp, house.key, 1);
    visit.heartbeat->set_report([&] {
      Report report;
      report.waits_for = truthful ? number : 4711;
      report.waited = 2500;
      report.log = truthful ? 4096 : ~1ull;
      report.image = truthful ? 512 : Report::none;
      report.image_age = 250;
      report.replicas = truthful ? 2 : 0;
      report.agreed = 812;
      report.differed = 1;
      report.faults = 3;
      return report;
    });
    const std::string told =
        truthful
            ? R"("told":{"faults":3,"image":{"bytes":512,"seconds":0.25},"log":4096,)"
              R"("replicas":{"agreed":812,"count":2,"differed":1},"waits_for":{"call":"WaitStream","seconds":2.5}})"
            : R"("told":{"faults":3,"image":null,"log":18446744073709551614,"replicas":null,"waits_for":null})";
    std::string status;
    EXPECT_TRUE(comes_true([&] {
      status = ask_status(house.local, house.key, kLong);
      return status.find(told) != std::string::npos;
    })) << status;
    EXPECT_NE(status.find("\"told\":null"), std::string::npos) << status; // of the one that is quiet
  }
}

// However a client ends, and whatever its worker is at.
TEST(Gate, EndsAWorkerWithItsClient) {
  const House house;
  for (const Host& host : {house.tcp, house.local}) {
    for (const char* doing : {"e", "h"}) {
      int both[2];
      ASSERT_EQ(pipe(both), 0);
      const int client = fork();
      if (client == 0) {
        const Visit visit = open_device(host, house.key, 0);
        const int process = process_of(*visit.link);
        visit.link->write({doing, 1});
        if (::write(both[1], &process, sizeof process) != sizeof process) _exit(1);
        pause();
      }
      int worker = 0;
      ASSERT_EQ(::read(both[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
      EXPECT_TRUE(is_there(worker));
      kill(client, SIGKILL);
      waitpid(client, nullptr, 0);
      EXPECT_TRUE(comes_true([&] { return !is_there(worker); }));
      close(both[0]);
      close(both[1]);
    }
  }
}

// What is written behind a name in a file of /proc.
std::string line_of(int process, const std::string& file, const std::string& name) {
  std::ifstream in("/proc/" + std::to_string(process) + "/" + file);
  for (std::string line; std::getline(in, line);)
    if (line.rfind(name, 0) == 0) return line.substr(name.size());
  return "";
}

TEST(Gate, ConfinesItsWorkers) {
  const House house;
  for (const Host& host : {house.tcp, house.local}) {
    const Visit visit = open_device(host, house.key, 0);
    const int process = process_of(*visit.link);
    EXPECT_EQ(line_of(process, "status", "NoNewPrivs:"), "\t1");
    EXPECT_EQ(line_of(process, "status", "Seccomp:"), "\t2"); // a filter
    std::istringstream core(line_of(process, "limits", "Max core file size"));
    std::string soft, hard;
    core >> soft >> hard;
    EXPECT_EQ(soft + " " + hard, "0 0");
    int errors[3] = {};
    visit.link->write({"x", 1});
    visit.link->read(errors, sizeof errors, sizeof errors);
    for (const int error : errors) EXPECT_EQ(error, EPERM);
    EXPECT_EQ(echo(*visit.link), 'E');
  }
}

TEST(Gate, TakesItsWorkersAlong) {
  for (const int signal : {SIGTERM, SIGINT, SIGKILL}) {
    House house;
    const Visit visit = open_device(house.tcp, house.key, 0), hangs = open_device(house.local, house.key, 1);
    const int one = process_of(*visit.link), other = process_of(*hangs.link);
    hangs.link->write({"h", 1});
    const int status = house.end(signal);
    EXPECT_EQ(status, signal == SIGKILL ? SIGKILL : 0);
    EXPECT_TRUE(comes_true([&] { return !is_there(one) && !is_there(other); }));
    char letter;
    EXPECT_THROW(visit.link->read(&letter, 1, 1), LinkLost);
    EXPECT_THROW(hangs.link->read(&letter, 1, 1), LinkLost);
    EXPECT_EQ(access(house.socket.c_str(), F_OK) == 0, signal == SIGKILL); // the next gate takes its place
  }
}

TEST(Gate, EndsOnceDrained) {
  House house;
  Visit visit = open_device(house.tcp, house.key, 0);
  ask_drain(house.local, house.key);
  EXPECT_NE(said([&] { open_device(house.tcp, house.key, 1); }).find("takes no new clients"),
            std::string::npos);
  EXPECT_EQ(echo(*visit.link), 'E'); // undisturbed
  visit = Visit();
  EXPECT_EQ(house.wait(), 0);
}

// A worker that is stopped answers no beat: its client hears so instead of waiting for ever. A gate that is stopped holds up
// nobody who has a worker.
TEST(Gate, NothingHangsWhereAProcessIsStopped) {
  const House house;
  Wish wish;
  wish.silence = std::chrono::seconds(4);
  for (const Host& host : {house.tcp, house.local}) {
    const Visit visit = open_device(host, house.key, 0, wish);
    kill(house.gate, SIGSTOP);
    EXPECT_EQ(echo(*visit.link), 'E');
    EXPECT_NE(said([&] { greet(host, house.key, std::chrono::milliseconds(100)); }), "");
    kill(house.gate, SIGCONT);
    const int worker = process_of(*visit.link);
    kill(worker, SIGSTOP);
    char letter;
    const std::string line = said([&] { visit.link->read(&letter, 1, 1); });
    EXPECT_NE(line.find("has been silent for"), std::string::npos) << line;
    if (host.path.empty()) {
      kill(worker, SIGKILL);
    } else {
      EXPECT_TRUE(comes_true([&] { return !is_there(worker); })); // the gate sees to it
    }
  }
}

} // namespace
} // namespace tasuki::remote
