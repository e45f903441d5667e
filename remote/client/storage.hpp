// Where an image of a device lies: in a hidden file of this host, or at a server that keeps it.
//
//   std::unique_ptr<Storage> there = in_folder("/tmp");    // throws Error: it cannot be kept there
//   const u64 at = there->add(bytes);                      // throws Error
//   there->settle();                                       // throws Error: some of it is not there
//   there->read(at, to, bytes.size);                       // throws LinkLost
#pragma once

#include <remote/server/keeper.hpp>
#include <remote/wire/frames.hpp>

#include <memory>
#include <string>

namespace tasuki::remote {

class Storage {
public:
  virtual ~Storage() = default;
  virtual u64 add(View bytes) = 0; // behind all others; where it lies
  virtual void settle() {}
  virtual void read(u64 at, void* to, std::size_t bytes) = 0;
  virtual u64 bytes() const = 0;
};

std::unique_ptr<Storage> in_folder(const std::string& folder);
std::unique_ptr<Storage> at_server(const Host& host, const Key& key, const Wish& wish);

} // namespace tasuki::remote
