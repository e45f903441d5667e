// Runs kernels of a text on memory of the test, with 2 threads.
#pragma once

#include <remote/ptx/grid.hpp>
#include <remote/ptx/program.hpp>

#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace tasuki::remote::ptx::test {

inline std::string text_of(const std::string& name) { // of a file of this folder
  std::ifstream in(std::string(TASUKI_PTX_TESTS) + "/" + name);
  if (!in) throw std::runtime_error("no " + name);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

class Machine : public Memory {
public:
  explicit Machine(const std::string& text)
      : program(text, [this](std::uint64_t bytes) { return allocate(bytes); }) {}

  std::uint64_t allocate(std::uint64_t bytes) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto& block = blocks_.emplace_back((bytes + 511) / 8, 0);
    const std::uint64_t raw = reinterpret_cast<std::uint64_t>(block.data()), at = (raw + 255) / 256 * 256;
    ranges_[at] = at + bytes;
    return at;
  }
  void release(std::uint64_t at) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ranges_.erase(at);
  }
  Range around(std::uint64_t address) const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto after = ranges_.upper_bound(address);
    if (after == ranges_.begin()) return {};
    --after;
    return address < after->second ? Range{after->first, after->second} : Range{};
  }
  void print(const std::string& text) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    printed += text;
  }

  template <class T>
  T* array(const std::vector<T>& values) {
    T* at = reinterpret_cast<T*>(allocate(values.size() * sizeof(T)));
    std::copy(values.begin(), values.end(), at);
    return at;
  }
  template <class T>
  T* array(std::size_t count) {
    return reinterpret_cast<T*>(allocate(count * sizeof(T)));
  }

  template <class... Arguments>
  void run(const std::string& name, Dimensions grid, Dimensions block, std::uint32_t shared,
           Arguments... arguments) {
    const Code* code = kernel(name);
    Launching launching{grid, block, shared, std::vector<char>(code->parameter_bytes), this};
    launching.checked = checked;
    std::size_t k = 0;
    const auto pass = [&](auto value) {
      if (code->parameters.at(k).bytes != sizeof value)
        throw std::runtime_error("an argument has another size");
      std::memcpy(launching.parameters.data() + code->parameters[k++].offset, &value, sizeof value);
    };
    (pass(arguments), ...);
    if (k != code->parameters.size()) throw std::runtime_error("too few arguments");
    Grid work(*code, std::move(launching));
    std::thread helper([&] { work.work(); });
    work.work();
    helper.join();
    work.wait();
  }
  // By a part of its name, which C++ has made longer.
  const Code* kernel(const std::string& part) const {
    for (const std::string& name : program.kernels())
      if (name == part || name.find(std::to_string(part.size()) + part) != std::string::npos)
        return program.kernel(name);
    throw std::runtime_error("no kernel " + part);
  }

  std::string printed;
  bool checked = false; // races on shared memory are faults

private:
  mutable std::mutex mutex_;
  std::vector<std::vector<std::uint64_t>> blocks_;
  std::map<std::uint64_t, std::uint64_t> ranges_;

public:
  Program program; // its variables are blocks
};

} // namespace tasuki::remote::ptx::test
