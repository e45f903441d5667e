#include <tasuki/program/sweep.hpp>

#include <tasuki/program/anywhere.hpp>

#include <cxxabi.h>

#include <cstdlib>

namespace tasuki {

namespace {

// What is read anywhere may be read around the cell as well.
bool both_read(const Access& one, const Access& other) {
  const auto is = [](const Access& access, Access::Kind kind) { return access.kind == kind; };
  return (is(one, Access::Kind::read) && is(other, Access::Kind::anywhere)) ||
         (is(one, Access::Kind::anywhere) && is(other, Access::Kind::read));
}

} // namespace

SweepCore::SweepCore(std::string name, std::shared_ptr<GridCore> grid, const Box& region,
                     std::vector<Access> accesses)
    : name_(std::move(name)), grid_(std::move(grid)), region_(region), accesses_(std::move(accesses)) {
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    const Access& a = accesses_[i];
    if (a.device && a.device != &grid_->device())
      throw Error("sweep '" + name_ + "' runs on another device than '" + a.name + "' lies on",
                  "make it for the device of the sweep's grid, as in Sum<double>(Device::host(world), \"" +
                      a.name + "\")");
    if (a.kind == Access::Kind::reduce) {
      reduces_ = true;
      continue;
    }
    if (!a.field) continue;
    if (&a.field->grid() != grid_.get())
      throw Error("sweep '" + name_ + "' runs over another grid than field '" + a.name + "' lives on",
                  "take the region from the grid of its fields");
    const bool far = a.kind == Access::Kind::anywhere;
    if (const auto missing = far ? trouble_anywhere(*a.field) : std::nullopt)
      throw Error("sweep '" + name_ + "' reads field '" + a.name + "' anywhere, and " + missing->why,
                  missing->mend);
    for (std::size_t j = 0; j < i; ++j)
      if (accesses_[j].field == a.field && !both_read(accesses_[j], a))
        throw Error("sweep '" + name_ + "' names field '" + a.name + "' twice",
                    "use updates() for a field read and written in the same cell, and a second field and "
                    "swap() for one "
                    "that is read further away");
  }
}

namespace detail {

std::string type_name(const std::type_info& type) {
  int status = 0;
  char* text = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string name = status == 0 ? text : type.name();
  std::free(text);
  // "a::b::Relax<float>" -> "Relax<float>": the name in the user's source
  std::size_t start = 0;
  for (std::size_t i = 0, depth = 0; i + 1 < name.size() && depth == 0; ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == ':' && name[i + 1] == ':') start = i + 2;
  }
  return name.substr(start);
}

} // namespace detail
} // namespace tasuki
