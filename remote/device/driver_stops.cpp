#include <remote/device/driver_stops.hpp>

#include <array>
#include <cstdlib>
#include <cstring>
#include <new>

namespace tasuki::remote {

namespace {

constexpr std::size_t page = 64u << 10; // bytes
constexpr const char* what = "a function of the host";

CUstreamBatchMemOpParams wait_of(const void* word, std::uint32_t value, unsigned flags) {
  CUstreamBatchMemOpParams one{};
  one.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  one.waitValue.address = reinterpret_cast<CUdeviceptr>(word);
  one.waitValue.value = value;
  one.waitValue.flags = flags;
  return one;
}

CUstreamBatchMemOpParams write_of(const void* word, std::uint32_t value) {
  CUstreamBatchMemOpParams one{};
  one.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  one.writeValue.address = reinterpret_cast<CUdeviceptr>(word);
  one.writeValue.value = value;
  return one;
}

} // namespace

DriverStops::~DriverStops() {
  for (Word* words : pages_) std::free(words);
}

void DriverStops::add(CUstream stream, bool captured, Stop stop) {
  std::lock_guard hold(mutex_); // a stream's stops are enqueued in the order of their numbers
  if (captured)
    add_to_graph(stream, std::move(stop));
  else
    add_to_stream(stream, std::move(stop));
}

void DriverStops::add_to_stream(CUstream stream, Stop stop) {
  Line& line = lines_[stream];
  if (!line.word) line.word = fresh();
  const std::uint32_t number = line.last + 1;
  auto* come = new std::function<void()>([stop = std::move(stop), word = line.word, number] {
    stop.come([word, number] { word->store(number, std::memory_order_release); });
  });
  const CUresult result = calls_.cuLaunchHostFunc(
      stream,
      [](void* data) {
        const std::unique_ptr<std::function<void()>> once(static_cast<std::function<void()>*>(data));
        (*once)();
      },
      come);
  if (result != CUDA_SUCCESS) delete come;
  check_(result, what);
  line.last = number;
  CUstreamBatchMemOpParams wait = wait_of(line.word, number, CU_STREAM_WAIT_VALUE_GEQ);
  check_(calls_.cuStreamBatchMemOp(stream, 1, &wait, 0), what);
}

void DriverStops::add_to_graph(CUstream stream, Stop stop) {
  of_graphs_.push_back(std::make_unique<OfGraph>(OfGraph{std::move(stop), fresh()}));
  OfGraph* of = of_graphs_.back().get();
  check_(calls_.cuLaunchHostFunc(stream, comes, of), what);
  std::array<CUstreamBatchMemOpParams, 2> both{wait_of(of->word, 1, CU_STREAM_WAIT_VALUE_EQ),
                                               write_of(of->word, 0)};
  check_(calls_.cuStreamBatchMemOp(stream, both.size(), both.data(), 0), what);
  check_(calls_.cuLaunchHostFunc(stream, goes, of), what);
}

void DriverStops::comes(void* of_graph) {
  const auto& of = *static_cast<const OfGraph*>(of_graph);
  of.stop.come([word = of.word] { word->store(1, std::memory_order_release); });
}

void DriverStops::goes(void* of_graph) {
  const auto& of = *static_cast<const OfGraph*>(of_graph);
  if (of.stop.gone) of.stop.gone();
}

std::size_t DriverStops::more_nodes(CUgraph graph, std::size_t nodes) const {
  std::vector<CUgraphNode> all(nodes);
  std::size_t more = 0;
  if (nodes) check_(calls_.cuGraphGetNodes(graph, all.data(), &nodes), "a graph's nodes");
  for (CUgraphNode node : all) {
    CUgraphNodeType type{};
    CUDA_HOST_NODE_PARAMS host{};
    check_(calls_.cuGraphNodeGetType(node, &type), "a graph's node");
    if (type != CU_GRAPH_NODE_TYPE_HOST) continue;
    check_(calls_.cuGraphHostNodeGetParams(node, &host), "a graph's node");
    if (host.fn == comes) more += 2;
  }
  return more;
}

DriverStops::Word* DriverStops::fresh() {
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(Word) == 4);
  if (pages_.empty() || taken_ == page / sizeof(Word)) {
    void* memory = std::aligned_alloc(page, page);
    if (!memory) throw std::bad_alloc();
    std::memset(memory, 0, page);
    const CUresult result =
        calls_.cuMemHostRegister(memory, page, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
    if (result != CUDA_SUCCESS) std::free(memory);
    check_(result, what);
    pages_.push_back(static_cast<Word*>(memory));
    taken_ = 0;
  }
  return pages_.back() + taken_++;
}

} // namespace tasuki::remote
