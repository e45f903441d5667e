// Captured streams, graphs, and words that streams wait for.
#include <remote/server/calls.hpp>
#include <remote/server/refuse.hpp>

#include <algorithm>
#include <functional>

namespace tasuki::remote {

// Before a stream is captured: a note of where it is cannot be made inside.
void Calls::on(const call::BeginCapture& c, View) {
  const StreamId s = stream(c.stream);
  staging_.leaves(s);
  device_.begin_capture(s);
  if (captures_++ == 0) in_captures_ = std::make_shared<std::atomic<int>>(0);
}

void Calls::on(const call::EndCapture& c, View) {
  room_in(graphs_);
  if (captures_ > 0) --captures_;
  u64 nodes = 0;
  const GraphId graph = device_.end_capture(stream(c.stream), nodes);
  if (c.graph == 0 || graphs_.count(c.graph))
    device_.destroy_graph(graph);
  else
    graphs_[c.graph] = {graph, in_captures_};
  reply(answer::Number{nodes});
}

void Calls::on(const call::Instantiate& c, View) {
  room_in(executables_);
  const auto at = graphs_.find(c.graph);
  if (at == graphs_.end() || executables_.count(c.executable))
    refuse(Status::invalid_resource_handle, "no such graph", "capture it on this device");
  executables_[c.executable] = {device_.instantiate(at->second.id, c.flags), at->second.functions};
}

bool Calls::under_way(const Executable& made) { return made.functions && *made.functions > 0; }

bool Calls::must_wait(const call::LaunchGraph& c) const {
  const auto at = executables_.find(c.executable);
  return at != executables_.end() && under_way(at->second);
}

void Calls::on(const call::LaunchGraph& c, View) {
  const auto at = executables_.find(c.executable);
  if (at == executables_.end() || c.functions > handles_limit)
    refuse(Status::invalid_resource_handle, "no such graph", "make it ready on this device");
  const int functions = static_cast<int>(c.functions);
  {
    std::lock_guard hold(holds_->mutex);
    holds_->waiting += functions;
  }
  auto& functions_left = at->second.functions;
  if (functions_left) *functions_left += functions;
  try {
    const StreamId s = stream(c.stream);
    launched(s, [&] { device_.launch_graph(at->second.id, s); });
  } catch (...) {
    if (functions_left) *functions_left -= functions;
    std::lock_guard hold(holds_->mutex);
    holds_->waiting -= functions;
    throw;
  }
}

void Calls::on(const call::DestroyGraph& c, View) {
  const auto at = graphs_.find(c.graph);
  if (at == graphs_.end()) refuse(Status::invalid_resource_handle, "no such graph", "destroy it once");
  const GraphId graph = at->second.id;
  graphs_.erase(at);
  device_.destroy_graph(graph);
}

void Calls::on(const call::DestroyExecutable& c, View) {
  const auto at = executables_.find(c.executable);
  if (at == executables_.end()) refuse(Status::invalid_resource_handle, "no such graph", "destroy it once");
  const Executable made = at->second;
  executables_.erase(at);
  {
    // A driver waits for the launches of what it destroys, and these wait for functions of the client.
    std::lock_guard hold(holds_->mutex);
    if (under_way(made)) return void(holds_->leaving.push_back(made));
  }
  device_.destroy_executable(made.id);
}

void Calls::leave() {
  const auto over = [](const Executable& made) { return !under_way(made); };
  const auto first = std::stable_partition(holds_->leaving.begin(), holds_->leaving.end(), std::not_fn(over));
  for (auto made = first; made != holds_->leaving.end(); ++made)
    waiters_.add([this, id = made->id] {
      try {
        device_.destroy_executable(id);
      } catch (const DeviceError&) {
        // the device has a fault, of which others are told
      }
    });
  holds_->leaving.erase(first, holds_->leaving.end());
}

void Calls::on(const call::WordOperation& c, View) {
  check(c.address, 8);
  device_.word(stream(c.stream), {c.operation, c.address, c.value, c.flags});
}

} // namespace tasuki::remote
