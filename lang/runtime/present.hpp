// The present table of OpenACC (2.7, 2.6.7): the device memory for ranges of host memory. Internal.
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

  // A range of host memory and its copy on the device.
  struct Entry {
    const char* host = nullptr;
    long bytes = 0;
    std::shared_ptr<ArrayMemory> memory; // null: from acc_map_data
    char* device = nullptr;
    long count = 0;           // of data regions, and of enter data
    std::uint64_t number = 0; // unique
  };

  // The entry that contains all of these bytes; null if there is none. Throws Error if an entry contains only a part.
  Entry* find(const void* host, long bytes, const std::string& name = "");
  // The entry that contains some of these bytes; null if there is none. Throws Error if there are several.
  Entry* touching(const void* host, long bytes, const std::string& name);
  // Adds a reference. Allocates device memory if the bytes are not present; `is_new` is then true.
  Entry& enter(const void* host, long bytes, const std::string& name, bool& is_new,
               ArrayMemory* given = nullptr);
  void leave(Entry& entry, bool all); // removes one reference, or all; the last one frees the memory
  void map(const void* host, void* device, long bytes);
  void unmap(const void* host);
  void gone(const void* host, long bytes); // for host memory that is freed: drops all references
  const Entry* of_device(const void* device) const;
  std::size_t size() const { return entries_.size(); }

  void copy(Entry& entry, const void* host, long bytes, bool to_device);

private:
  std::map<const char*, Entry> entries_; // by host address
  std::uint64_t next_ = 1;
};

inline Present& present() { return RunTime::now().part<Present>(); }

} // namespace tasuki::xmp
