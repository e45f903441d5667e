// What the memory of a device was when its log was cut: a log is played from there, and not from its beginning.
//
//   Image image(in_folder("/tmp"));
//   image.add(address, bytes, false);
//   image.settle();
//   bool there = image.play(held, worker, changed, over);   // to a worker that has been given the state before it
//
// It lies in a file without a name, of mode 0600, which goes with the process; here, or at a server. Memory that is zero takes no
// room there.
#pragma once

#include <remote/client/player.hpp>
#include <remote/client/storage.hpp>

#include <memory>

namespace tasuki::remote {

class Image {
public:
  struct Variable {
    u64 module = 0;
    std::string name;
    answer::Variable place;
  };
  explicit Image(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {}

  void add(u64 address, View bytes, bool zeros_too); // throws Error: the disk is full
  void add(const Variable& variable) { variables_.push_back(variable); }
  void settle() { storage_->settle(); } // throws Error: some of it is not there
  u64 bytes() const { return storage_->bytes(); }

  // False: the worker is not usable, or has a variable elsewhere, or all is over.
  bool play(Held& held, Worker& worker, std::condition_variable& changed, const bool& over) const;

private:
  struct Part {
    u64 address, at, bytes;
  };
  const std::unique_ptr<Storage> storage_;
  std::vector<Part> parts_;
  std::vector<Variable> variables_;
};

} // namespace tasuki::remote
