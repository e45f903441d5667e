#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/graph.hpp>

#include <utility>

namespace tasuki {

Graph::Graph(Stream& stream, const std::function<void()>& enqueue) {
  if (stream.kind() != DeviceKind::cuda)
    throw Error("a host has no graphs", "take --device cuda, or --executor eager, overlapped or resident");
  cuda::begin_capture(stream.handle());
  try {
    enqueue();
  } catch (...) {
    cuda::abandon_capture(stream.handle());
    throw;
  }
  handle_ = cuda::end_capture(stream.handle(), nodes_);
}

Graph::~Graph() {
  if (handle_) cuda::free_graph(handle_);
}
Graph::Graph(Graph&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), nodes_(other.nodes_) {}

void Graph::launch(Stream& stream) const { cuda::launch_graph(handle_, stream.handle()); }

} // namespace tasuki
