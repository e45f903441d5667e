// The names in the body of a function: registers, variables and labels, in nested scopes.
#pragma once

#include <remote/ptx/module.hpp>

#include <charconv>

namespace tasuki::remote::ptx {

class Names {
public:
  explicit Names(Function& function) : function_(function) { scopes_.emplace_back(); }

  void open() {
    scopes_.emplace_back();
    scopes_.back().parent = current_;
    current_ = static_cast<std::uint32_t>(scopes_.size() - 1);
  }
  void close() { current_ = scopes_[current_].parent; }
  bool outermost() const { return current_ == 0; }

  void registers(std::string_view name, std::uint32_t count, Type type) { // %r<count>
    scope().ranges[name] = {static_cast<std::uint32_t>(function_.registers.size()), count};
    function_.registers.insert(function_.registers.end(), count, type);
  }
  void one_register(std::string_view name, Type type) {
    scope().names[std::string(name)] = {Operand::Kind::reg,
                                        static_cast<std::uint32_t>(function_.registers.size())};
    function_.registers.push_back(type);
  }
  void variable(Variable variable) {
    scope().names[variable.name] = {Operand::Kind::variable,
                                    static_cast<std::uint32_t>(function_.variables.size())};
    function_.variables.push_back(std::move(variable));
  }

  // A visible register or variable; kind `none` if there is none.
  Operand find(std::string_view name) const {
    Operand result;
    std::size_t digits = name.size();
    while (digits > 1 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
    std::uint32_t number = 0;
    const bool numbered =
        digits < name.size() &&
        std::from_chars(name.data() + digits, name.data() + name.size(), number).ec == std::errc();
    for (std::uint32_t s = current_;; s = scopes_[s].parent) {
      const Scope& in = scopes_[s];
      if (numbered)
        if (auto found = in.ranges.find(name.substr(0, digits));
            found != in.ranges.end() && number < found->second.count) {
          result.kind = Operand::Kind::reg;
          result.index = found->second.first + number;
          return result;
        }
      if (auto found = in.names.find(std::string(name)); found != in.names.end()) {
        result.kind = found->second.kind;
        result.index = found->second.index;
        return result;
      }
      if (s == 0) return result;
    }
  }

  // A label may be used before its definition: it is added to each scope that uses it, and finish() finds its position.
  std::uint32_t label(std::string_view name) {
    auto [found, fresh] =
        scope().labels.try_emplace(name, static_cast<std::uint32_t>(function_.labels.size()));
    if (fresh) function_.labels.push_back(kNowhere);
    return found->second;
  }
  void place(std::string_view name) {
    const std::uint32_t index = label(name);
    function_.labels[index] = static_cast<std::uint32_t>(function_.body.size());
  }
  // The name of a label without a definition; empty if there is none.
  std::string_view finish() {
    for (std::uint32_t s = 0; s < scopes_.size(); ++s)
      for (auto& [name, index] : scopes_[s].labels) {
        for (std::uint32_t up = s; function_.labels[index] == kNowhere && up != 0;) {
          up = scopes_[up].parent;
          if (auto found = scopes_[up].labels.find(name); found != scopes_[up].labels.end())
            function_.labels[index] = function_.labels[found->second];
        }
        if (function_.labels[index] == kNowhere) return name;
      }
    return {};
  }

private:
  static constexpr std::uint32_t kNowhere = ~0u;
  struct Entry {
    Operand::Kind kind;
    std::uint32_t index;
  };
  struct Range {
    std::uint32_t first, count;
  };
  struct Scope {
    std::uint32_t parent = 0;
    std::unordered_map<std::string, Entry> names;
    std::unordered_map<std::string_view, Range> ranges;
    std::unordered_map<std::string_view, std::uint32_t> labels;
  };
  Scope& scope() { return scopes_[current_]; }

  Function& function_;
  std::vector<Scope> scopes_;
  std::uint32_t current_ = 0;
};

} // namespace tasuki::remote::ptx
