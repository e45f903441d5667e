#include <remote/ptx/module.hpp>
#include <remote/ptx/names.hpp>
#include <remote/ptx/scanner.hpp>

#include <charconv>
#include <cstring>

namespace tasuki::remote::ptx {
namespace {

constexpr std::uint64_t kMostBytes = 1ull << 32;   // of one variable
constexpr std::uint32_t kMostRegisters = 1u << 20; // of one function

class Parser {
public:
  explicit Parser(Module& module) : module_(module), in_(module.text) {}

  void run() {
    for (char c; (c = in_.peek()) != '\0';) {
      if (c != '.') in_.fail("a directive is missing");
      directive();
    }
    if (!module_.version) in_.fail(".version is missing");
  }

private:
  void directive() {
    const std::string_view word = in_.modifier();
    if (word == "version") {
      const std::uint64_t major = number();
      in_.modifier_dot();
      module_.version = static_cast<std::uint32_t>(10 * major + number());
    } else if (word == "target") {
      const std::string_view target = in_.name(); // sm_90a
      if (target.size() > 3)
        std::from_chars(target.data() + 3, target.data() + target.size(), module_.target);
      while (in_.accept(',')) in_.name();
    } else if (word == "address_size") {
      if (number() != 64) in_.fail("addresses are not of 64 bits");
    } else if (word == "file" || word == "loc" || word == "pragma") {
      in_.rest_of_line();
    } else if (word == "section") {
      skip_section();
    } else if (word == "alias") {
      const std::string from(in_.name());
      in_.expect(',');
      module_.alias[from] = std::string(in_.name());
      in_.expect(';');
    } else if (word == "visible" || word == "weak" || word == "common") {
      ; // other directives are ignored
    } else if (word == "extern") {
      external_ = true;
    } else if (word == "entry" || word == "func") {
      function(word == "entry");
      external_ = false;
    } else if (const Space space = space_of(word); space != Space::generic) {
      for (Variable& v : variables(space)) {
        auto [found, fresh] =
            module_.variable_of.try_emplace(v.name, static_cast<std::uint32_t>(module_.variables.size()));
        if (fresh)
          module_.variables.push_back(std::move(v));
        else if (module_.variables[found->second].external)
          module_.variables[found->second] = std::move(v);
      }
      external_ = false;
    } else {
      in_.fail("directive ." + std::string(word) + " is not known");
    }
  }

  static Space space_of(std::string_view word) {
    if (word == "global") return Space::global;
    if (word == "const") return Space::constant;
    if (word == "shared") return Space::shared;
    if (word == "local") return Space::local;
    if (word == "param") return Space::param;
    return Space::generic;
  }

  void skip_section() { // for debuggers
    in_.modifier();
    in_.word();
    in_.expect('{');
    while (!in_.accept('}')) {
      if (in_.peek() == '\0') in_.fail("a section has no end");
      in_.rest_of_line_or('}');
    }
  }

  std::uint64_t number() {
    bool negative = false;
    while (true)
      if (in_.accept('-'))
        negative = !negative;
      else if (!in_.accept('+'))
        break;
    const std::string_view word = in_.name();
    if (word == "WARP_SZ") return 32;
    const std::uint64_t value = integer(word);
    return negative ? 0 - value : value;
  }

  std::uint64_t integer(std::string_view word) {
    std::string_view text = word;
    if (!text.empty() && text.back() == 'U') text.remove_suffix(1);
    if (text.size() < 2 || text[0] != '0') return digits(text, 10);
    if (text[1] == 'x' || text[1] == 'X') return digits(text.substr(2), 16);
    if (text[1] == 'b' || text[1] == 'B') return digits(text.substr(2), 2);
    return digits(text.substr(1), 8);
  }

  std::uint64_t digits(std::string_view text, int base) {
    std::uint64_t value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, fault] = std::from_chars(text.data(), last, value, base);
    if (text.empty() || end != last || fault != std::errc())
      in_.fail("'" + std::string(text) + "' is no number of 64 bits to base " + std::to_string(base));
    return value;
  }

