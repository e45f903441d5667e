// Synchronisations of memory that all ranks address: where a plan has one, and how it is done.
#include <tasuki/program/plan.hpp>

#include <algorithm>

namespace tasuki {

// What synchronises one memory of a space synchronises all of them.
void Planner::plan_sync(const std::vector<int>& fields, PlannedStep& step, PlanState& state) const {
  if (fields.empty()) return;
  PlannedSync op;
  const auto common_of = [&](int field) -> CommonMemory* { // of the memory that it has then
    for (const auto& now : fields_)
      if (now->memory_id() == state.memory[static_cast<std::size_t>(field)]) return now->common();
    return nullptr;
  };
  for (const int field : fields) {
    op.fields.push_back(fields_[static_cast<std::size_t>(field)]);
    const CommonMemory* const common = common_of(field);
    for (std::size_t k = 0; k < fields_.size(); ++k)
      if (common_of(static_cast<int>(k)) == common) state.validity[k].synced();
  }
  step.ops.emplace_back(std::move(op));
}

std::vector<CommonMemory*> PlannedSync::memories() const {
  std::vector<CommonMemory*> all;
  for (const auto& field : fields)
    if (CommonMemory* const common = field->common();
        common && std::find(all.begin(), all.end(), common) == all.end())
      all.push_back(common);
  return all;
}

void synchronise(const std::vector<CommonMemory*>& memories, Device& device) {
  device.stream().synchronize();
  for (CommonMemory* const memory : memories) memory->sync();
}

} // namespace tasuki
