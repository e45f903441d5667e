// A CUDA graph: work that was enqueued once, and is done many times by one launch.
#pragma once

#include <tasuki/device/device.hpp>

#include <functional>

namespace tasuki {

class Graph {
public:
  // Records what `enqueue` gives to the stream, and to other streams between events that fork them from
  // it and join them to it, instead of doing it. Addresses and numbers are recorded as they are then.
  // `enqueue` must neither allocate memory of the device nor wait for it. Throws Error on a host.
  Graph(Stream& stream, const std::function<void()>& enqueue);
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) = delete;

  void launch(Stream& stream) const;
  long nodes() const { return nodes_; } // kernels, copies and the like

private:
  void* handle_ = nullptr; // the cudaGraphExec_t
  long nodes_ = 0;
};

} // namespace tasuki
