// A CUDA graph: work that is enqueued once and then executed many times, by one launch each.
#pragma once

#include <tasuki/device/device.hpp>

#include <functional>

namespace tasuki {

class Graph {
public:
  // Records the work that `enqueue` enqueues on the stream, and on other streams that fork from it and join it by
  // events, without executing it. Addresses and numbers keep the values that they have at this time.
  // `enqueue` must neither allocate device memory nor synchronize. Throws Error on a host.
  Graph(Stream& stream, const std::function<void()>& enqueue);
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) = delete;

  void launch(Stream& stream) const;
  long nodes() const { return nodes_; } // kernels, copies and other nodes

private:
  void* handle_ = nullptr; // the cudaGraphExec_t
  long nodes_ = 0;
};

} // namespace tasuki
