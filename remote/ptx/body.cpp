#include <remote/ptx/body.hpp>

#include <remote/ptx/lowering.hpp>
#include <remote/ptx/warp.hpp>

#include <algorithm>
#include <cstring>

namespace tasuki::remote::ptx {
namespace {

constexpr std::uint32_t kMostFrame = 1u << 28; // the most bytes of registers of a function

const Rules& rules() {
  static const Rules all = [] {
    Rules r;
    add_integer_rules(r);
    add_bit_rules(r);
    add_real_rules(r);
    add_half_rules(r);
    add_compare_rules(r);
    add_convert_rules(r);
    add_memory_rules(r);
    add_atomic_rules(r);
    add_control_rules(r);
    add_warp_rules(r);
    return r;
  }();
  return all;
}

const std::unordered_map<std::string_view, Special>& specials() {
  static const std::unordered_map<std::string_view, Special> all = {
      {"%tid.x", Special::tid_x},
      {"%tid.y", Special::tid_y},
      {"%tid.z", Special::tid_z},
      {"%ntid.x", Special::ntid_x},
      {"%ntid.y", Special::ntid_y},
      {"%ntid.z", Special::ntid_z},
      {"%ctaid.x", Special::ctaid_x},
      {"%ctaid.y", Special::ctaid_y},
      {"%ctaid.z", Special::ctaid_z},
      {"%nctaid.x", Special::nctaid_x},
      {"%nctaid.y", Special::nctaid_y},
      {"%nctaid.z", Special::nctaid_z},
      {"%laneid", Special::laneid},
      {"%warpid", Special::warpid},
      {"%nwarpid", Special::nwarpid},
      {"%smid", Special::smid},
      {"%nsmid", Special::nsmid},
      {"%gridid", Special::gridid},
      {"%lanemask_eq", Special::lanemask_eq},
      {"%lanemask_lt", Special::lanemask_lt},
      {"%lanemask_le", Special::lanemask_le},
      {"%lanemask_gt", Special::lanemask_gt},
      {"%lanemask_ge", Special::lanemask_ge},
      {"%dynamic_smem_size", Special::dynamic_shared},
      {"%total_smem_size", Special::total_shared},
      {"%envreg1", Special::workspace_high},
      {"%envreg2", Special::workspace_low},
      {"%is_explicit_cluster", Special::zero},
      {"%cluster_ctarank", Special::zero},
      {"%cluster_nctarank", Special::one},
      {"%cluster_ctaid.x", Special::zero},
      {"%cluster_ctaid.y", Special::zero},
      {"%cluster_ctaid.z", Special::zero},
      {"%cluster_nctaid.x", Special::one},
      {"%cluster_nctaid.y", Special::one},
      {"%cluster_nctaid.z", Special::one},
      {"%clusterid.x", Special::ctaid_x},
      {"%clusterid.y", Special::ctaid_y},
      {"%clusterid.z", Special::ctaid_z},
      {"%nclusterid.x", Special::nctaid_x},
      {"%nclusterid.y", Special::nctaid_y},
      {"%nclusterid.z", Special::nctaid_z}};
  return all;
}

// The rules of f32, f64 and halves have separate names from those of integers: "add/f", "add/h".
Rule rule_of(std::string_view opcode, Type type) {
  if (is_real(type)) {
    const bool wide = type == Type::f32 || type == Type::f64;
    const auto found = rules().find(std::string(opcode) + (wide ? "/f" : "/h"));
    if (found != rules().end()) return found->second;
  }
  const auto found = rules().find(std::string(opcode));
  return found == rules().end() ? nullptr : found->second;
}

// Conversions that lowering inserts.
void narrow(Warp& w, const Op& op, Mask mask) { // 64 bits to 32
  auto* to = w.at<std::uint32_t>(op.d[0]);
  const auto* from = w.at<std::uint64_t>(op.s[0]);
  each(mask, [&](int lane) { to[lane] = static_cast<std::uint32_t>(from[lane]); });
}
template <class T>
void widen(Warp& w, const Op& op, Mask mask) { // 32 bits to 64
  auto* to = w.at<std::uint64_t>(op.d[0]);
  const auto* from = w.at<std::uint32_t>(op.s[0]);
  each(mask, [&](int lane) {
    to[lane] = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<T>(from[lane])));
  });
}
void turn_round(Warp& w, const Op& op, Mask mask) {
  Mask& to = w.predicate(op.d[0]);
  to = (to & ~mask) | (~w.predicate(op.s[0]) & mask);
}

} // namespace

