// bra brx call ret exit trap nanosleep (PTX ISA, 9.7.12), and the functions that CUDA provides to kernels.
#include <remote/ptx/block.hpp>
#include <remote/ptx/lowering.hpp>
#include <remote/ptx/map.hpp>
#include <remote/ptx/print.hpp>

#include <algorithm>

namespace tasuki::remote::ptx {
namespace {

void branch(Warp& w, const Op& op, Mask mask) { w.branch(mask, static_cast<std::uint32_t>(op.immediate)); }
void ret(Warp& w, const Op&, Mask mask) { w.leave(mask); }
void exit(Warp& w, const Op&, Mask mask) { w.exit(mask); }
void trap(Warp& w, const Op&, Mask mask) { w.fault(Fault::Kind::trap, __builtin_ctz(mask), "trap"); }
void pause(Warp& w, const Op&, Mask) { w.yield(); }

void indexed(Warp& w, const Op& op, Mask mask) {
  const auto* index = w.at<std::uint32_t>(op.s[0]);
  std::uint32_t targets[kLanes] = {};
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    if (index[lane] >= op.table->size()) w.fault(Fault::Kind::trap, lane, "a branch leads out of its table");
    targets[lane] = (*op.table)[index[lane]];
  }
  w.scatter(mask, targets);
}

void direct(Warp& w, const Op& op, Mask mask) { w.call(mask, *op.call, op.call->routine); }
void through_register(Warp& w, const Op& op, Mask mask) {
  const auto* functions = w.at<std::uint64_t>(op.s[0]);
  const int first = __builtin_ctz(mask);
  const std::uint64_t function = functions[first];
  Mask same = 0;
  for (Mask m = mask; m; m &= m - 1)
    if (functions[__builtin_ctz(m)] == function) same |= m & -m;
  if (same != mask) w.retry(mask & ~same); // the other lanes execute this instruction later
  const auto& routines = w.block().code().routine_of_function;
  const std::uint64_t index = function / 8 - 1;
  if (function % 8 || function == 0 || index >= routines.size() || routines[index] < 0)
    w.fault(Fault::Kind::address, first, "a call leads to no function");
  w.call(same, *op.call, routines[index]);
}

void builtin(Warp& w, const Op& op, Mask mask) {
  const CallSite& site = *op.call;
  Memory& memory = *w.block().launch().memory;
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    const auto argument = [&](std::size_t k) {
      std::uint64_t value = 0;
      if (k < site.arguments.size())
        std::memcpy(&value, reinterpret_cast<const void*>(w.stack_of(lane) + site.arguments[k].at_caller),
                    std::min<std::uint32_t>(8, site.arguments[k].bytes));
      return value;
    };
    const auto give = [&](std::uint64_t value) {
      if (!site.results.empty())
        std::memcpy(reinterpret_cast<void*>(w.stack_of(lane) + site.results[0].at_caller), &value,
                    std::min<std::uint32_t>(8, site.results[0].bytes));
    };
    const auto text = [&](std::uint64_t address) { return text_at(w, address, lane); };
    switch (site.builtin) {
      case Builtin::print: {
        int count = 0;
        memory.print(formatted(w, argument(0), argument(1), lane, count));
        give(static_cast<std::uint64_t>(static_cast<std::int64_t>(count)));
        break;
      }
      case Builtin::allocate: give(memory.allocate(argument(0))); break;
      case Builtin::release: memory.release(argument(0)); break;
      case Builtin::assert_fail: // message, file, line, function, bytes per character
        memory.print(text(argument(1)) + ":" + std::to_string(static_cast<std::uint32_t>(argument(2))) +
                     ": " + text(argument(3)) + ": assertion `" + text(argument(0)) + "` failed.\n");
        w.fault(Fault::Kind::assertion, lane, "an assertion failed");
      case Builtin::none: break;
    }
  }
}

void jump(Body& b) { b.set_label(b.emit(&branch), b.operand(0)); }

} // namespace

CallSite& Body::new_site() {
  kernel_.code.calls.push_back(std::make_unique<CallSite>());
  CallSite& site = *kernel_.code.calls.back();
  site.caller_stack = routine_.stack;
  sites_.push_back(&site);
  return site;
}

