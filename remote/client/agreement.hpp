// How often the replicas of a session's devices have agreed, and what happened where they did not.
//
//   Agreement agreement;
//   agreement.reached();                                       // of a copy to the program
//   agreement.missed("device 0: call 17 gave ..");             // said at once
//   std::fputs(agreement.summary().c_str(), stderr);           // "": nothing was compared
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace tasuki::remote {

class Agreement {
public:
  static constexpr std::size_t lines_kept = 16; // of the summary

  void reached() { reached_.fetch_add(1, std::memory_order_relaxed); }
  void missed(const std::string& what);
  std::string summary() const;

private:
  std::atomic<std::uint64_t> reached_{0};
  mutable std::mutex mutex_;
  std::uint64_t missed_ = 0;
  std::vector<std::string> lines_;
};

} // namespace tasuki::remote