void address_in_stack(Warp& w, const Op& op, Mask mask);
void address_of_parameter(Warp& w, const Op& op, Mask mask);

Body::Body(Lowering& kernel, const Module& module, const Function& function, Routine& routine, bool entry)
    : kernel_(kernel), module_(module), function_(function), routine_(routine), entry_(entry) {
  std::uint32_t end = lay_out(function.signature, routine.returns, routine.parameters);
  if (entry) {
    end = 0;
    for (const ParameterPlace& p : kernel.code.parameters) variables_.push_back(p.offset);
  } else {
    variables_ = routine.returns;
    variables_.insert(variables_.end(), routine.parameters.begin(), routine.parameters.end());
  }
  for (std::size_t k = variables_.size(); k < function.variables.size(); ++k) {
    const Variable& v = function.variables[k];
    if (v.space == Space::shared) {
      variables_.push_back(kernel.shared_place(v));
      continue;
    }
    end = up(end, std::max<std::uint32_t>(v.align, 1));
    variables_.push_back(end);
    end += static_cast<std::uint32_t>(v.bytes);
    if (end > 1u << 29)
      throw Error("function " + function.name + " has too large arrays of its own", "make them smaller");
  }
  routine.stack = up(end, 16);
  registers_.reserve(function.registers.size());
  for (const Type type : function.registers)
    if (type != Type::pred)
      registers_.push_back(place(frame_bytes(type)));
    else
      registers_.push_back(-1);
  for (std::size_t k = 0; k < function.registers.size(); ++k)
    if (function.registers[k] == Type::pred) registers_[k] = place(4);
}

unsigned Body::frame_bytes(Type type) {
  const unsigned bytes = bytes_of(type);
  return bytes > 8 ? 512 : bytes > 4 ? 256 : 128;
}

std::int32_t Body::place(unsigned bytes) {
  const std::uint32_t at = bytes > 4 ? up(routine_.frame, 64) : routine_.frame;
  routine_.frame = at + bytes;
  if (routine_.frame > kMostFrame)
    throw Error("function " + function_.name + " has too many registers", "make it smaller");
  return static_cast<std::int32_t>(at);
}

void Body::run() {
  routine_.first = static_cast<std::uint32_t>(kernel_.code.ops.size());
  std::vector<std::uint32_t> starts;
  std::vector<Op>& ops = kernel_.code.ops;
  for (const Instruction& instruction : function_.body) {
    instruction_ = &instruction;
    starts.push_back(static_cast<std::uint32_t>(ops.size()));
    const Rule rule = rule_of(instruction.opcode, type());
    if (!rule) refuse();
    const std::size_t first = ops.size();
    rule(*this);
    for (Op& op : after_) ops.push_back(op);
    after_.clear();
    for (std::size_t k = first; k < ops.size(); ++k) {
      ops[k].line = instruction.line;
      if (instruction.guard < 0) continue;
      if (function_.registers[static_cast<std::size_t>(instruction.guard)] != Type::pred)
        refuse("its guard is no predicate");
      ops[k].guard = registers_[static_cast<std::size_t>(instruction.guard)];
      ops[k].guard_negated = instruction.guard_negated;
    }
  }
  starts.push_back(static_cast<std::uint32_t>(ops.size()));
  static const Instruction end = [] {
    Instruction i;
    i.opcode = "ret";
    return i;
  }();
  instruction_ = &end;
  rule_of("ret", Type::none)(*this); // a function without a final ret returns at its end
  const auto place_of = [&](std::uint32_t label) { return starts[function_.labels[label]]; };
  for (const std::size_t k : to_labels_)
    ops[k].immediate = place_of(static_cast<std::uint32_t>(ops[k].immediate));
  for (const auto& table : tables_)
    for (std::uint32_t& target : *table) target = place_of(target);
  for (auto& table : tables_) kernel_.code.tables.push_back(std::move(table));
  routine_.frame = up(routine_.frame, 64);
  for (const auto& site : sites_) site->caller_frame = routine_.frame;
}