  // A number in an operand or initialiser, with its sign; real if it has a point or the prefix 0f or 0d.
  Operand literal() {
    Operand o;
    const bool negative = in_.accept('-');
    if (!negative) in_.accept('+');
    const std::string_view word = in_.name();
    if (word.size() == 10 && word[0] == '0' && (word[1] == 'f' || word[1] == 'F')) {
      const auto bits = static_cast<std::uint32_t>(digits(word.substr(2), 16));
      o.kind = Operand::Kind::real;
      o.single = true;
      o.bits = negative ? bits ^ 0x80000000u : bits;
    } else if (word.size() == 18 && word[0] == '0' && (word[1] == 'd' || word[1] == 'D')) {
      o.kind = Operand::Kind::real;
      o.bits = digits(word.substr(2), 16) ^ (negative ? 1ull << 63 : 0);
    } else if (in_.follows('.')) { // 1.5, 1.5e-3
      std::string text = std::string(word) + ".";
      text += in_.modifier();
      if ((text.back() == 'e' || text.back() == 'E') && (in_.follows('-') || in_.follows('+'))) {
        text += in_.accept('-') ? "-" : (in_.accept('+'), "+");
        text += in_.name();
      }
      double value = 0;
      const char* const last = text.data() + text.size();
      const auto [end, fault] = std::from_chars(text.data(), last, value);
      if (end != last || fault != std::errc()) in_.fail("'" + text + "' is no number of 64 bits");
      if (negative) value = -value;
      o.kind = Operand::Kind::real;
      std::memcpy(&o.bits, &value, 8);
    } else {
      o.kind = Operand::Kind::integer;
      o.bits = word == "WARP_SZ" ? 32 : integer(word);
      if (negative) o.bits = 0 - o.bits;
    }
    return o;
  }

  // Declarations after the space: .align 4 .b8 name[16] = {..}, name2 ..; without the semicolon.
  std::vector<Variable> declarations(Space space, bool one) {
    Variable model;
    model.space = space;
    model.external = external_;
    unsigned lanes = 1;
    bool aligned = false;
    for (;;) {
      if (in_.peek() != '.') break;
      const std::string_view word = in_.modifier();
      if (word == "align") {
        model.align = static_cast<std::uint32_t>(number());
        if (model.align == 0 || model.align > 65536 || (model.align & (model.align - 1)))
          in_.fail("an alignment is no power of two");
        aligned = true;
      } else if (word == "v2" || word == "v4") {
        lanes = word == "v2" ? 2 : 4;
      } else if (word == "ptr") { // .param .u64 .ptr .global .align 8 name: its target
        while (in_.peek() == '.') {
          if (in_.modifier() == "align") number();
        }
      } else if (word == "attribute") {
        in_.expect('(');
        while (!in_.accept(')')) {
          if (in_.peek() == '\0') in_.fail("an attribute has no end");
          if (!in_.accept(',')) in_.peek() == '.' ? in_.modifier() : in_.name();
        }
      } else if (word == "texref" || word == "surfref" || word == "samplerref") {
        in_.fail("textures and surfaces are not interpreted");
      } else if (const Type type = type_of(word); type != Type::none) {
        model.type = type;
      } else {
        in_.fail("type ." + std::string(word) + " is not known");
      }
    }
    if (model.type == Type::none || model.type == Type::pred) in_.fail("a variable has no type");
    const std::uint64_t element = bytes_of(model.type) * lanes;
    if (!aligned) model.align = static_cast<std::uint32_t>(element);
    std::vector<Variable> found;
    do {
      Variable v = model;
      v.name = std::string(in_.name());
      v.bytes = element;
      bool array = false;
      while (in_.accept('[')) {
        array = true;
        if (in_.accept(']')) {
          v.bytes = 0;
          continue;
        }
        const std::uint64_t count = number();
        in_.expect(']');
        if (count > kMostBytes || v.bytes * count > kMostBytes)
          in_.fail("variable " + v.name + " is too large");
        v.bytes *= count;
      }
      if (in_.accept('=')) {
        initial(v);
        if (array && v.bytes == 0) v.bytes = v.initial.size() * bytes_of(v.type);
        if (v.initial.size() * bytes_of(v.type) > v.bytes)
          in_.fail("variable " + v.name + " has too many values");
      }
      found.push_back(std::move(v));
    } while (!one && in_.accept(','));
    return found;
  }
  std::vector<Variable> variables(Space space) {
    std::vector<Variable> found = declarations(space, false);
    in_.expect(';');
    return found;
  }

  void initial(Variable& v) {
    if (in_.accept('{')) {
      while (!in_.accept('}')) {
        initial(v);
        if (!in_.accept(',') && in_.peek() != '}') in_.fail("a ',' is missing");
      }
      return;
    }
    Initial value;
    const char c = in_.peek();
    if (c == '-' || c == '+' || (c >= '0' && c <= '9')) {
      const Operand o = literal();
      value.bits = o.bits;
      if (o.kind == Operand::Kind::real && !o.single && v.type == Type::f32) {
        double wide;
        std::memcpy(&wide, &o.bits, 8);
        const auto narrow = static_cast<float>(wide);
        std::uint32_t bits;
        std::memcpy(&bits, &narrow, 4);
        value.bits = bits;
      }
      if (in_.accept('(')) { // 0xFF00(name): one byte of its address
        value.byte = 0;
        for (std::uint64_t mask = o.bits; mask > 0xff; mask >>= 8) ++value.byte;
        symbol(value);
        in_.expect(')');
      }
    } else {
      symbol(value);
    }
    v.initial.push_back(std::move(value));
  }
  void symbol(Initial& value) {
    std::string_view name = in_.name();
    value.bits = 0;
    if (name == "generic" && in_.accept('(')) {
      name = in_.name();
      if (in_.accept('+')) value.bits = number();
      in_.expect(')');
    }
    value.symbol = std::string(name);
    if (in_.peek() == '+' || in_.peek() == '-') value.bits += number();
  }

