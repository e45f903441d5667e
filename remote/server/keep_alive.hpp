// Small transfers from an idle device, for drivers that let one that does nothing fall asleep: in the study of 2014 a copy after
// 10 ms of idleness took ten times as long.
//
//   KeepAlive alive(device, std::chrono::milliseconds(2));
//   auto turn = alive.call();         // held while a call is made
//   alive.rests_at(address);          // memory of the client's that is mapped; 0: no transfers for now
//
// A transfer is 4 bytes that nobody waits for, on a stream of its own. It reads memory and changes none.
#pragma once

#include <remote/device/device.hpp>

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tasuki::remote {

class KeepAlive {
public:
  KeepAlive(Device& device, std::chrono::microseconds every);
  ~KeepAlive();

  std::unique_lock<std::mutex> call() { return std::unique_lock(mutex_); }
  void rests_at(Address memory); // with the lock of call()

private:
  void work();
  void touch();

  Device& device_;
  const std::chrono::microseconds every_;
  std::mutex mutex_;
  std::condition_variable end_comes_;
  bool end_ = false;
  Address memory_ = 0;
  std::chrono::steady_clock::time_point last_{}; // when a call was made
  StreamId stream_ = kLegacyStream;              // until the first transfer
  std::array<unsigned char, 4> bytes_{};
  std::thread thread_;
};

} // namespace tasuki::remote
