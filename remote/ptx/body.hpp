// A function during lowering: the rule of an instruction asks it for operands and adds operations to it.
//
//   void add_rule(Body& b) {
//     Op& op = b.emit(&add<std::uint32_t>);
//     ..
//   }
#pragma once

#include <remote/ptx/code.hpp>
#include <remote/ptx/module.hpp>

#include <tasuki/base/error.hpp>

#include <initializer_list>
#include <map>
#include <unordered_map>

namespace tasuki::remote::ptx {

class Lowering; // of the kernel that calls the function

class Body {
public:
  Body(Lowering& kernel, const Module& module, const Function& function, Routine& routine, bool entry);
  void run();

  // The instruction. has("wide"): it has this modifier; type(): its last modifier that is a type, or the n-th before.
  bool has(std::string_view modifier) const;
  Type type(unsigned before = 0) const;
  const Operand& operand(std::size_t k) const; // throws if there are fewer operands
  std::size_t count() const { return instruction_->operands.size(); }
  const Instruction& instruction() const { return *instruction_; }
  std::string opcode() const; // add.rn.f32
  [[noreturn]] void refuse(const std::string& why = "") const;

  // Places of operands. A source of another width is converted to the type; a target is converted after the operation.
  std::int32_t source(const Operand& operand, Type type);
  std::int32_t target(const Operand& operand, Type type);
  std::int32_t predicate(const Operand& operand); // of a source; a negated one is inverted
  std::int32_t predicate_target(const Operand& operand);
  std::int32_t place(unsigned bytes);
  bool is_predicate(const Operand& operand) const;
  Type type_of_register(const Operand& operand) const; // none if it is not a register

  Op& emit(Op::Run run); // valid until the next call
  // Sets d[0] and s[..] for an instruction with one target and sources of one type.
  Op& emit(Op::Run run, Type to, std::initializer_list<Type> from);
  struct Where {
    std::int32_t place = -1;
    bool wide = true;
    std::int64_t offset = 0;
    Space space = Space::generic; // that contains the symbol
  };
  Where where(const Operand& address); // of an operand in brackets
  void set_label(Op& op, const Operand& operand);
  void call();
  void branch_table();
  bool entry() const { return entry_; }
  std::uint64_t immediate(const Operand& operand, Type type) const;

private:
  static unsigned frame_bytes(Type type);
  std::int32_t constant(std::uint64_t bits, bool wide);
  std::int32_t special(const Operand& operand, Type type);
  std::int32_t symbol(const Operand& operand, Type type);
  bool is_entry_parameter(std::uint32_t variable) const;
  std::uint32_t stack_place(const Operand& operand) const;
  CallSite& new_site();
  bool call_builtin(std::string_view name, const Operand* results, const Operand* arguments);

  Lowering& kernel_;
  const Module& module_;
  const Function& function_;
  Routine& routine_;
  const bool entry_;
  const Instruction* instruction_ = nullptr;
  std::vector<std::int32_t> registers_;
  std::vector<std::uint32_t>
      variables_; // the position of each on the stack, in the parameters, or in shared memory
  std::map<std::pair<std::uint64_t, bool>, std::int32_t> constants_;
  std::map<std::pair<Special, bool>, std::int32_t> specials_;
  std::vector<Op> after_;
  std::vector<std::size_t> to_labels_; // operations whose immediate value is a label
  std::vector<std::unique_ptr<std::vector<std::uint32_t>>> tables_;
  std::vector<CallSite*> sites_;
};

// A rule emits the operations of an instruction. Each file of instructions registers its own rules.
using Rule = void (*)(Body&);
using Rules = std::unordered_map<std::string, Rule>; // by opcode; "add/f": f32 and f64, "add/h": halves
void add_integer_rules(Rules& rules);
void add_bit_rules(Rules& rules);
void add_real_rules(Rules& rules);
void add_half_rules(Rules& rules);
void add_compare_rules(Rules& rules);
void add_convert_rules(Rules& rules);
void add_memory_rules(Rules& rules);
void add_atomic_rules(Rules& rules);
void add_control_rules(Rules& rules);
void add_warp_rules(Rules& rules);

} // namespace tasuki::remote::ptx