  std::vector<Variable> parameters(Names* names) { // after '('
    std::vector<Variable> found;
    while (!in_.accept(')')) {
      const std::string_view space = in_.modifier_after_space();
      if (space == "reg") in_.fail("parameters in registers are not interpreted");
      if (space != "param") in_.fail("a parameter is missing");
      Variable v = std::move(declarations(Space::param, true).front());
      v.external = false;
      if (names) names->variable(v);
      found.push_back(std::move(v));
      if (!in_.accept(',') && in_.peek() != ')') in_.fail("a ',' is missing");
    }
    return found;
  }

  void function(bool entry) {
    Function f;
    f.entry = entry;
    Names names(f);
    if (in_.accept('(')) f.signature.returns = parameters(&names);
    f.name = std::string(in_.name());
    if (in_.accept('(')) f.signature.parameters = parameters(&names);
    while (in_.peek() == '.') {
      const std::string_view word = in_.modifier();
      if (word == "maxntid" || word == "reqntid") {
        std::uint64_t threads = number();
        while (in_.accept(',')) threads *= number();
        f.max_threads = static_cast<std::uint32_t>(threads);
      } else if (word == "minnctapersm" || word == "maxnreg" || word == "maxnctapersm" ||
                 word == "maxclusterrank") {
        number();
      } else if (word == "reqnctapercluster") {
        do number();
        while (in_.accept(','));
      } else if (word == "pragma") {
        in_.rest_of_line();
      } // .noreturn, .blocksareclusters, .explicitcluster, .unique: ignored
    }
    f.external = true;
    if (!in_.accept(';')) {
      in_.expect('{');
      f.external = false;
      body(f, names);
    }
    auto [found, fresh] =
        module_.function_of.try_emplace(f.name, static_cast<std::uint32_t>(module_.functions.size()));
    if (fresh)
      module_.functions.push_back(std::move(f));
    else if (!f.external)
      module_.functions[found->second] = std::move(f);
  }

  void body(Function& f, Names& names) {
    int depth = 1;
    while (depth > 0) {
      const char c = in_.peek();
      if (c == '\0') in_.fail("function " + f.name + " has no end");
      if (in_.accept('{')) {
        if (++depth > 64) in_.fail("braces are too deep");
        names.open();
      } else if (in_.accept('}')) {
        if (--depth > 0) names.close();
      } else if (in_.accept(';')) {
        continue;
      } else if (c == '.') {
        local_directive(in_.modifier(), f, names);
      } else {
        statement(f, names);
      }
    }
    const std::string_view missing = names.finish();
    if (!missing.empty()) in_.fail("label " + std::string(missing) + " of " + f.name + " stands nowhere");
  }

  void local_directive(std::string_view word, Function& f, Names& names) {
    if (word == "reg") {
      std::string_view type_word = in_.modifier_after_space();
      if (type_word == "v2" || type_word == "v4") in_.fail("registers that are vectors are not interpreted");
      const Type type = type_of(type_word);
      if (type == Type::none) in_.fail("register type ." + std::string(type_word) + " is not known");
      do {
        const std::string_view name = in_.name();
        if (in_.accept('<')) {
          const std::uint64_t count = number();
          in_.expect('>');
          if (count > kMostRegisters || f.registers.size() + count > kMostRegisters)
            in_.fail("too many registers");
          names.registers(name, static_cast<std::uint32_t>(count), type);
        } else {
          names.one_register(name, type);
        }
      } while (in_.accept(','));
      in_.expect(';');
    } else if (word == "loc" || word == "pragma" || word == "file") {
      in_.rest_of_line();
    } else if (word == "extern" || word == "visible" || word == "weak") {
      external_ = word == "extern";
    } else if (const Space space = space_of(word); space != Space::generic) {
      for (Variable& v : variables(space)) {
        if (space == Space::global || space == Space::constant)
          in_.fail("a variable of a function is global");
        names.variable(std::move(v));
      }
      external_ = false;
    } else {
      in_.fail("directive ." + std::string(word) + " is not known");
    }
  }

