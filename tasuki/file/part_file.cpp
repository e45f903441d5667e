#include <tasuki/file/part_file.hpp>

#include <tasuki/base/error.hpp>
#include <tasuki/device/memory.hpp>
#include <tasuki/file/output.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace tasuki {
namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

[[noreturn]] void throw_full(const std::string& path, std::size_t needed, std::size_t left) {
  throw Error(
      fmt::format("the disk of {} is full: {} needed, {} free", path, bytes_text(needed), bytes_text(left)),
      "free space there or write to another disk");
}

// The bytes that this user may still write to the file's disk, or the free bytes if the system reports no quota.
std::size_t free_bytes(int file) {
  struct statvfs disk = {};
  if (fstatvfs(file, &disk) != 0 || disk.f_blocks == 0) return ~std::size_t(0);
  return static_cast<std::size_t>(disk.f_bavail) * disk.f_frsize;
}

} // namespace

void throw_write_error(const std::string& path, int code) {
  switch (code) {
    case ENOSPC: throw Error("the disk of " + path + " is full", "free space there or write to another disk");
    case EDQUOT:
      throw Error("your quota on the disk of " + path + " is used up", "free space or write elsewhere");
    case EFBIG:
      throw Error(path + " would be larger than this shell's file size limit", "raise it with ulimit -f");
    case ENOENT:
      throw Error("the folder of " + path + " does not exist", "make it first, or write elsewhere");
    case ENOTDIR: throw Error("the folder of " + path + " is no folder", "write elsewhere");
    case EACCES:
    case EPERM:
      throw Error(path + " may not be written by this user", "change its rights or write elsewhere");
    case ENAMETOOLONG: throw Error("the name " + path + " is too long", "write under a shorter one");
    case EROFS: throw Error("the disk of " + path + " is read-only", "write to another disk");
    default:
      throw Error("cannot write " + path + " (" + std::strerror(code) + ")",
                  "check the disk or write elsewhere");
  }
}

void throw_read_error(const std::string& path, int code) {
  switch (code) {
    case ENOENT:
    case ENOTDIR: throw Error("there is no file " + path, "check its path");
    case EISDIR: throw Error(path + " is a folder", "give the path of a file");
    case EACCES:
    case EPERM: throw Error(path + " may not be read by this user", "change its rights");
    default: throw Error("cannot read " + path + " (" + std::strerror(code) + ")", "check the disk");
  }
}

std::string part_name(const std::string& path) { return output_file(path) + ".part"; }

PartFile::PartFile(std::string path) : path_(std::move(path)), part_(part_name(path_)) {
  refuse_output(path_);
  claim_.emplace(claim_name(output_file(path_)), path_, "write elsewhere");
  unlink(part_.c_str()); // left by a killed run; its bytes would not count as free
  const Descriptor file(part_, O_WRONLY | O_CREAT | O_EXCL);
  if (file.get() < 0) throw_write_error(path_, errno);
}

PartFile::~PartFile() {
  if (!committed_) unlink(part_.c_str());
}

void PartFile::reserve(std::size_t bytes) {
  const Descriptor file(part_, O_WRONLY);
  if (file.get() < 0) throw_write_error(path_, errno);
  struct stat had = {};
  fstat(file.get(), &had);
  const std::size_t held = static_cast<std::size_t>(had.st_blocks) * 512;
  const std::size_t left = free_bytes(file.get());
  if (bytes > held && bytes - held > left) throw_full(path_, bytes - held, left);
  if (fallocate(file.get(), 0, 0, static_cast<off_t>(bytes)) == 0) return;
  const int code = errno;
  if (code == ENOSPC) throw_full(path_, bytes, free_bytes(file.get()));
  if (code != EOPNOTSUPP && code != ENOSYS) throw_write_error(path_, code);
  rlimit limit = {};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur)
    throw_write_error(path_, EFBIG);
}

void PartFile::commit() {
  sync_file(part_, path_);
  expect_file(path_); // the path may have become a folder or device in the meantime
  if (std::rename(part_.c_str(), output_file(path_).c_str()) != 0) throw_write_error(path_, errno);
  committed_ = true;
  const Descriptor folder(folder_of(part_), O_RDONLY | O_DIRECTORY);
  // Some file systems cannot sync a folder; the file itself is on the disk.
  if (folder.get() >= 0) fsync(folder.get());
}

void replace_file(const std::string& path, const std::string& text) {
  const IgnoreFileLimitSignal quiet;
  PartFile part(path);
  {
    const Descriptor file(part.name(), O_WRONLY);
    if (file.get() < 0) throw_write_error(path, errno);
    write_at(file.get(), text.data(), text.size(), 0, path);
  }
  part.commit();
}

void sync_file(const std::string& name, const std::string& path) {
  const Descriptor file(name, O_WRONLY);
  if (file.get() < 0) throw_write_error(path, errno);
  if (fsync(file.get()) != 0 && errno != EINVAL) throw_write_error(path, errno);
}

void write_at(int file, const void* from, std::size_t bytes, std::size_t offset, const std::string& path) {
  const char* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t done = pwrite(file, at, bytes, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw_write_error(path, done < 0 ? errno : ENOSPC);
    at += done;
    bytes -= static_cast<std::size_t>(done);
    offset += static_cast<std::size_t>(done);
  }
}

void read_at(int file, void* to, std::size_t bytes, std::size_t offset, const std::string& path) {
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t done = pread(file, at, bytes, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw_read_error(path, errno);
    if (done == 0) throw Error(path + " became shorter while it was read", "let nobody write it meanwhile");
    at += done;
    bytes -= static_cast<std::size_t>(done);
    offset += static_cast<std::size_t>(done);
  }
}

Descriptor::Descriptor(const std::string& name, int flags)
    : file_(open(name.c_str(), flags | O_CLOEXEC, 0666)) {}

Descriptor::~Descriptor() {
  if (file_ >= 0) close(file_);
}

std::size_t Descriptor::size() const {
  struct stat found = {};
  return fstat(file_, &found) == 0 ? static_cast<std::size_t>(found.st_size) : 0;
}

IgnoreFileLimitSignal::IgnoreFileLimitSignal() : before_(signal(SIGXFSZ, SIG_IGN)) {}

IgnoreFileLimitSignal::~IgnoreFileLimitSignal() { signal(SIGXFSZ, before_); }

} // namespace tasuki
