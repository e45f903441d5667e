// Device memory that stands for memory of the host: the present table of OpenACC (2.7, 2.6.7). Internal.
#pragma once

#include "run_time.hpp"

#include <tasuki/array/array.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace tasuki::xmp {

class Present {
public:
  explicit Present(World&) {}

  // Some bytes of the host and their copy.
  struct Entry {
    const char* host = nullptr;
    long bytes = 0;
    std::shared_ptr<ArrayMemory> memory; // null: given by acc_map_data
    char* device = nullptr;
    long count = 0;           // of regions, and of enter data
    std::uint64_t number = 0; // given once
  };

  // The entry that has all these bytes; null where there is none. Throws Error where one has some of them.
  Entry* find(const void* host, long bytes, const std::string& name = "");
  // One more reference; the memory is made where nothing is present, and `is_new` says so.
  Entry& enter(const void* host, long bytes, const std::string& name, bool& is_new,
               ArrayMemory* given = nullptr);
  void leave(Entry& entry, bool all); // one reference less, or all of them; with the last the memory goes
  void map(const void* host, void* device, long bytes);
  void unmap(const void* host);
  void gone(const void* host, long bytes); // memory of the host that ends, whatever refers to it
  const Entry* of_device(const void* device) const;
  std::size_t size() const { return entries_.size(); }

  void copy(Entry& entry, const void* host, long bytes, bool to_device);

private:
  std::map<const char*, Entry> entries_; // by the host's address
  std::uint64_t next_ = 1;
};

} // namespace tasuki::xmp
