// A file that has a temporary name until it is complete on the disk.
#pragma once

#include <tasuki/file/claim.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace tasuki {

// The temporary name of a file while it is written. A killed run may leave the file; the next write overwrites it.
std::string part_name(const std::string& path);

// Used by one rank. The destructor removes the temporary file unless commit() was called; until then an existing file
// at `path` is unchanged. If `path` is a symbolic link to a file, its target is replaced.
class PartFile {
public:
  // Creates an empty temporary file. Throws Error if refuse_output() does, or if another run is writing this file.
  explicit PartFile(std::string path);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::string& name() const { return part_; }

  // Reserves space for the first `bytes` bytes of the file, so that no later write finds the disk full. Throws Error
  // with the needed and the free bytes. If the file system cannot reserve space, its free space is checked.
  void reserve(std::size_t bytes);

  // Replaces the file at the path, and returns when the new one is on the disk.
  void commit();

private:
  std::string path_, part_;
  std::optional<Claim> claim_;
  bool committed_ = false;
};

// Writes through a PartFile. Local.
void replace_file(const std::string& path, const std::string& text);

// Returns when the content of the file is on the disk. Throws Error. Local.
void sync_file(const std::string& name, const std::string& path);

// Writes or reads all `bytes` bytes at `offset`. Throws Error that contains `path`, also for a read past the end.
void write_at(int file, const void* from, std::size_t bytes, std::size_t offset, const std::string& path);
void read_at(int file, void* to, std::size_t bytes, std::size_t offset, const std::string& path);

// Errors with a plain sentence for an error code of the system.
[[noreturn]] void throw_write_error(const std::string& path, int code);
[[noreturn]] void throw_read_error(const std::string& path, int code);

// A file descriptor; -1 if the file could not be opened.
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

// Without it, a write beyond `ulimit -f` ends the process; with it, such a write is an ordinary error.
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
