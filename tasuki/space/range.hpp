// One range of addresses, the same on every rank, over a sparse file in memory that the ranks of a node share.
//
//   Range range(world, 0x200000000000, 32 << 40, 4096);
//   range.show(0, 16);       // pages 0 to 15 can be touched from now on, at range.view()
//   range.page(3);           // where the runtime sees page 3, at an address of its own: always there, never a fault
//
// The file is mapped twice. Pages of the program's view may be protected one by one. The runtime's alias is
// never protected, so a page is complete there before any thread of the program sees a part of it. The file
// also has room for the twin of each page and for the node's notes about it. Untouched pages cost nothing.
#pragma once

#include <tasuki/base/world.hpp>

#include <cstddef>
#include <cstdint>

namespace tasuki::space {

class Range {
public:
  // Throws Error on every rank if these addresses are in use on any rank. `size` 0:
  // a quarter of the address space, or less if the system allows less. Collective.
  Range(World& world, std::uintptr_t at, std::size_t size, std::size_t page_bytes);
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

  char* view() const { return view_; }
  std::size_t size() const { return size_; }
  std::size_t page_bytes() const { return page_bytes_; }
  std::uint64_t pages() const { return size_ / page_bytes_; }
  int file() const { return file_; }

  bool has(const void* at) const { return at >= view_ && at < view_ + size_; }
  std::uint64_t page_of(const void* at) const {
    return static_cast<std::uint64_t>(static_cast<const char*>(at) - view_) / page_bytes_;
  }
  char* view_of(std::uint64_t page) const { return view_ + page * page_bytes_; }
  char* page(std::uint64_t page) const { return alias_ + page * page_bytes_; }
  char* twin(std::uint64_t page) const { return twins_ + page * page_bytes_; }
  // The same bytes by system calls, which are cheaper for untouched pages: nothing faults, and pages that are
  // overwritten as a whole are not filled with zeros first. Throw Error if the system has no memory left.
  void read(std::uint64_t page, char* to, std::size_t bytes) const;
  void write(std::uint64_t page, const char* from, std::size_t bytes) const;
  void write_twins(std::uint64_t page, const char* from, std::size_t bytes) const;
  // The system has memory for these pages from now on, and this process' alias shows it: what arrives there does not fault.
  void touch(std::uint64_t page, std::uint64_t count) const;
  // The node's notes about pages; initially zero.
  char* notes() const { return notes_; }
  static constexpr std::size_t kNoteBytes = 16; // per page, beside a head of one page

  void show(std::uint64_t page, std::uint64_t count); // mapped for reading and writing. Throws Error
  void hide(std::uint64_t page, std::uint64_t count); // a touch is a fault from now on
  // Frees the memory of pages, for the whole node; these pages and their twins are zero when next touched.
  void release(std::uint64_t page, std::uint64_t count) const;

private:
  bool reserve(World& world, std::uintptr_t at, std::size_t size); // collective: all ranks have it, or none
  void open_file(World& world);
  void write_at(std::size_t place, const char* from, std::size_t bytes) const;

  std::size_t size_ = 0;
  const std::size_t page_bytes_;
  int file_ = -1;
  char* view_ = nullptr;
  char* alias_ = nullptr;
  char* twins_ = nullptr;
  char* notes_ = nullptr;
};

} // namespace tasuki::space