bool Body::has(std::string_view modifier) const {
  const auto& m = instruction_->modifiers;
  return std::find(m.begin(), m.end(), modifier) != m.end();
}

Type Body::type(unsigned before) const {
  const auto& m = instruction_->modifiers;
  for (std::size_t k = m.size(); k-- > 0;)
    if (const Type t = type_of(m[k]); t != Type::none && before-- == 0) return t;
  return Type::none;
}

const Operand& Body::operand(std::size_t k) const {
  if (k >= instruction_->operands.size()) refuse("it has too few operands");
  return instruction_->operands[k];
}

std::string Body::opcode() const {
  std::string text(instruction_->opcode);
  for (const std::string_view m : instruction_->modifiers) text += "." + std::string(m);
  return text;
}

void Body::refuse(const std::string& why) const {
  const std::string where = "kernel " + kernel_.name() + ": " + opcode() + " (line " +
                            std::to_string(instruction_->line) + " of its PTX) ";
  // A server with a GPU would be no help: the calls that make them are refused everywhere.
  for (const std::string_view of_textures : {"tex", "tld4", "txq", "suld", "sust", "sured", "suq"})
    if (instruction_->opcode == of_textures)
      throw Error(where + "is of textures and surfaces, which are not served",
                  "use linear memory (cudaMalloc, cudaMallocPitch, cudaMalloc3D)");
  throw Error(where + (why.empty() ? "is not interpreted" : "is not interpreted: " + why),
              "run it on a server with a GPU");
}

Type Body::type_of_register(const Operand& o) const {
  return o.kind == Operand::Kind::reg ? function_.registers[o.index] : Type::none;
}
bool Body::is_predicate(const Operand& o) const { return type_of_register(o) == Type::pred; }

std::uint64_t Body::immediate(const Operand& o, Type type) const {
  if (o.kind == Operand::Kind::integer) {
    if (type == Type::f32 || type == Type::f64) {
      const double value = static_cast<double>(static_cast<std::int64_t>(o.bits));
      const auto narrowed = static_cast<float>(value);
      std::uint64_t bits = 0;
      if (type == Type::f64)
        std::memcpy(&bits, &value, 8);
      else
        std::memcpy(&bits, &narrowed, 4);
      return bits;
    }
    return o.bits;
  }
  if (o.kind != Operand::Kind::real) refuse("an operand is no number");
  if (o.single) {
    if (bytes_of(type) < 8) return o.bits;
    float narrowed;
    const auto bits = static_cast<std::uint32_t>(o.bits);
    std::memcpy(&narrowed, &bits, 4);
    const double value = narrowed;
    std::uint64_t wide;
    std::memcpy(&wide, &value, 8);
    return wide;
  }
  if (bytes_of(type) == 8) return o.bits;
  double value;
  std::memcpy(&value, &o.bits, 8);
  const auto narrowed = static_cast<float>(value);
  std::uint32_t bits;
  std::memcpy(&bits, &narrowed, 4);
  return bits;
}

std::int32_t Body::constant(std::uint64_t bits, bool wide) {
  if (!wide) bits &= 0xffffffffu;
  auto [found, fresh] = constants_.try_emplace({bits, wide}, 0);
  if (fresh) {
    found->second = place(wide ? 256 : 128);
    routine_.constants.push_back({found->second, wide, bits});
  }
  return found->second;
}