// call (results), function or register, (arguments), prototype
void Body::call() {
  const std::vector<Operand>& operands = instruction_->operands;
  std::size_t k = 0;
  static const Operand none;
  const Operand& results =
      k < operands.size() && operands[k].kind == Operand::Kind::list ? operands[k++] : none;
  if (k >= operands.size()) refuse("it names no function");
  const Operand& callee = operands[k++];
  const Operand& arguments =
      k < operands.size() && operands[k].kind == Operand::Kind::list ? operands[k++] : none;
  CallSite& site = new_site();
  const Signature* signature = nullptr;
  std::int32_t through = -1;
  if (callee.kind == Operand::Kind::reg) {
    through = source(callee, Type::u64);
    if (k >= operands.size()) refuse("it has no prototype");
    const auto found = function_.prototypes.find(std::string(operands[k].name));
    if (found == function_.prototypes.end()) refuse("its prototype is not known");
    signature = &found->second;
  } else {
    const std::int64_t f = kernel_.function(callee.name);
    if (f < 0) refuse("function " + std::string(callee.name) + " is not known");
    const Function& function = module_.functions[static_cast<std::size_t>(f)];
    signature = &function.signature;
    if (function.external) {
      site.builtin = function.name == "vprintf"        ? Builtin::print
                     : function.name == "malloc"       ? Builtin::allocate
                     : function.name == "free"         ? Builtin::release
                     : function.name == "__assertfail" ? Builtin::assert_fail
                                                       : Builtin::none;
      if (site.builtin == Builtin::none) refuse("function " + function.name + " is of another module");
    } else {
      site.routine = kernel_.routine(static_cast<std::uint32_t>(f));
      kernel_.calls(routine_, site.routine);
    }
  }
  std::vector<std::uint32_t> returns, parameters;
  lay_out(*signature, returns, parameters);
  const auto pass = [&](const Operand& list, const std::vector<Variable>& variables,
                        const std::vector<std::uint32_t>& places, std::vector<Passed>& passed) {
    if (list.parts.size() != variables.size()) refuse("it has another number of arguments than its function");
    for (std::size_t n = 0; n < variables.size(); ++n) {
      const Operand& o = list.parts[n];
      if (o.kind != Operand::Kind::variable || is_entry_parameter(o.index) ||
          function_.variables[o.index].space == Space::shared)
        refuse("an argument is no .param variable");
      if (function_.variables[o.index].bytes < variables[n].bytes) refuse("an argument is too small");
      passed.push_back({variables_[o.index], places[n], static_cast<std::uint32_t>(variables[n].bytes)});
    }
  };
  pass(results, signature->returns, returns, site.results);
  pass(arguments, signature->parameters, parameters, site.arguments);
  Op& op = emit(site.builtin != Builtin::none ? &builtin : through >= 0 ? &through_register : &direct);
  op.call = &site;
  op.s[0] = through;
}

// brx.idx index, table
void Body::branch_table() {
  const std::int32_t index = source(operand(0), Type::u32);
  const auto found = function_.tables.find(std::string(operand(1).name));
  if (found == function_.tables.end()) refuse("its table is not known");
  auto table = std::make_unique<std::vector<std::uint32_t>>();
  for (const Operand& label : found->second) table->push_back(label.index);
  Op& op = emit(&indexed);
  op.s[0] = index;
  op.table = table.get();
  tables_.push_back(std::move(table));
}

void add_control_rules(Rules& r) {
  r["bra"] = &jump;
  r["brx"] = [](Body& b) { b.branch_table(); };
  r["call"] = [](Body& b) { b.call(); };
  r["ret"] = [](Body& b) { b.emit(&ret); };
  r["exit"] = [](Body& b) { b.emit(&exit); };
  r["trap"] = [](Body& b) { b.emit(&trap); };
  for (const char* nothing : {"brkpt", "pmevent", "griddepcontrol", "setmaxnreg"}) r[nothing] = [](Body&) {};
  r["nanosleep"] = [](Body& b) { b.emit(&pause); };
}

} // namespace tasuki::remote::ptx
