// How a virtual device stands: what the program waits for, its log, its image, its replicas, its faults. Written down where it
// happens, and sent by the heartbeat to the servers that have it, for `tasuki gpus top`.
//
//   auto standing = std::make_shared<Standing>();
//   tell(visit, standing);                                  // with each beat from now on
//   { const Standing::Wait wait(standing.get(), Call::WaitStream); ..; }
//   standing->log(bytes);
//
// By any thread, and never with a lock held that another's wait could need.
#pragma once

#include <remote/link/report.hpp>
#include <remote/server/visit.hpp>
#include <remote/wire/frames.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace tasuki::remote {

class Standing {
public:
  // While a thread of the program waits for an answer. Without a standing it does nothing.
  class Wait {
  public:
    Wait(Standing* standing, Call call);
    ~Wait();
    Wait(const Wait&) = delete;

  private:
    friend class Standing;
    Standing* const standing_;
    const Call call_;
    u64 since_ = 0;
  };

  void log(u64 bytes) { log_ = bytes; } // Report::none: none is kept any more
  void image(u64 bytes);                // one was taken
  void replicas(u64 count) { replicas_ = count; }
  void agreed() { agreed_.fetch_add(1, std::memory_order_relaxed); }
  void differed() { ++differed_; }
  void fault() { ++faults_; } // a worker was replaced, or the program is told an error of a kernel

  Report report() const;

private:
  mutable std::mutex mutex_;
  std::vector<const Wait*> waits_; // by when they began
  std::atomic<u64> log_{Report::none}, image_{Report::none}, imaged_{0};
  std::atomic<u64> replicas_{0}, agreed_{0}, differed_{0}, faults_{0};
};

// Nothing where the visit has no heartbeat.
void tell(const Visit& visit, std::shared_ptr<const Standing> standing);

} // namespace tasuki::remote
