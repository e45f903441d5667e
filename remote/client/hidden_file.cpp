#include <remote/client/hidden_file.hpp>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tasuki::remote {

namespace {

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

} // namespace

HiddenFile::HiddenFile(const std::string& folder) {
  std::string name = folder + "/tasuki-image-XXXXXX";
  file_ = Descriptor(mkostemp(name.data(), O_CLOEXEC)); // of mode 0600
  if (!file_.there()) fail();
  unlink(name.c_str());
}

u64 HiddenFile::add(View bytes) {
  const auto* from = static_cast<const unsigned char*>(bytes.data);
  const u64 at = end_;
  for (std::size_t done = 0; done < bytes.size;) {
    const ssize_t n = pwrite(file_.number(), from + done, bytes.size - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail();
    done += static_cast<std::size_t>(n);
  }
  end_ += bytes.size;
  return at;
}

void HiddenFile::read(u64 at, void* to, std::size_t bytes) const {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = pread(file_.number(), static_cast<unsigned char*>(to) + done, bytes - done,
                            static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;
    if (n <= 0) fail();
    done += static_cast<std::size_t>(n);
  }
}

} // namespace tasuki::remote
