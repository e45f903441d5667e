#include <remote/link/hidden_file.hpp>
#include <remote/link/setting.hpp>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tasuki::remote {

namespace {

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

} // namespace

std::string folder_of_files() {
  const std::string folder = setting("TMPDIR");
  return folder.empty() ? "/tmp" : folder;
}

HiddenFile::HiddenFile(const std::string& folder) {
  std::string name = folder + "/tasuki-gpus-XXXXXX";
  file_ = Descriptor(mkostemp(name.data(), O_CLOEXEC)); // of mode 0600
  if (!file_.there()) fail();
  unlink(name.c_str());
}

std::uint64_t HiddenFile::add(Piece bytes) {
  const auto* from = static_cast<const unsigned char*>(bytes.data);
  const std::uint64_t at = end_;
  for (std::size_t done = 0; done < bytes.size;) {
    const ssize_t n = pwrite(file_.number(), from + done, bytes.size - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail();
    done += static_cast<std::size_t>(n);
  }
  end_ += bytes.size;
  return at;
}

void HiddenFile::read(std::uint64_t at, void* to, std::size_t bytes) const {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = pread(file_.number(), static_cast<unsigned char*>(to) + done, bytes - done,
                            static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;
    if (n <= 0) fail();
    done += static_cast<std::size_t>(n);
  }
}

unsigned char* HiddenFile::map(std::size_t bytes) {
  errno = posix_fallocate(file_.number(), static_cast<off_t>(end_), static_cast<off_t>(bytes));
  if (errno) fail();
  void* at =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), static_cast<off_t>(end_));
  if (at == MAP_FAILED) fail();
  end_ += bytes;
  return static_cast<unsigned char*>(at);
}

void HiddenFile::unmap(unsigned char* memory, std::size_t bytes) noexcept { munmap(memory, bytes); }

void HiddenFile::set_aside(unsigned char* memory, std::size_t bytes) noexcept {
  madvise(memory, bytes, MADV_DONTNEED);
}

} // namespace tasuki::remote
