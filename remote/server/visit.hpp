// A client's way to a host's GPUs: what it has, and a link to a worker of one's own.
//
//   const Host host = parse_hosts("a:2")[0];
//   const Key key = read_key(default_key_path());
//   Greeting there = greet(host, key);                       // what a has
//   Visit visit = open_device(host, key, 0, {"./many"});     // a fresh process, that holds device 0 for us
//   visit.link->write(...);                                  // what serve_worker() reads
#pragma once

#include <remote/device/device.hpp>
#include <remote/link/host.hpp>
#include <remote/link/key.hpp>
#include <remote/link/link.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace tasuki::remote {

struct ServedDevice {
  int gpu = 0;      // several virtual devices may be of one
  std::string kind; // cuda, host
  Properties properties;
};

struct Greeting {
  std::string version; // of the gate, which is the client's own: others are refused
  std::vector<ServedDevice> devices;
};

struct Wish {
  std::string program = "";                                      // shown by `tasuki gpus top`
  std::uint64_t memory = 0;                                      // bytes that will do; 0: all there is
  std::chrono::milliseconds patience = std::chrono::seconds(10); // until the gate answers
  std::chrono::milliseconds silence =
      std::chrono::seconds(10); // of a worker, before its link is shut; 0: never
  // A run's own secret: its processes, and several virtual devices of one GPU, count as one client. "": what
  // TASUKI_GPUS_SESSION holds, else this connection alone.
  std::string session = "";
  bool queue = true; // wait where another client has the device
  int lanes = 4;     // connections by which large copies go to another host, 1 to kMostLanes
  bool ucx = false;  // bytes go to another host by UCX instead, and are not encrypted
};

// Where other workers find a worker: its gate, and which of the gate's it is.
struct Entrance {
  Host host;
  std::string lane; // 16 bytes; empty: it is not found
  bool ucx = false; // its client's bytes go by UCX
};

// A link to a worker, and what watches over it: once the worker has been silent for Wish::silence, the link is shut and
// says so to whoever waits at it.
class Heartbeat;
struct Visit {
  Visit();
  Visit(Visit&&) noexcept;
  Visit& operator=(Visit&&) noexcept;
  ~Visit();
  std::unique_ptr<Link> link;
  std::unique_ptr<Heartbeat> heartbeat; // ends before the link does
  Entrance entrance;
};

// Which of a host's devices are meant by `a:2`, `a[0,3]` or `a`. Throws Error where it has fewer.
std::vector<int> chosen_devices(const Host& host, std::size_t there);

// Throw Error: nobody there, another version, a key that the gate does not have.
Greeting greet(const Host& host, const Key& key,
               std::chrono::milliseconds patience = std::chrono::seconds(10));
// What `tasuki gpus top` shows, as JSON: devices, their clients, who waits.
std::string ask_status(const Host& host, const Key& key,
                       std::chrono::milliseconds patience = std::chrono::seconds(10));
// The gate takes no new client, tells those that it has, and ends when the last has gone.
void ask_drain(const Host& host, const Key& key,
               std::chrono::milliseconds patience = std::chrono::seconds(10));
// Waits in the queue where the device has as many clients as it takes, with a line on standard error that has the place.
Visit open_device(const Host& host, const Key& key, int device, const Wish& wish = {});

// As which the worker of another device proves itself.
inline std::string identity_of_peer(std::uint32_t peer) { return "tasuki-peer-" + std::to_string(peer); }
constexpr char kArrived = 'P'; // what the one that it has come to answers first
// From one worker to another, which expects it under that number by that secret (Admissions). Throws Error where it does not, or
// is not found.
// By UCX where the entrance says so: then there is one lane.
std::unique_ptr<Link> dial_worker(const Entrance& to, std::uint32_t as, const Key& secret,
                                  std::uint32_t lanes, std::chrono::milliseconds patience);

} // namespace tasuki::remote