std::int32_t Body::special(const Operand& o, Type type) {
  const auto found = specials().find(o.name);
  if (found == specials().end()) refuse("special register " + std::string(o.name) + " is not there");
  const bool wide = bytes_of(type) == 8;
  auto [at, fresh] = specials_.try_emplace({found->second, wide}, 0);
  if (fresh) {
    at->second = place(wide ? 256 : 128);
    routine_.specials.push_back({at->second, wide, found->second});
  }
  return at->second;
}

bool Body::is_entry_parameter(std::uint32_t variable) const {
  return entry_ && variable < function_.signature.parameters.size();
}

// The address of a variable or function as a value.
std::int32_t Body::symbol(const Operand& o, Type type) {
  const bool wide = bytes_of(type) == 8;
  if (o.kind == Operand::Kind::variable) {
    const Variable& v = function_.variables[o.index];
    if (v.space == Space::shared) return constant(variables_[o.index] + o.bits, wide);
    if (!wide) refuse("the address of " + v.name + " needs 64 bits");
    const std::int32_t to = place(256);
    Op& op = emit(is_entry_parameter(o.index) ? &address_of_parameter : &address_in_stack);
    op.d[0] = to;
    op.immediate = static_cast<std::int64_t>(variables_[o.index] + o.bits);
    return to;
  }
  const std::string name(o.name);
  if (const auto found = module_.variable_of.find(name); found != module_.variable_of.end()) {
    const Variable& v = module_.variables[found->second];
    if (v.space == Space::shared) return constant(kernel_.shared_place(v) + o.bits, wide);
    if (v.external && v.bytes > 0 && kernel_.addresses[found->second] == 0)
      refuse("variable " + name + " is of another module");
    return constant(kernel_.addresses[found->second] + o.bits, wide);
  }
  if (const std::int64_t f = kernel_.function(name); f >= 0)
    return constant(address_of_function(static_cast<std::uint32_t>(f)), wide);
  refuse("'" + name + "' is not known");
}

std::int32_t Body::source(const Operand& o, Type type) {
  switch (o.kind) {
    case Operand::Kind::reg: {
      const Type held = function_.registers[o.index];
      if (held == Type::pred) refuse("a predicate stands where a value belongs");
      const std::int32_t at = registers_[o.index];
      const bool wide = bytes_of(held) == 8, wanted = bytes_of(type) == 8;
      if (bytes_of(held) == 16 || bytes_of(type) == 16 || wide == wanted) return at;
      const std::int32_t to = place(wanted ? 256 : 128);
      Op& op = emit(!wanted               ? &narrow
                    : bytes_of(held) == 2 ? (is_signed(type) ? &widen<std::int16_t> : &widen<std::uint16_t>)
                    : is_signed(type)     ? &widen<std::int32_t>
                                          : &widen<std::uint32_t>);
      op.d[0] = to;
      op.s[0] = at;
      return to;
    }
    case Operand::Kind::integer:
    case Operand::Kind::real: return constant(immediate(o, type), bytes_of(type) == 8);
    case Operand::Kind::special: return special(o, type);
    case Operand::Kind::variable:
    case Operand::Kind::symbol:
    case Operand::Kind::label: return symbol(o, type);
    default: refuse("an operand is of another kind");
  }
}

std::int32_t Body::target(const Operand& o, Type type) {
  if (o.kind == Operand::Kind::none) return place(frame_bytes(type)); // _
  if (o.kind != Operand::Kind::reg || is_predicate(o)) refuse("its target is no register");
  const Type held = function_.registers[o.index];
  const bool wide = bytes_of(held) == 8, made = bytes_of(type) == 8;
  if (bytes_of(held) == 16 || bytes_of(type) == 16 || wide == made) return registers_[o.index];
  const std::int32_t made_at = place(frame_bytes(type));
  Op op;
  op.run = made ? &narrow : is_signed(type) ? &widen<std::int32_t> : &widen<std::uint32_t>;
  op.d[0] = registers_[o.index];
  op.s[0] = made_at;
  after_.push_back(op);
  return made_at;
}

