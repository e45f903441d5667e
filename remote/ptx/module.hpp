// A module as its text says it, names resolved: what the parser hands to lowering.
//
//   Module module = parse(text);
//   module.functions[0].entry; // true of a kernel
#pragma once

#include <remote/ptx/types.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tasuki::remote::ptx {

// A value of an initialiser: a number, or the address of a variable or function and an offset.
struct Initial {
  std::uint64_t bits = 0;
  std::string symbol; // empty: a number
  unsigned byte = 8;  // of the address, where one byte of it is asked for: mask 0xFF00(name) is byte 1
};

struct Variable {
  std::string name;
  Space space = Space::global;
  Type type = Type::none;
  std::uint32_t align = 1;
  std::uint64_t bytes = 0; // 0: as many as the launch gives (extern .shared x[])
  bool external = false;
  std::vector<Initial> initial; // elements of `type`; the rest is zero
};

struct Operand {
  enum class Kind : std::uint8_t {
    none,     // _
    reg,      // index into Function::registers
    integer,  // bits
    real,     // bits of a double; `single` holds those of a float where the text gave them
    special,  // %tid.x: name
    variable, // of the function: index into Function::variables; + offset
    symbol,   // of the module, or a function: name; + offset
    label,    // index into Function::labels
    address,  // [parts[0] + offset]
    vector,   // {parts}
    list,     // (parts), of a call
    pair,     // parts[0]|parts[1]
  };
  Kind kind = Kind::none;
  bool negated = false; // !p
  bool single = false;
  std::uint32_t index = 0;
  std::uint64_t bits = 0; // offset too
  std::string_view name;
  std::vector<Operand> parts;
};

struct Instruction {
  std::string_view opcode;
  std::vector<std::string_view> modifiers;
  std::vector<Operand> operands;
  std::int32_t guard = -1; // register of the predicate
  bool guard_negated = false;
  std::uint32_t line = 0;
};

// A call's signature: of .callprototype, or of the function itself.
struct Signature {
  std::vector<Variable> returns, parameters;
};

struct Function {
  std::string name;
  bool entry = false, external = false;
  Signature signature;
  std::uint32_t max_threads = 0; // .maxntid or .reqntid; 0: not said
  std::vector<Type> registers;
  std::vector<Variable> variables; // .local, .shared and .param of the body, after returns and parameters
  std::vector<Instruction> body;
  std::vector<std::uint32_t> labels;                            // where in body each stands
  std::unordered_map<std::string, Signature> prototypes;        // .callprototype
  std::unordered_map<std::string, std::vector<Operand>> tables; // .branchtargets
};

struct Module {
  std::uint32_t version = 0, target = 0; // 90: 9.0 and sm_90
  std::vector<Function> functions;
  std::vector<Variable> variables;
  std::unordered_map<std::string, std::uint32_t> function_of, variable_of; // by name
  std::unordered_map<std::string, std::string> alias;
  std::string text; // what views above point into
  Module() = default;
  Module(Module&&) = default;
  Module& operator=(Module&&) = default;
  Module(const Module&) = delete; // views point into text
};

// Throws Error with the line where the text is none.
Module parse(std::string text);

} // namespace tasuki::remote::ptx
