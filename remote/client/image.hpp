// What the memory of a device was when its log was cut: a log is played from there, and not from its beginning.
//
//   Image image("/tmp");
//   image.add(address, bytes, false);
//   bool there = image.play(held, worker, changed, over);   // to a worker that has been given the state before it
//
// It lies in a file without a name, of mode 0600, which goes with the process. Memory that is zero takes no room there.
#pragma once

#include <remote/client/hidden_file.hpp>
#include <remote/client/player.hpp>

#include <optional>

namespace tasuki::remote {

class Image {
public:
  struct Variable {
    u64 module = 0;
    std::string name;
    answer::Variable place;
  };
  explicit Image(const std::string& folder); // throws Error

  void add(u64 address, View bytes, bool zeros_too); // throws Error: the disk is full
  void add(const Variable& variable) { variables_.push_back(variable); }
  u64 bytes() const { return file_->bytes(); }

  // False: the worker is not usable, or has a variable elsewhere, or all is over.
  bool play(Held& held, Worker& worker, std::condition_variable& changed, const bool& over) const;

private:
  struct Part {
    u64 address, at, bytes;
  };
  const std::string folder_;
  std::optional<HiddenFile> file_;
  std::vector<Part> parts_;
  std::vector<Variable> variables_;
};

} // namespace tasuki::remote