  void statement(Function& f, Names& names) {
    Instruction instruction;
    instruction.line = in_.line();
    if (in_.accept('@')) {
      instruction.guard_negated = in_.accept('!');
      const Operand guard = names.find(in_.name());
      if (guard.kind != Operand::Kind::reg) in_.fail("a guard is no predicate");
      instruction.guard = static_cast<std::int32_t>(guard.index);
    }
    const std::string_view word = in_.name();
    if (instruction.guard < 0 && in_.accept(':')) {
      if (in_.peek() == '.')
        label_directive(word, f, names);
      else
        names.place(word);
      return;
    }
    instruction.opcode = word;
    while (in_.follows('.')) instruction.modifiers.push_back(in_.modifier());
    while (!in_.accept(';')) {
      instruction.operands.push_back(operand(names));
      if (Operand& last = instruction.operands.back(); word == "bra" && last.kind == Operand::Kind::label)
        last.index = names.label(last.name);
      if (!in_.accept(',') && in_.peek() != ';') in_.fail("a ',' is missing after " + std::string(word));
    }
    f.body.push_back(std::move(instruction));
  }

  void label_directive(std::string_view word_of_label, Function& f, Names& names) {
    const std::string name(word_of_label);
    const std::string_view word = in_.modifier();
    if (word == "callprototype") {
      Signature signature;
      if (in_.accept('(')) signature.returns = parameters(nullptr);
      in_.name(); // _
      if (in_.accept('(')) signature.parameters = parameters(nullptr);
      while (in_.peek() == '.') in_.modifier(); // .noreturn
      f.prototypes[name] = std::move(signature);
    } else if (word == "branchtargets") {
      std::vector<Operand> table;
      do {
        Operand o;
        o.kind = Operand::Kind::label;
        o.index = names.label(in_.name());
        table.push_back(o);
      } while (in_.accept(','));
      f.tables[name] = std::move(table);
    } else if (word == "calltargets") {
      do in_.name();
      while (in_.accept(','));
    } else {
      names.place(word_of_label);
      local_directive(word, f, names);
      return;
    }
    in_.expect(';');
  }

  Operand operand(Names& names, int depth = 0) {
    if (depth > 4) in_.fail("an operand is too deep");
    Operand o;
    const auto parts = [&](Operand::Kind kind, char end) {
      o.kind = kind;
      while (!in_.accept(end)) {
        o.parts.push_back(operand(names, depth + 1));
        if (!in_.accept(',') && in_.peek() != end) in_.fail("an operand has no end");
      }
    };
    const char c = in_.peek();
    if (in_.accept('(')) {
      parts(Operand::Kind::list, ')');
    } else if (in_.accept('{')) {
      parts(Operand::Kind::vector, '}');
    } else if (in_.accept('[')) {
      o.kind = Operand::Kind::address;
      o.parts.push_back(operand(names, depth + 1));
      if (in_.peek() == '+' || in_.peek() == '-') o.bits = number();
      while (in_.accept(',')) o.parts.push_back(operand(names, depth + 1));
      in_.expect(']');
    } else if (in_.accept('!')) {
      o = operand(names, depth + 1);
      o.negated = true;
    } else if (c == '-' || c == '+' || (c >= '0' && c <= '9')) {
      o = literal();
    } else {
      o = named(names, depth);
    }
    return o;
  }

  Operand named(Names& names, int depth) {
    const std::string_view name = in_.name();
    if (name == "_") return {};
    Operand o;
    if (name == "WARP_SZ") {
      o.kind = Operand::Kind::integer;
      o.bits = 32;
      return o;
    }
    o = names.find(name);
    if (o.kind == Operand::Kind::none) {
      o.name = name;
      if (name[0] == '%') {
        o.kind = Operand::Kind::special;
        if (in_.follows('.')) {
          const std::string_view axis = in_.modifier();
          o.name = std::string_view(name.data(),
                                    static_cast<std::size_t>(axis.data() + axis.size() - name.data()));
        }
        return o;
      }
      if (module_.variable_of.count(std::string(name)) || module_.function_of.count(std::string(name)) ||
          module_.alias.count(std::string(name))) {
        o.kind = Operand::Kind::symbol;
      } else {
        o.kind = Operand::Kind::label; // or a function, prototype or branch table; the instruction decides
        o.index = ~0u;
      }
    }
    if (o.kind == Operand::Kind::label) return o;
    if (in_.accept('|')) {
      Operand pair;
      pair.kind = Operand::Kind::pair;
      pair.parts = {o, operand(names, depth + 1)};
      return pair;
    }
    if (depth == 0 && o.kind != Operand::Kind::reg && (in_.peek() == '+' || in_.peek() == '-'))
      o.bits = number();
    return o;
  }

  Module& module_;
  Scanner in_;
  bool external_ = false;
};

} // namespace

Module parse(std::string text) {
  Module module;
  module.text = std::move(text);
  Parser(module).run();
  return module;
}

} // namespace tasuki::remote::ptx
