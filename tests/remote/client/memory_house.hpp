// Workers of memory by the name of their place, and a device of one or several of them.
//
//   House house;
//   house.spares->add(house.place("b:0"));
//   house.open(house.place("a:0"));
//   house.device->post(call::Launch{});
//   EXPECT_EQ(house.read(), after(1, 0));
#pragma once

#include <remote/client/connection.hpp>
#include <remote/client/lasting_link.hpp>
#include <remote/client/replicas.hpp>

#include "memory_worker.hpp"

namespace tasuki::remote {

using Trial = MemoryWorker::Trial;
constexpr u64 all = MemoryWorker::bytes;
const Imaging::Rule often{"/tmp", 0, std::chrono::milliseconds(1), std::chrono::milliseconds(1)};

struct House {
  House() { workers.reserve(64); } // more come by another thread
  Spare place(const std::string& name, const Trial& trial = {}, bool again = false) {
    workers.push_back(std::make_unique<MemoryWorker>(trial));
    Spare spare{name, name.substr(0, name.find(':')), {}, workers.back()->visit()};
    if (again) spare.open = [this, name] { return place(name).visit; };
    return spare;
  }
  Connection::Handlers handlers() {
    Connection::Handlers handlers;
    handlers.reached = [this](u64 token) { reached.push_back(token); };
    handlers.trouble = [this](Status status, bool, const std::string&) {
      trouble = static_cast<int>(status);
    };
    handlers.printed = [](View) {};
    handlers.lost = [this](const std::string& why) { lost = why; };
    return handlers;
  }
  // Why the device was lost: a call may fail before its connection has said so, which it has once it is closed.
  const std::string& end_of_lost() {
    device.reset();
    return lost;
  }
  void open(std::vector<Spare> replicas, bool same_host = false, const Imaging::Rule& images = {},
            std::optional<Tolerance> tolerance = {}) {
    const Replication replication{1 << 20, same_host, images, tolerance};
    device = std::make_unique<Connection>(
        std::make_unique<ReplicaLink>(0, std::move(replicas), spares, replication, agreement), handlers());
  }
  void open(Spare first, const Imaging::Rule& images = {}) {
    device = std::make_unique<Connection>(
        std::make_unique<LastingLink>(0, std::move(first), spares, 1 << 20, images), handlers());
  }
  // Once there is an image of what has been done up to now: it has copied from `worker` more than `copies`.
  void wait_for_image(std::size_t worker, int copies) {
    device->post(call::Fill{0, 0, 0, 0}); // there is something new, so another comes
    device->flush();
    for (int n = 0; n < 20000 && workers[worker]->copies == copies; ++n)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    device->ask<answer::Done>(call::WaitDevice{}); // it is taken
  }
  std::vector<unsigned char> read(u64 from = 0, u64 bytes = all) {
    std::vector<unsigned char> got;
    device->ask<answer::Bytes>(call::CopyOut{from, bytes, 0}, {}, &got);
    return got;
  }
  // Asked of the whole device once all has been done.
  std::string said() {
    device->ask<answer::Done>(call::WaitDevice{});
    return agreement.summary();
  }
  std::vector<std::unique_ptr<MemoryWorker>> workers;
  std::shared_ptr<Spares> spares = std::make_shared<Spares>();
  Agreement agreement;
  std::atomic<int> trouble{0};
  std::vector<u64> reached;
  std::string lost;
  std::unique_ptr<Connection> device;
};

inline std::vector<unsigned char> after(int launches, unsigned char value = 5) {
  for (int n = 0; n < launches; ++n) value = static_cast<unsigned char>(value * 3 + 1);
  return std::vector<unsigned char>(all, value);
}

} // namespace tasuki::remote
