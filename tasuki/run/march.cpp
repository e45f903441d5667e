#include <tasuki/run/march.hpp>

#include <tasuki/device/host_reach.hpp>
#include <tasuki/device/tiled/tiled.hpp>
#include <tasuki/run/look_log.hpp>
#include <tasuki/run/run.hpp>

#include <algorithm>
#include <map>

namespace tasuki {
namespace {

bool fires(const Item& item, long number) { return (number % item.period == 0) != item.others; }

bool fires_alike(const Items& items, long a, long b) {
  return std::all_of(items.begin(), items.end(),
                     [&](const Item& item) { return fires(item, a) == fires(item, b); });
}

} // namespace

bool March::changes(const FieldCore* memory) const {
  return std::find(changing.begin(), changing.end(), memory) != changing.end();
}

void March::swap_fields(long steps) const {
  for (long k = 0; k < steps % phases; ++k) {
    for (const Swap& swap : before) swap.a->swap(*swap.b);
    for (const Swap& swap : after) swap.a->swap(*swap.b);
  }
}

std::optional<March> march_at(const Program& program, long first, long last, int most_phases) {
  March march;
  const Items& items = program.items();
  for (const Item& item : items) {
    if (!fires(item, first)) continue;
    if (const auto* sweep = std::get_if<Sweep>(&item.what)) {
      if (march.sweep) return {};
      march.sweep = *sweep;
    } else if (const auto* swap = std::get_if<Swap>(&item.what)) {
      (march.sweep ? march.after : march.before).push_back(*swap);
    } else if (std::holds_alternative<Call>(item.what) || std::holds_alternative<Settle>(item.what)) {
      return {};
    } // an explicit exchange changes no cell of a block
  }
  if (!march.sweep) return {};

  // The memory that each field holds as the steps proceed.
  std::map<FieldCore*, FieldCore*> held;
  const auto memory_of = [&](FieldCore* field) { return held.emplace(field, field).first->second; };
  const auto trade = [&](const std::vector<Swap>& swaps) {
    for (const Swap& swap : swaps) {
      FieldCore *a = memory_of(swap.a.get()), *b = memory_of(swap.b.get());
      held[swap.a.get()] = b;
      held[swap.b.get()] = a;
    }
  };
  const auto& accesses = march.sweep->accesses();
  for (;;) {
    if (static_cast<int>(march.memory.size()) == most_phases) return {};
    trade(march.before);
    auto& now = march.memory.emplace_back();
    for (const Access& access : accesses)
      now.push_back(access.field ? memory_of(access.field.get()) : nullptr);
    trade(march.after);
    if (std::all_of(held.begin(), held.end(), [](const auto& pair) { return pair.first == pair.second; }))
      break;
  }
  march.phases = static_cast<int>(march.memory.size());

  const auto note = [&](FieldCore* memory) {
    if (memory && !march.changes(memory)) march.changing.push_back(memory);
  };
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    const bool reads = accesses[k].kind == Access::Kind::read;
    bool moves = false;
    for (const auto& now : march.memory) moves = moves || now[k] != march.memory[0][k];
    if (!reads || moves)
      for (const auto& now : march.memory) note(now[k]);
  }

  march.steps = 1;
  while (first + march.steps <= last && fires_alike(items, first, first + march.steps)) ++march.steps;
  return march;
}

std::string trouble_with_marches(const Program& program, long few, int most_phases,
                                 const std::function<std::string(const March&)>& trouble) {
  constexpr long kLook = 128;
  std::string first;
  for (long step = 1; step <= kLook;) {
    const auto march = march_at(program, step, kLook + few, most_phases);
    const std::string why = !march               ? "a step is more than one sweep and swaps"
                            : march->steps < few ? "no " + std::to_string(few) + " steps in a row are alike"
                                                 : trouble(*march);
    if (why.empty()) return "";
    if (first.empty()) first = why;
    step += march ? march->steps : 1;
  }
  return first;
}

std::string trouble_with_anywhere(const Program& program) {
  for (const Item& item : program.items())
    if (const auto* sweep = std::get_if<Sweep>(&item.what))
      for (const Access& access : (*sweep)->accesses())
        if (access.kind == Access::Kind::anywhere)
          return "sweep '" + (*sweep)->name() + "' reads field '" + access.name +
                 "' anywhere, and parts of a block alone are at hand";
  return "";
}

int looked_at(const March& march, const Until& until) {
  int number = 0;
  for (const Access& access : march.sweep->accesses()) {
    if (access.kind != Access::Kind::reduce) continue;
    if (access.reduction == until.reduction.get()) return number;
    ++number;
  }
  return -1;
}

bool judged_in_kernel(const Program& program, const Until& until) {
  if (!reaches_host(program.grid().device())) return false; // a kernel reports its verdict in host memory
  if (!until.reduction || until.late > until.every || (until.told && !LookLog::possible(*until.reduction)))
    return false;
  if (until.tests)
    for (const Item& item : program.items())
      if (item.period != 1) return false;
  const auto march = march_at(program, 1, 1, kTiledPhases);
  return march && looked_at(*march, until) >= 0;
}

} // namespace tasuki
