// Graphs that were captured, and executables made of them. Their nodes are at the server.
#include <remote/runtime/captures.hpp>
#include <remote/runtime/managed.hpp>

#include <served.hpp>

#include <mutex>

namespace tasuki::remote {

namespace {

// What graphs ask of this process stays as long as one of them.
struct Functions {
  VirtualDevice& device;
  std::vector<u64> tokens;
  Functions(VirtualDevice& on, std::vector<u64> all) : device(on), tokens(std::move(all)) {}
  ~Functions() { device.forget(tokens); }
};

struct Held {
  u32 mark = 0;
  VirtualDevice* device = nullptr;
  u64 number = 0, nodes = 0, flags = 0;
  std::shared_ptr<Functions> functions;
};
constexpr u32 graph_mark = 0x47525048, executable_mark = 0x45584543;

// Handles are kept when they are destroyed, so that a stale one is found out.
std::mutex graphs_mutex;
Held& fresh(u32 mark, VirtualDevice& device, u64 number, u64 nodes, std::shared_ptr<Functions> functions) {
  static auto* all = new std::vector<std::unique_ptr<Held>>;
  std::lock_guard hold(graphs_mutex);
  Held* held = nullptr;
  for (const auto& one : *all)
    if (!one->mark) held = one.get();
  if (!held) held = all->emplace_back(std::make_unique<Held>()).get();
  *held = {mark, &device, number, nodes, 0, std::move(functions)};
  return *held;
}

template <class Handle>
Held& held(Handle handle, u32 mark) {
  auto* there = reinterpret_cast<Held*>(handle);
  if (!there || there->mark != mark) throw Failure(Status::invalid_value);
  return *there;
}

void retire(Held& there) {
  std::shared_ptr<Functions> functions; // go without the lock
  std::lock_guard hold(graphs_mutex);
  there.mark = 0;
  functions.swap(there.functions);
}

} // namespace

cudaGraph_t new_graph(VirtualDevice& device, u64 number, u64 nodes, std::vector<u64> functions) {
  return reinterpret_cast<cudaGraph_t>(
      &fresh(graph_mark, device, number, nodes, std::make_shared<Functions>(device, std::move(functions))));
}

namespace served {

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* numNodes) {
  const Held& there = held(graph, graph_mark);
  if (!numNodes) return cudaErrorInvalidValue;
  if (nodes) return refuse("cudaGraphGetNodes with room for nodes", "ask for their number alone");
  *numNodes = there.nodes;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph, unsigned long long flags) {
  if (!pGraphExec) return cudaErrorInvalidValue;
  *pGraphExec = nullptr;
  const Held& there = held(graph, graph_mark);
  constexpr unsigned long long known =
      cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagUseNodePriority;
  if (flags & ~known)
    return refuse("cudaGraphInstantiate for a launch by a kernel", "launch the graph from the host");
  const u64 number = there.device->fresh();
  there.device->calls().ask<answer::Done>(call::Instantiate{
      there.number, number, static_cast<u32>(flags & cudaGraphInstantiateFlagUseNodePriority)});
  Held& made = fresh(executable_mark, *there.device, number, there.nodes, there.functions);
  made.flags = flags;
  *pGraphExec = reinterpret_cast<cudaGraphExec_t>(&made);
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return served::cudaGraphInstantiate(pGraphExec, graph, flags);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long* flags) {
  if (!flags) return cudaErrorInvalidValue;
  *flags = held(graphExec, executable_mark).flags;
  return cudaSuccess;
}

// The server has done it when it made the graph ready.
cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream) {
  held(graphExec, executable_mark);
  resolve(stream);
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
  const Held& there = held(graphExec, executable_mark);
  const On on = resolve(stream);
  if (&on.device != there.device) return cudaErrorInvalidValue;
  const std::vector<u64>& tokens = there.functions->tokens;
  if (!tokens.empty()) {
    not_captured(on); // a graph inside of another asks nothing of this process
    there.device->announce(tokens);
  }
  give_mirrored(on);
  on.device.busy();
  on.device.calls().post(call::LaunchGraph{there.number, on.stream, static_cast<u32>(tokens.size())});
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  Held& there = held(graph, graph_mark);
  there.device->calls().post(call::DestroyGraph{there.number});
  retire(there);
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
  Held& there = held(graphExec, executable_mark);
  there.device->calls().post(call::DestroyExecutable{there.number});
  retire(there);
  return cudaSuccess;
}

} // namespace served
} // namespace tasuki::remote
