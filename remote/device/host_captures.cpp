// Stream capture on the host device.
#include <remote/device/host_streams.hpp>

namespace tasuki::remote {

void HostStreams::not_captured(Stream& stream, Status status) {
  if (!stream.tail.capture) return;
  stream.tail.capture->broken = Status::capture_invalidated;
  throw DeviceError(status, "a stream that is captured is waited for", "end its capture first");
}

void HostStreams::capture(Stream& stream, std::function<void()> work) {
  Capture& capture = *stream.tail.capture;
  capture.nodes.push_back(std::move(work));
  capture.behind.push_back(std::move(stream.tail.nodes));
  stream.tail.nodes = {capture.nodes.size() - 1};
}

void HostStreams::join_capture(Stream& stream, const Event& event) {
  const auto& own = stream.tail.capture;
  const auto& its = event.tail.capture;
  const auto spoil = [&](Status status, const char* what) {
    if (own) own->broken = Status::capture_invalidated;
    throw DeviceError(status, what, "record the event in the same capture");
  };
  if (!its) {
    if (event.time) spoil(Status::capture_isolation, "a captured stream waits for what is outside");
    return; // the event was never recorded
  }
  if (its->over) spoil(Status::captured_event, "an event is waited for that a former capture recorded");
  if (own && own != its) spoil(Status::capture_merge, "a captured stream waits for another capture");
  stream.tail.capture = its;
  stream.tail.nodes.insert(event.tail.nodes.begin(), event.tail.nodes.end());
}

void HostStreams::begin_capture(StreamId id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto stream = find(id);
  if (id == kLegacyStream)
    throw DeviceError(Status::capture_unsupported, "the default stream cannot be captured",
                      "capture one that was created");
  if (stream->tail.capture)
    throw DeviceError(Status::illegal_state, "a stream is captured already", "end that first");
  stream->tail.capture = std::make_shared<Capture>();
  stream->tail.capture->origin = stream;
}

// Whether every dependency of `other` is also a dependency of `end`.
bool HostStreams::joined(const Capture& capture, const Tail& end, const Tail& other) {
  std::set<std::size_t> reached = end.nodes;
  for (auto node = reached.rbegin(); node != reached.rend(); ++node) // a node depends on smaller ones
    reached.insert(capture.behind[*node].begin(), capture.behind[*node].end());
  for (const std::size_t node : other.nodes)
    if (!reached.count(node)) return false;
  return true;
}

HostStreams::Graph HostStreams::end_capture(StreamId id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto stream = find(id);
  const auto capture = stream->tail.capture;
  if (!capture)
    throw DeviceError(Status::illegal_state, "a stream is not captured", "begin its capture first");
  if (capture->origin != stream)
    throw DeviceError(Status::capture_unmatched, "a capture ends where it did not begin",
                      "end it on the stream on which it began");
  capture->over = true;
  Status status = capture->broken;
  const Tail end = stream->tail;
  for (auto& [other_id, other] : streams_) {
    if (other->tail.capture != capture) continue;
    if (status == Status::success && !joined(*capture, end, other->tail)) status = Status::capture_unjoined;
    other->tail = {};
  }
  capture->origin.reset();
  Graph graph;
  graph.swap(capture->nodes);
  if (status == Status::capture_unjoined)
    throw DeviceError(status, "a stream of a capture was not waited for at its end",
                      "let the first stream wait for an event of each other");
  if (status != Status::success)
    throw DeviceError(status, "a capture was spoilt by an earlier call", "look at that call's error");
  return graph;
}

bool HostStreams::captured(StreamId id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return find(id)->tail.capture != nullptr;
}

} // namespace tasuki::remote
