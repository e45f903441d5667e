// A worker on a thread of this process, and what its client is told.
//
//   ServedBy<MemoryDevice> served;
//   Told told;
//   Connection worker(std::move(served.client), told.handlers());
#pragma once

#include <gtest/gtest.h>

#include <remote/client/connection.hpp>
#include <remote/link/socket.hpp>
#include <remote/server/worker.hpp>

#include <sys/socket.h>

#include <chrono>
#include <thread>

namespace tasuki::remote {

template <class AnyDevice>
struct ServedBy {
  explicit ServedBy(std::uint64_t memory = 64u << 20, std::chrono::microseconds keep_alive = {})
      : device(memory) {
    int pair[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    client = std::make_unique<SocketLink>(Descriptor(pair[0]), "worker");
    worker = std::thread([this, socket = pair[1], keep_alive] {
      SocketLink link(Descriptor(socket), "client");
      Grant grant;
      grant.tally = &tally;
      grant.keep_alive = keep_alive;
      status = serve_worker(link, device, grant);
    });
  }
  ~ServedBy() {
    if (client) client->shut();
    worker.join();
  }
  AnyDevice device;
  Tally tally;
  std::unique_ptr<Link> client;
  std::thread worker;
  int status = -1;
};

struct Told {
  std::atomic<int> error{0};
  Connection::Handlers handlers() {
    Connection::Handlers h;
    h.reached = [](u64) {};
    h.trouble = [this](Status status, bool, const std::string&) { error = static_cast<int>(status); };
    h.printed = [](View) {};
    h.lost = [](const std::string&) {};
    return h;
  }
};

} // namespace tasuki::remote
