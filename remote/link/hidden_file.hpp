// A file without a name, of mode 0600, that goes with the process: what would be too much for its memory.
//
//   HiddenFile file(folder_of_files());
//   const std::uint64_t at = file.add(bytes);    // throws std::system_error: the disk is full
//   file.read(at, to, bytes.size);           // throws std::system_error
//   unsigned char* memory = file.map(8 << 20);   // or as memory, until unmap(); throws std::system_error
#pragma once

#include <remote/link/descriptor.hpp>
#include <remote/link/link.hpp>

#include <cstdint>
#include <string>

namespace tasuki::remote {

std::string folder_of_files(); // TMPDIR, else /tmp

class HiddenFile {
public:
  explicit HiddenFile(const std::string& folder); // throws std::system_error
  std::uint64_t add(Piece bytes);                 // behind all others; where it lies
  void read(std::uint64_t at, void* to, std::size_t bytes) const;
  std::uint64_t bytes() const { return end_; }
  // Room behind all others, a multiple of pages; the disk has it, so writing there cannot fail later.
  unsigned char* map(std::size_t bytes);
  static void unmap(unsigned char* memory, std::size_t bytes) noexcept;
  // The system writes it to the disk when it likes to, and reads it again when it is touched.
  static void set_aside(unsigned char* memory, std::size_t bytes) noexcept;

private:
  Descriptor file_;
  std::uint64_t end_ = 0;
};

} // namespace tasuki::remote
