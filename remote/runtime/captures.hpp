// Streams that are captured: what is enqueued on them is kept at the server. The client knows which streams they are, so
// that it asks for nothing that would spoil a capture.
//
//   if (const auto capture = capture_of(on)) capture->functions.push_back(on.device.captured_call(on.stream, f));
//   not_captured(on);   // before the stream is waited for: throws cudaErrorStreamCaptureUnsupported, spoils the capture
#pragma once

#include <remote/runtime/program.hpp>

#include <memory>
#include <vector>

namespace tasuki::remote {

struct Capture {
  VirtualDevice* device = nullptr;
  u64 origin = 0; // the stream on which it began
  u64 number = 0;
  std::vector<u64> functions; // tokens of what the graph asks of this process
  bool spoilt = false;
  bool over = false;
};

std::shared_ptr<Capture> capture_of(const On& on); // null: what is enqueued is done
void not_captured(const On& on);
void not_captured(const Event& event);     // throws cudaErrorCapturedEvent
void none_captured(VirtualDevice& device); // before a whole device is waited for
// cudaStreamWaitEvent where the stream or the event is of a capture.
cudaError_t join_capture(const On& on, Event& event);

// A graph of so many nodes at the server, and what it asks of this process (graphs.cpp).
cudaGraph_t new_graph(VirtualDevice& device, u64 number, u64 nodes, std::vector<u64> functions);

} // namespace tasuki::remote