std::int32_t Body::predicate_target(const Operand& o) {
  if (o.kind == Operand::Kind::none) return place(4);
  if (!is_predicate(o)) refuse("its target is no predicate");
  return registers_[o.index];
}

std::int32_t Body::predicate(const Operand& o) {
  if (o.kind == Operand::Kind::integer) { // a constant: filled before the function begins, never written
    const std::int32_t zero = constant(0, false), ones = constant(~0ull, false);
    return (o.bits != 0) != o.negated ? ones : zero;
  }
  if (!is_predicate(o)) refuse("an operand is no predicate");
  if (!o.negated) return registers_[o.index];
  const std::int32_t to = place(4);
  Op& op = emit(&turn_round);
  op.d[0] = to;
  op.s[0] = registers_[o.index];
  return to;
}

Op& Body::emit(Op::Run run) {
  kernel_.code.ops.emplace_back();
  kernel_.code.ops.back().run = run;
  return kernel_.code.ops.back();
}

Op& Body::emit(Op::Run run, Type to, std::initializer_list<Type> from) {
  std::int32_t places[4] = {-1, -1, -1, -1};
  std::size_t k = 0;
  for (const Type t : from) {
    places[k] = source(operand(k + 1), t);
    ++k;
  }
  const std::int32_t d = target(operand(0), to);
  Op& op = emit(run);
  op.d[0] = d;
  std::copy(places, places + 4, op.s);
  return op;
}

Body::Where Body::where(const Operand& o) {
  if (o.kind != Operand::Kind::address || o.parts.empty()) refuse("an address is missing");
  const Operand& base = o.parts[0];
  Where w;
  w.offset = static_cast<std::int64_t>(o.bits);
  switch (base.kind) {
    case Operand::Kind::reg:
      if (is_predicate(base)) refuse("an address is a predicate");
      w.place = registers_[base.index];
      w.wide = bytes_of(function_.registers[base.index]) == 8;
      break;
    case Operand::Kind::integer: w.offset += static_cast<std::int64_t>(base.bits); break;
    case Operand::Kind::variable:
      w.space = function_.variables[base.index].space;
      if (w.space == Space::shared) {
        w.offset += variables_[base.index] + static_cast<std::int64_t>(base.bits);
      } else if (is_entry_parameter(base.index)) {
        w.offset += variables_[base.index] + static_cast<std::int64_t>(base.bits);
        w.space = Space::param;
      } else {
        w.offset += variables_[base.index] + static_cast<std::int64_t>(base.bits);
        w.space = Space::local; // the instruction adds the address of the stack
      }
      break;
    case Operand::Kind::symbol: {
      const auto found = module_.variable_of.find(std::string(base.name));
      if (found == module_.variable_of.end()) refuse("'" + std::string(base.name) + "' is no variable");
      const Variable& v = module_.variables[found->second];
      if (v.external && v.space != Space::shared && kernel_.addresses[found->second] == 0)
        refuse("variable " + v.name + " is of another module");
      w.space = v.space;
      w.offset += static_cast<std::int64_t>(base.bits) +
                  static_cast<std::int64_t>(v.space == Space::shared ? kernel_.shared_place(v)
                                                                     : kernel_.addresses[found->second]);
      break;
    }
    default: refuse("'" + std::string(base.name) + "' is no address");
  }
  return w;
}

void Body::set_label(Op& op, const Operand& o) {
  if (o.kind != Operand::Kind::label || o.index >= function_.labels.size()) refuse("its target is no label");
  op.immediate = o.index;
  to_labels_.push_back(static_cast<std::size_t>(&op - kernel_.code.ops.data()));
}

} // namespace tasuki::remote::ptx
