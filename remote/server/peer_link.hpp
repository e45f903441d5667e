// The link between the workers of two devices of a client: each copies from and to the memory of the other, and tells it how far
// its streams have come, and no byte of it goes by the client.
//
//   PeerLink peer(device, {base, bytes}, [&] { return admissions.link(3, patience); }, [](Status, const std::string&) {});
//   peer.copy({PeerCopy::Way::out, {here}, {there}, {bytes}}, [](Status status, const std::string& what) { .. });
//   peer.signal(7);                           // the other's await(7, ..) is done by it
//
// Both ends are alike, and either may begin. One thread sends what has been asked for, in order; another one reads. Neither waits
// for anything but the device's own copies and the link, so no two workers wait for each other. Copies are ordered behind nothing
// at the other device: who asks for them sees to that.
#pragma once

#include <remote/device/device.hpp>
#include <remote/link/link.hpp>
#include <remote/server/boxes.hpp>

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace tasuki::remote {

struct PeerCopy {
  enum class Way { out, in }; // to the other's memory, or from it
  Way way = Way::out;
  Place here, there;
  Box box;
};

class PeerLink {
public:
  static constexpr std::size_t piece_bytes = tail_limit; // of a copy, at most
  static constexpr std::size_t signals_at_most = 1u << 20;
  struct Range {
    u64 begin = 0, bytes = 0;
  };
  // Called once, by a thread of the link's or by whoever ends it: it must not wait for the link.
  using Told = std::function<void(Status status, const std::string& what)>;

  // `own` is the memory that the other may use. `connect` is called by a thread of the link's, and may wait; `connected` tells
  // what came of it.
  PeerLink(Device& device, Range own, std::function<std::unique_ptr<Link>()> connect, Told connected);
  ~PeerLink(); // as end(), and waits for its threads

  // At once; done later, or failed. By any thread, also one of the device's that must not wait.
  void copy(const PeerCopy& copy, Told done);
  void signal(u64 token);
  void await(u64 token, Told done); // done once the other has said signal(token)
  // What is under way has failed, and so does all that comes.
  void end(const std::string& why);

private:
  enum class Says : u32;
  struct Head;
  class Ring;
  struct Outgoing {
    std::function<void()> send;
    std::function<void()> fail; // instead, where the link has ended; may be empty
  };
  struct UnderWay {
    PeerCopy copy;
    Told told;
  };
  struct Result {
    Status status = Status::success;
    std::string what;
  };

  void send_all();
  void read_all();
  void take(const Head& head);
  void put(Outgoing item);
  void write(const Head& head, const void* bytes = nullptr, std::size_t size = 0);
  void send_box(u64 number, const Place& from, const Box& box);
  Result land(const Place& to, const Box& box);
  Result ours(const Place& place, const Box& box) const; // whether the other may use it
  static Result elsewhere(i32 status);                   // as the other end says
  void finish(u64 number, const Result& result);
  [[noreturn]] static void nonsense();

  Device& device_;
  const Range own_;
  std::function<std::unique_ptr<Link>()> connect_;
  Told connected_;
  std::unique_ptr<Ring> out_, in_; // of the thread that sends, and of the one that reads
  std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<Link> link_;
  std::deque<Outgoing> outgoing_;
  u64 number_ = 0;
  std::map<u64, UnderWay> copies_; // by number
  std::map<u64, Told> awaited_;
  std::set<u64> signalled_; // that nobody has awaited yet
  bool over_ = false, stop_ = false;
  std::string why_;
  std::thread reader_, sender_;
};

} // namespace tasuki::remote
