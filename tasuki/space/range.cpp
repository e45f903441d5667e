#include <tasuki/space/range.hpp>

#include <tasuki/base/gather.hpp>
#include <tasuki/base/on_all.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tasuki::space {
namespace {

constexpr std::size_t kQuarter = std::size_t{1} << 45; // of 47 bits of addresses
constexpr std::size_t kLeastRange = std::size_t{1} << 36;
constexpr std::size_t kHead = std::size_t{1} << 21;

std::size_t note_bytes(std::size_t size, std::size_t page) { return kHead + size / page * Range::kNoteBytes; }

char* map_shared(int file, std::size_t bytes, std::size_t from) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file,
                  static_cast<off_t>(from));
  return at == MAP_FAILED ? nullptr : static_cast<char*>(at);
}

} // namespace

Range::Range(World& world, std::uintptr_t at, std::size_t size, std::size_t page_bytes)
    : page_bytes_(page_bytes) {
  const std::size_t first = size ? size : kQuarter;
  bool there = false;
  for (std::size_t s = first; !there && s >= (size ? size : kLeastRange); s /= 2)
    there = reserve(world, at, s);
  if (!there)
    throw Error(fmt::format("the addresses from {:#x} are not free on every rank for {} GiB of shared data",
                            at, first >> 30),
                "give another --space-at, or a smaller --space-size");
  on_all(world, [&] {
    const std::size_t system = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    if (page_bytes_ % system != 0)
      throw Error(
          fmt::format("a page of {} bytes is none of this system's, which have {}", page_bytes_, system),
          "give --page a multiple of it");
  });
  open_file(world);
}

bool Range::reserve(World& world, std::uintptr_t at, std::size_t size) {
  void* const wish = reinterpret_cast<void*>(at);
  void* const got =
      mmap(wish, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  bool here = got == wish;
  if (!here && got != MAP_FAILED) munmap(got, size);
  // The alias and the twins need as much again, each: they are tried here, where there is a next smaller size to go to.
  for (void* other[2] = {}; here && !other[1];) {
    for (void*& one : other) {
      one = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      here = here && one != MAP_FAILED;
    }
    for (void* one : other)
      if (one != MAP_FAILED) munmap(one, size);
    if (!here) munmap(got, size);
    break;
  }
  if (any_rank(world, !here)) {
    if (here) munmap(got, size);
    return false;
  }
  view_ = static_cast<char*>(got);
  size_ = size;
  return true;
}

// The first rank of a node makes the file; the others open it by its place under /proc.
void Range::open_file(World& world) {
  const std::size_t notes = note_bytes(size_, page_bytes_);
  struct Place {
    int process, file;
  } mine{static_cast<int>(getpid()), -1};
  std::string fault;
  if (world.node_rank() == 0) {
    file_ = memfd_create("tasuki-space", MFD_CLOEXEC);
    if (file_ < 0 || ftruncate(file_, static_cast<off_t>(2 * size_ + notes)) != 0)
      fault = std::strerror(errno);
    mine.file = file_;
  }
  const auto places = gather_rows(Ranks::of_node(world), std::vector<Place>{mine});
  if (world.node_rank() != 0 && places[0].file >= 0) {
    const std::string path = fmt::format("/proc/{}/fd/{}", places[0].process, places[0].file);
    file_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file_ < 0) fault = std::strerror(errno);
  }
  if (fault.empty() && file_ >= 0) {
    alias_ = map_shared(file_, size_, 0);
    twins_ = map_shared(file_, size_, size_);
    notes_ = map_shared(file_, notes, 2 * size_);
    if (!alias_ || !twins_ || !notes_) fault = std::strerror(errno);
  }
  // Closed by nobody before all have opened it: this is collective.
  on_all(world, [&] {
    if (!fault.empty())
      throw Error(
          "the ranks of a node cannot share a range of " + std::to_string(size_ >> 30) + " GiB: " + fault,
          "give a smaller --space-size, or one rank a node");
  });
}

Range::~Range() {
  if (alias_) munmap(alias_, size_);
  if (twins_) munmap(twins_, size_);
  if (notes_) munmap(notes_, note_bytes(size_, page_bytes_));
  if (view_) munmap(view_, size_);
  if (file_ >= 0) close(file_);
}

void Range::show(std::uint64_t page, std::uint64_t count) {
  char* const at = view_of(page);
  const std::size_t bytes = count * page_bytes_;
  if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file_,
           static_cast<off_t>(page * page_bytes_)) == MAP_FAILED)
    throw Error("an array of " + std::to_string(bytes) + " bytes cannot be mapped: " + std::strerror(errno),
                "raise vm.max_map_count, or make fewer arrays");
  madvise(at, bytes, MADV_DONTFORK); // a child would see pages that nobody keeps
}

void Range::hide(std::uint64_t page, std::uint64_t count) {
  const auto flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  if (mmap(view_of(page), count * page_bytes_, PROT_NONE, flags, -1, 0) == MAP_FAILED)
    throw Error(std::string("an array cannot be unmapped: ") + std::strerror(errno),
                "raise vm.max_map_count");
}

void Range::read(std::uint64_t page, char* to, std::size_t bytes) const {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got = pread(file_, to + done, bytes - done, static_cast<off_t>(page * page_bytes_ + done));
    if (got > 0)
      done += static_cast<std::size_t>(got);
    else if (got == 0 || errno != EINTR)
      throw Error(std::string("shared pages cannot be read: ") + std::strerror(got ? errno : EIO),
                  "see what the system says about its memory");
  }
}

void Range::write(std::uint64_t page, const char* from, std::size_t bytes) const {
  write_at(page * page_bytes_, from, bytes);
}

void Range::write_twins(std::uint64_t page, const char* from, std::size_t bytes) const {
  write_at(size_ + page * page_bytes_, from, bytes);
}

void Range::write_at(std::size_t place, const char* from, std::size_t bytes) const {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t put = pwrite(file_, from + done, bytes - done, static_cast<off_t>(place + done));
    if (put > 0)
      done += static_cast<std::size_t>(put);
    else if (put == 0 || errno != EINTR)
      throw Error(std::string("shared pages cannot be stored: ") + std::strerror(put ? errno : EIO),
                  "free memory, give a smaller --space-cache, or use more nodes");
  }
}

void Range::touch(std::uint64_t page, std::uint64_t count) const {
  const std::size_t system = 4096;
  const volatile char* const at = this->page(page);
  for (std::size_t k = 0; k < count * page_bytes_; k += system) static_cast<void>(at[k]);
}

void Range::release(std::uint64_t page, std::uint64_t count) const {
  const auto bytes = static_cast<off_t>(count * page_bytes_);
  for (const std::size_t part : {std::size_t{0}, size_})
    fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              static_cast<off_t>(part + page * page_bytes_), bytes);
}

} // namespace tasuki::space
