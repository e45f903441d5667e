// What a program's calls are and cost: how many, how many bytes each way, how long the program waited, by call; and, where
// it is asked for, each of them with its times, in the JSON that trace viewers read.
//
//   Ledger ledger;
//   ledger.trace_into("run.json");                        // throws Error where the file cannot be made
//   ledger.made(0, Call::Launch, number, bytes);          // a call leaves, for device 0
//   ledger.answered(0, Call::CopyOut, number, bytes);     // its answer is here
//   ledger.waited(0, Call::CopyOut, began);               // a thread has waited for it since began = Ledger::now()
//   std::fputs(ledger.summary(seconds, devices).c_str(), stderr);
//
// All of it by any thread. A call costs three additions, and a line of the file where there is one. The file is an array of
// events of the Trace Event Format (Google), which needs no closing bracket: that of a program that was killed can be read. A
// device is a process in it, a thread of the program a thread; calls that are answered are asynchronous slices.
#pragma once

#include <remote/wire/frames.hpp>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>

namespace tasuki::remote {

class Ledger {
public:
  static constexpr long most_events = 4'000'000; // about half a GB; later ones are counted, and left out

  Ledger() = default;
  Ledger(const Ledger&) = delete;
  ~Ledger();

  // Mode 0600. Where there is a file already, as another process of the same run made it, PATH.PROCESS is written.
  void trace_into(const std::string& path);
  void name(int device, const std::string& name);

  static u64 now(); // ns

  void made(int device, Call call, u64 number, std::size_t bytes);
  void answered(int device, Call call, u64 number, std::size_t bytes);
  void waited(int device, Call call, u64 began);

  // Two lines; `more` stands at the end of the second.
  std::string summary(double seconds, int devices, const std::string& more = "") const;

private:
  struct Account {
    std::atomic<u64> calls{0}, out{0}, in{0}, waited{0};
  };
  template <class... Values>
  void event(const char* format, Values... values);

  Account accounts_[static_cast<std::size_t>(Call::count)];
  std::mutex writing_;
  std::FILE* file_ = nullptr;
  u64 start_ = 0;
  long events_ = 0;
};

} // namespace tasuki::remote
