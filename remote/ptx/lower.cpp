#include <remote/ptx/lower.hpp>

#include <remote/ptx/lowering.hpp>

#include <algorithm>
#include <functional>

namespace tasuki::remote::ptx {
namespace {

constexpr std::uint32_t kRecursion = 16384; // bytes of stack beside the known size, if calls may recurse

// Calls act() for every name in an operand.
template <class Act>
void names_in(const Operand& operand, const Act& act) {
  if (operand.kind == Operand::Kind::symbol || operand.kind == Operand::Kind::label) act(operand.name);
  for (const Operand& part : operand.parts) names_in(part, act);
}

} // namespace

std::uint32_t lay_out(const Signature& signature, std::vector<std::uint32_t>& returns,
                      std::vector<std::uint32_t>& parameters) {
  std::uint32_t end = 0;
  const auto add = [&](const std::vector<Variable>& list, std::vector<std::uint32_t>& places) {
    for (const Variable& v : list) {
      end = up(end, std::max<std::uint32_t>(v.align, 1));
      places.push_back(end);
      end += static_cast<std::uint32_t>(v.bytes);
    }
  };
  add(signature.returns, returns);
  add(signature.parameters, parameters);
  return end;
}

std::int64_t Lowering::function(std::string_view name) const {
  std::string found(name);
  for (int k = 0; k < 8; ++k)
    if (auto alias = module.alias.find(found); alias != module.alias.end()) found = alias->second;
  const auto at = module.function_of.find(found);
  return at == module.function_of.end() ? -1 : static_cast<std::int64_t>(at->second);
}

std::int32_t Lowering::routine(std::uint32_t function) {
  std::int32_t& known = code.routine_of_function[function];
  if (known < 0) {
    known = static_cast<std::int32_t>(queue_.size());
    queue_.push_back(function);
  }
  return known;
}

void Lowering::find_routines() {
  code.routine_of_function.assign(module.functions.size(), -1);
  routine(kernel_);
  bool anything = false;
  for (std::size_t k = 0; k < queue_.size(); ++k)
    for (const Instruction& i : module.functions[queue_[k]].body) {
      for (const Operand& o : i.operands)
        names_in(o, [&](std::string_view name) {
          const std::int64_t f = function(name);
          if (f >= 0 && !module.functions[static_cast<std::size_t>(f)].external)
            routine(static_cast<std::uint32_t>(f));
        });
      if (i.opcode == "call" && !anything)
        for (const Operand& o : i.operands) anything = anything || o.kind == Operand::Kind::reg;
      if (anything && !deep_) { // any function whose address is taken may be called
        deep_ = true;
        for (const Function& f : module.functions)
          for (const Instruction& other : f.body)
            if (other.opcode != "call")
              for (const Operand& o : other.operands)
                names_in(o, [&](std::string_view name) {
                  const std::int64_t found = function(name);
                  if (found >= 0) routine(static_cast<std::uint32_t>(found));
                });
        for (const Variable& v : module.variables)
          for (const Initial& value : v.initial)
            if (const std::int64_t found = function(value.symbol); !value.symbol.empty() && found >= 0)
              routine(static_cast<std::uint32_t>(found));
      }
    }
}

// Positions of shared variables of the kernel and of the functions that it calls, those of dynamic size at the end.
void Lowering::lay_out_shared() {
  std::vector<const Variable*> found;
  const auto add = [&](const Variable& v) {
    if (v.space == Space::shared && shared_.emplace(&v, 0).second) found.push_back(&v);
  };
  for (const std::uint32_t f : queue_) {
    for (const Variable& v : module.functions[f].variables) add(v);
    for (const Instruction& i : module.functions[f].body)
      for (const Operand& o : i.operands)
        names_in(o, [&](std::string_view name) {
          if (const auto at = module.variable_of.find(std::string(name)); at != module.variable_of.end())
            add(module.variables[at->second]);
        });
  }
  std::uint32_t end = 0, align = 16;
  for (const Variable* v : found)
    if (v->bytes > 0) {
      if (v->bytes > 1u << 20)
        throw Error("kernel " + name() + ": shared variable " + v->name + " is too large", "make it smaller");
      shared_[v] = up(end, v->align);
      end = shared_[v] + static_cast<std::uint32_t>(v->bytes);
    }
  for (const Variable* v : found)
    if (v->bytes == 0) align = std::max(align, v->align);
  code.static_shared = end;
  for (const Variable* v : found)
    if (v->bytes == 0) {
      code.static_shared = up(end, align);
      shared_[v] = code.static_shared;
    }
}

void Lowering::size_stack() {
  const std::size_t n = code.routines.size();
  std::vector<std::uint64_t> need(n, 0);
  std::vector<char> state(n, 0); // 1: being computed, 2: known
  const std::function<std::uint64_t(std::size_t)> of = [&](std::size_t r) -> std::uint64_t {
    if (state[r] == 1) deep_ = true;
    if (state[r] != 0) return need[r];
    state[r] = 1;
    std::uint64_t most = 0;
    for (const auto& [from, to] : calls_)
      if (from == static_cast<std::ptrdiff_t>(r)) most = std::max(most, of(static_cast<std::size_t>(to)));
    state[r] = 2;
    return need[r] = most + up(code.routines[r].stack, 16);
  };
  std::uint64_t stack = of(0);
  if (deep_) {
    stack += kRecursion;
    for (const Routine& r : code.routines) stack += up(r.stack, 16);
  }
  if (stack > 1u << 30)
    throw Error("kernel " + name() + " needs " + std::to_string(stack) + " bytes a thread",
                "make its arrays smaller");
  code.stack = static_cast<std::uint32_t>(stack);
}

Code Lowering::run() {
  const Function& kernel = module.functions[kernel_];
  code.name = kernel.name;
  find_routines();
  lay_out_shared();
  code.routines.resize(queue_.size());
  for (const Variable& v : kernel.signature.parameters) {
    const std::uint32_t at = up(code.parameter_bytes, std::max<std::uint32_t>(v.align, 1));
    code.parameters.push_back({at, static_cast<std::uint32_t>(v.bytes)});
    code.parameter_bytes = at + static_cast<std::uint32_t>(v.bytes);
  }
  if (kernel.max_threads) code.max_threads = std::min<std::uint32_t>(kernel.max_threads, 1024);
  code.registers = static_cast<std::uint32_t>(std::min<std::size_t>(kernel.registers.size(), 255));
  for (std::size_t k = 0; k < queue_.size(); ++k) {
    Routine& routine = code.routines[k];
    const Function& function = module.functions[queue_[k]];
    routine.name = function.name;
    Body(*this, module, function, routine, k == 0).run();
  }
  size_stack();
  return std::move(code);
}

Code lower(const Module& module, std::uint32_t kernel, const Addresses& addresses) {
  return Lowering(module, kernel, addresses).run();
}

std::uint32_t Lowering::shared_place(const Variable& variable) {
  const auto found = shared_.find(&variable);
  return found == shared_.end() ? 0 : found->second;
}

} // namespace tasuki::remote::ptx
