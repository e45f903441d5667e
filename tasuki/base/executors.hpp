// The executors: the ways to execute the steps of a program, and the words of --executor. A new one needs a row here,
// one in tasuki/model/executors.cpp (cost model), one in tasuki/run/executor.cpp (constructor and limits), and a page,
// docs/executors/NAME.md. If one of them is missing, the compiler or a test reports it.
//   for (const ExecutorRow& executor : kExecutors) puts(executor.name);
#pragma once

#include <array>
#include <string>
#include <vector>

namespace tasuki {

enum class ExecutorKind { eager, overlapped, graph, blocked, resident, streamed };

struct ExecutorRow {
  ExecutorKind kind;
  const char* name;
  bool gpus_only;
  const char* does; // a step, or many
};

// In the order of preference for equal times.
inline constexpr std::array<ExecutorRow, 6> kExecutors = {{
    {ExecutorKind::eager, "eager", false, "the exchange, then the sweep"},
    {ExecutorKind::overlapped, "overlapped", false, "the interior while halos travel, then the rim"},
    {ExecutorKind::graph, "graph", true, "many steps as one graph, launched again and again"},
    {ExecutorKind::blocked, "blocked", true, "several steps a pass over memory"},
    {ExecutorKind::resident, "resident", false, "many steps by a kernel, or threads, that stay"},
    {ExecutorKind::streamed, "streamed", false, "slabs of fields in host memory, several steps each"},
}};
inline constexpr const char* kAutoExecutor = "auto"; // the fastest one here
inline constexpr const char* kNeedsGpu = "it needs a GPU";

// Whether it does a sweep at a time: neighbours that read each other's cells where they lie (--halo direct) meet between two.
constexpr bool meets(ExecutorKind kind) {
  return kind == ExecutorKind::eager || kind == ExecutorKind::overlapped;
}
inline constexpr const char* kDoesNotMeet =
    "neighbours read each other's cells where they lie (--halo direct), and meet at the exchanges of "
    "executors that do a sweep at a time";

constexpr const ExecutorRow& row_of(ExecutorKind kind) { return kExecutors[static_cast<std::size_t>(kind)]; }

// Whether a table has one row for each executor, in the same order.
template <class Rows>
constexpr bool one_each(const Rows& rows) {
  std::size_t at = 0;
  for (const auto& row : rows)
    if (at == kExecutors.size() || row.kind != kExecutors[at++].kind) return false;
  return at == kExecutors.size();
}

inline std::vector<std::string> executor_names() {
  std::vector<std::string> names;
  for (const ExecutorRow& row : kExecutors) names.emplace_back(row.name);
  return names;
}

} // namespace tasuki
