// Streams of a GPU that stop until they are told to go on. A stop is a call of the driver's thread, which does not wait, and
// behind it a wait of the stream for a word of the host's memory.
//
//   DriverStops stops(calls, check);                // check(result, what) throws where a call of the driver failed
//   stops.add(stream, captured, {come, gone});      // see Stop
//   nodes -= stops.more_nodes(graph, nodes);        // a stop is one node to the program, and three to the driver
//
// Outside of a capture a stream has a word of its own and waits for the number of the stop. A graph's stop is launched over and
// over, so it has a word of its own, waits for a 1 and writes a 0. The driver launches a graph anew only when it has ended.
#pragma once

#include <remote/device/device.hpp>
#include <remote/device/driver_calls.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace tasuki::remote {

class DriverStops {
public:
  using Check = std::function<void(CUresult result, const char* what)>;
  DriverStops(const DriverCalls& calls, Check check) : calls_(calls), check_(std::move(check)) {}
  ~DriverStops(); // after the context has ended, and with it the registrations

  void add(CUstream stream, bool captured, Stop stop);
  std::size_t more_nodes(CUgraph graph, std::size_t nodes) const;

private:
  using Word = std::atomic<std::uint32_t>;
  struct Line { // the stops of a stream, one after another
    Word* word = nullptr;
    std::uint32_t last = 0;
  };
  struct OfGraph {
    Stop stop;
    Word* word = nullptr;
  };
  static void comes(void* of_graph);
  static void goes(void* of_graph);
  void add_to_stream(CUstream stream, Stop stop);
  void add_to_graph(CUstream stream, Stop stop);
  Word* fresh();

  const DriverCalls& calls_;
  const Check check_;
  std::mutex mutex_;
  std::vector<Word*> pages_; // of words; registered
  std::size_t taken_ = 0;    // words of the last page
  std::unordered_map<CUstream, Line> lines_;
  std::vector<std::unique_ptr<OfGraph>> of_graphs_; // until the worker ends
};

} // namespace tasuki::remote
