// A parsed module with resolved names: the input of lowering.
//
//   Module module = parse(text);
// module.functions[0].entry; // true for a kernel
#pragma once

#include <remote/ptx/types.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tasuki::remote::ptx {

// An element of an initialiser: a number, or the address of a variable or function plus an offset.
struct Initial {
  std::uint64_t bits = 0;
  std::string symbol; // empty: a number
  unsigned byte = 8;  // of the address, if only one byte is used: mask 0xFF00(name) is byte 1
};

struct Variable {
  std::string name;
  Space space = Space::global;
  Type type = Type::none;
  std::uint32_t align = 1;
  std::uint64_t bytes = 0; // 0: the launch gives the size (extern .shared x[])
  bool external = false;
  std::vector<Initial> initial; // elements of `type`; the others are zero
};

struct Operand {
  enum class Kind : std::uint8_t {
    none,     // _
    reg,      // index into Function::registers
    integer,  // bits
    real,     // bits of a double; `single` holds the bits of a float if the text gave those
    special,  // %tid.x: name
    variable, // of the function: index into Function::variables, and offset
    symbol,   // of the module, or a function: name, and offset
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
  std::uint64_t bits = 0; // also the offset
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

// The signature of a call: of .callprototype, or of the function itself.
struct Signature {
  std::vector<Variable> returns, parameters;
};

struct Function {
  std::string name;
  bool entry = false, external = false;
  Signature signature;
  std::uint32_t max_threads = 0; // .maxntid or .reqntid; 0: not given
  std::vector<Type> registers;
  std::vector<Variable> variables; // .local, .shared and .param of the body, after returns and parameters
  std::vector<Instruction> body;
  std::vector<std::uint32_t> labels;                            // positions in body
  std::unordered_map<std::string, Signature> prototypes;        // .callprototype
  std::unordered_map<std::string, std::vector<Operand>> tables; // .branchtargets
};

struct Module {
  std::uint32_t version = 0, target = 0; // 90: 9.0 and sm_90
  std::vector<Function> functions;
  std::vector<Variable> variables;
  std::unordered_map<std::string, std::uint32_t> function_of, variable_of; // by name
  std::unordered_map<std::string, std::string> alias;
  std::string text; // the memory of the string views above
  Module() = default;
  Module(Module&&) = default;
  Module& operator=(Module&&) = default;
  Module(const Module&) = delete; // its string views refer to text
};

// Throws Error with the line for an invalid text.
Module parse(std::string text);

} // namespace tasuki::remote::ptx
