// One range of addresses, the same on every rank, over a sparse file in memory that the ranks of a node share.
//
//   Range range(world, 0x200000000000, 32 << 40, 4096);
//   range.show(0, 16);       // pages 0 to 15 can be touched from now on, at range.view()
//   range.page(3);           // where the runtime sees page 3, at an address of its own: always there, never a fault
//
// The file is mapped twice. The program's view may be protected page by page; the runtime's alias is not, so bytes
// arrive there before any thread of the program can see half of them. The same file has room for the twin of each page and for
// what the ranks of the node write down about it. What is not touched costs nothing.
#pragma once

#include <tasuki/base/world.hpp>

#include <cstddef>
#include <cstdint>

namespace tasuki::space {

class Range {
public:
  // Throws Error on every rank where some rank has something else at these addresses. Where `size` is 0 it is a quarter of
  // what the width of addresses gives, or less where the system gives less. Collective.
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
  // The same bytes by calls, which are cheaper where pages have not been touched: nothing faults, and what is overwritten
  // as a whole is not filled with zeros first. Throw Error where the system has no memory left.
  void read(std::uint64_t page, char* to, std::size_t bytes) const;
  void write(std::uint64_t page, const char* from, std::size_t bytes) const;
  void write_twins(std::uint64_t page, const char* from, std::size_t bytes) const;
  // Of the node's notes about pages; zero at first. `bytes_a_page` of earlier parts stand before it.
  char* notes() const { return notes_; }
  static constexpr std::size_t kNoteBytes = 16; // a page, beside a head of one page

  void show(std::uint64_t page, std::uint64_t count); // mapped for reading and writing. Throws Error
  void hide(std::uint64_t page, std::uint64_t count); // a touch is a fault from now on
  // Gives the memory of pages back; they and their twins are zero when they are touched next. Of the whole node.
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
