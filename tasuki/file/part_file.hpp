// A file that is written under another name and takes its own only when it is whole and on the disk.
#pragma once

#include <tasuki/file/claim.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace tasuki {

// The name that a file has while it is written. A killed run may leave it; the next write takes it over.
std::string part_name(const std::string& path);

// Held by one rank. Goes away with its bytes unless committed; what stood under `path` before stays until then. A
// symbolic link to a file stays one: what it leads to is replaced.
class PartFile {
public:
  // An empty file of the part's name. Throws Error where refuse_output() does, and where another run writes it now.
  explicit PartFile(std::string path);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::string& name() const { return part_; }

  // Takes the first `bytes` of the file from the disk now, so that no later write finds it full. Throws Error with
  // the bytes needed and free. A file system that cannot promise space is asked how much it has.
  void reserve(std::size_t bytes);

  // Replaces what stands under the path, and returns when that is on the disk.
  void commit();

private:
  std::string path_, part_;
  std::optional<Claim> claim_;
  bool committed_ = false;
};

// Writes through a PartFile. Local.
void replace_file(const std::string& path, const std::string& text);

// Waits until what was written to the file is on the disk. Throws Error. Local.
void sync_file(const std::string& name, const std::string& path);

// Writes or reads all of `bytes` at `offset`. Throws Error that names `path`; a read past the end is one too.
void write_at(int file, const void* from, std::size_t bytes, std::size_t offset, const std::string& path);
void read_at(int file, void* to, std::size_t bytes, std::size_t offset, const std::string& path);

// Plain sentences for what the system answers.
[[noreturn]] void throw_write_error(const std::string& path, int code);
[[noreturn]] void throw_read_error(const std::string& path, int code);

// A file descriptor; -1 where opening failed.
class Descriptor {
public:
  Descriptor(const std::string& name, int flags);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return file_; }
  std::size_t size() const; // bytes of the file

private:
  int file_ = -1;
};

// Without it a write past `ulimit -f` ends the process; with it, it is an error like others.
class IgnoreFileLimitSignal {
public:
  IgnoreFileLimitSignal();
  ~IgnoreFileLimitSignal();
  IgnoreFileLimitSignal(const IgnoreFileLimitSignal&) = delete;
  IgnoreFileLimitSignal& operator=(const IgnoreFileLimitSignal&) = delete;

private:
  void (*before_)(int);
};

} // namespace tasuki
