// The programs whose times can be predicted by name, each with the options that set its size.
#pragma once

#include <tasuki/base/options.hpp>
#include <tasuki/model/description.hpp>

#include <memory>
#include <string>
#include <vector>

namespace tasuki::model {

class Subject {
public:
  Subject(std::string program, std::string what) : name(std::move(program)), about(std::move(what)) {}
  virtual ~Subject() = default;
  virtual void add_options(OptionParser& line) = 0;
  // What a step does, at the size of the options. A small grid is made of it, whatever that size is.
  // Collective.
  virtual Description description(World& world) const = 0;

  const std::string name, about;
};

// laplace, himeno, diffusion.
std::vector<std::unique_ptr<Subject>> subjects();

} // namespace tasuki::model
