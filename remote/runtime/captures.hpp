// Captured streams: the server records their work. The client tracks which streams are captured, so that it never sends
// a request that would invalidate a capture.
//
//   if (const auto capture = capture_of(on)) capture->functions.push_back(on.device.captured_call(on.stream, f));
//   not_captured(on);   // before the stream is waited for: throws cudaErrorStreamCaptureUnsupported, ends the capture
#pragma once

#include <remote/runtime/program.hpp>

#include <memory>
#include <vector>

namespace tasuki::remote {

struct Capture {
  VirtualDevice* device = nullptr;
  u64 origin = 0; // the stream on which it began
  u64 number = 0;
  std::vector<u64> functions; // tokens of the graph's host functions in this process
  bool spoilt = false;
  bool over = false;
};

std::shared_ptr<Capture> capture_of(const On& on); // null: the stream is not captured
void not_captured(const On& on);
void not_captured(const Event& event);     // throws cudaErrorCapturedEvent
void none_captured(VirtualDevice& device); // before a wait for a whole device
// cudaStreamWaitEvent if the stream or the event is part of a capture.
cudaError_t join_capture(const On& on, Event& event);

// A graph of `nodes` nodes at the server, with the tokens of its host functions (graphs.cpp).
cudaGraph_t new_graph(VirtualDevice& device, u64 number, u64 nodes, std::vector<u64> functions);

} // namespace tasuki::remote
