// Both ends of a link of each kind, in one process.
#pragma once

#include <remote/link/key.hpp>
#include <remote/link/lanes.hpp>
#include <remote/link/shared_memory.hpp>
#include <remote/link/socket.hpp>
#include <remote/link/tls.hpp>
#include <remote/link/ucx/ucx_link.hpp>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>
#include <future>
#include <string>
#include <utility>
#include <vector>

namespace tasuki::remote {

// A folder of this test's own, removed at its end.
struct Folder {
  std::string path;
  Folder() {
    char name[] = "/tmp/tasuki-test-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

inline std::pair<Descriptor, Descriptor> socket_pair() {
  int both[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0) abort();
  return {Descriptor(both[0]), Descriptor(both[1])};
}

struct Ends {
  std::unique_ptr<Link> client, worker;
};

inline Ends ends_of(const std::string& kind) {
  auto [a, b] = socket_pair();
  if (kind == "socket")
    return {std::make_unique<SocketLink>(std::move(a), "worker"),
            std::make_unique<SocketLink>(std::move(b), "client")};
  if (kind == "shared") {
    auto worker = share_as_worker(std::move(b), "client"); // first, as it passes the memory
    return {share_as_client(std::move(a), "worker"), std::move(worker)};
  }
  if (kind == "lanes") {
    Ends first = ends_of("tls");
    std::vector<std::unique_ptr<Link>> clients, workers;
    for (int n = 0; n < 3; ++n) {
      Ends lane = ends_of("tls");
      clients.push_back(std::move(lane.client));
      workers.push_back(std::move(lane.worker));
    }
    return {laned(std::move(first.client), std::move(clients)),
            laned(std::move(first.worker), std::move(workers))};
  }
  if (kind == "ucx") {
    Ends proven = ends_of("tls");
    auto worker = std::async(std::launch::async, [end = std::move(proven.worker)]() mutable {
      return ucx_over(std::move(end), std::chrono::seconds(20));
    });
    auto client = ucx_over(std::move(proven.client), std::chrono::seconds(20));
    return {std::move(client), worker.get()};
  }
  const Key key = new_key();
  auto worker = std::async(std::launch::async, [&key, end = std::move(b)]() mutable {
    return tls_server(std::move(end), key, "client", std::chrono::seconds(20));
  });
  auto client = tls_client(std::move(a), key, "worker", std::chrono::seconds(20));
  return {std::move(client), worker.get()};
}

// What an error says; "" where there is none.
template <class Call>
std::string said(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

} // namespace tasuki::remote
