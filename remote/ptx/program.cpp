#include <remote/ptx/program.hpp>

#include <algorithm>
#include <cstring>

namespace tasuki::remote::ptx {

Program::Program(std::string text, const Allocate& allocate) {
  const Module module = parse(std::move(text));
  target_ = module.target;
  version_ = module.version;
  Addresses addresses(module.variables.size(), 0);
  std::uint64_t end = 0;
  for (std::size_t k = 0; k < module.variables.size(); ++k) {
    const Variable& v = module.variables[k];
    if ((v.space != Space::global && v.space != Space::constant) || v.external) continue;
    const std::uint64_t align = std::max<std::uint32_t>(v.align, 1);
    end = (end + align - 1) / align * align;
    addresses[k] = end;
    end += std::max<std::uint64_t>(v.bytes, 1);
    if (v.space == Space::constant) constant_bytes_ = (constant_bytes_ + align - 1) / align * align + v.bytes;
    if (end > 1ull << 36) throw Error("the module's variables take more than 64 GiB", "make them smaller");
  }
  const std::uint64_t base = end > 0 ? allocate(end) : 0;
  for (std::size_t k = 0; k < module.variables.size(); ++k) {
    const Variable& v = module.variables[k];
    if ((v.space != Space::global && v.space != Space::constant) || v.external) continue;
    addresses[k] += base;
    variables_[v.name] = {addresses[k], v.bytes};
  }
  fill(module, addresses);
  for (std::uint32_t f = 0; f < module.functions.size(); ++f)
    if (module.functions[f].entry && !module.functions[f].external)
      kernels_[module.functions[f].name] = std::make_unique<Code>(lower(module, f, addresses));
}

void Program::fill(const Module& module, const Addresses& addresses) const {
  for (std::size_t k = 0; k < module.variables.size(); ++k) {
    const Variable& v = module.variables[k];
    if (addresses[k] == 0) continue;
    const unsigned bytes = bytes_of(v.type);
    auto* to = reinterpret_cast<char*>(addresses[k]);
    for (const Initial& value : v.initial) {
      std::uint64_t bits = value.bits;
      if (!value.symbol.empty()) {
        if (const auto variable = module.variable_of.find(value.symbol); variable != module.variable_of.end())
          bits += addresses[variable->second];
        else if (const auto function = module.function_of.find(value.symbol);
                 function != module.function_of.end())
          bits += address_of_function(function->second);
        else
          throw Error(
              "variable " + v.name + " holds the address of " + value.symbol + ", which is not in its module",
              "link it into one");
        if (value.byte < 8) bits = bits >> (8 * value.byte) & 0xff;
      }
      std::memcpy(to, &bits, std::min(bytes, 8u));
      to += bytes;
    }
  }
}

const Code* Program::kernel(const std::string& name) const {
  const auto found = kernels_.find(name);
  return found == kernels_.end() ? nullptr : found->second.get();
}

Program::Place Program::variable(const std::string& name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? Place{} : found->second;
}

std::vector<std::string> Program::kernels() const {
  std::vector<std::string> names;
  for (const auto& [name, code] : kernels_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace tasuki::remote::ptx
