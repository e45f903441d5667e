#include <tasuki/file/claim.hpp>

#include <tasuki/base/error.hpp>
#include <tasuki/file/part_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <utility>

namespace tasuki {
namespace {

std::string host() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return *name ? name : "?";
}

// Identifies this process, also among processes with the same number on hosts of the same name.
std::string own_text() {
  static const unsigned once = std::random_device{}();
  return fmt::format("{} {} {:08x}\n", getpid(), host(), once);
}

std::string text_of(int file) {
  char text[512] = {};
  const ssize_t got = pread(file, text, sizeof text - 1, 0);
  return {text, static_cast<std::size_t>(got > 0 ? got : 0)};
}

struct Owner {
  long process = 0; // 0: not written yet
  std::string host;
};

Owner owner_of(const std::string& text) {
  Owner owner;
  std::istringstream words(text);
  if (!(words >> owner.process >> owner.host)) owner = {};
  return owner;
}

[[noreturn]] void refuse(const std::string& text, const std::string& what, const std::string& mend) {
  const Owner owner = owner_of(text);
  throw Error(owner.process ? fmt::format("{} is in use by process {} on {}", what, owner.process, owner.host)
                            : what + " is in use by another process",
              mend);
}

// The lock files to remove if an uncaught Error ends the process, since destructors do not run in that case.
struct Held {
  std::mutex lock;
  std::set<std::string> names;
  std::terminate_handler before = nullptr;
};

Held& held() {
  static Held* const all = new Held; // never destroyed
  return *all;
}

[[noreturn]] void take_away_and_end() {
  if (held().lock.try_lock())
    for (const std::string& name : held().names) unlink(name.c_str());
  if (held().before) held().before();
  std::abort();
}

void hold(const std::string& name) {
  const std::lock_guard<std::mutex> guard(held().lock);
  held().names.insert(name);
  if (std::get_terminate() != take_away_and_end) held().before = std::set_terminate(take_away_and_end);
}

void let_go(const std::string& name) {
  const std::lock_guard<std::mutex> guard(held().lock);
  held().names.erase(name);
}

bool names_file(const std::string& name, int file) {
  struct stat here = {}, there = {};
  return fstat(file, &here) == 0 && stat(name.c_str(), &there) == 0 && here.st_ino == there.st_ino &&
         here.st_dev == there.st_dev;
}

// Ignores a full disk: the lock is valid without the text.
void write_text(int file) {
  if (ftruncate(file, 0) != 0) return;
  const std::string text = own_text();
  [[maybe_unused]] const ssize_t done = pwrite(file, text.data(), text.size(), 0);
}

} // namespace

std::string claim_name(const std::string& path) {
  const std::size_t name = path.rfind('/') + 1; // npos + 1 is 0
  return path.substr(0, name) + "." + path.substr(name) + ".lock";
}

Claim::Claim(std::string lock, const std::string& what, const std::string& mend) : lock_(std::move(lock)) {
  const std::string wait = "wait until it has ended, or " + mend;
  for (int tries = 0; tries < 1000; ++tries) {
    const int file = open(lock_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (file < 0) throw_write_error(what, errno);
    const int code = flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    const std::string text = text_of(file);
    const Owner owner = owner_of(text);
    if (code == EWOULDBLOCK) {
      close(file);
      if (text == own_text()) return;
      refuse(text, what, wait);
    }
    if (code != 0 && code != EINTR && owner.process != 0 && text != own_text()) { // no locks on this disk
      const bool gone =
          owner.host == host() && kill(static_cast<pid_t>(owner.process), 0) != 0 && errno == ESRCH;
      if (!gone) {
        close(file);
        refuse(text, what, fmt::format("{}; where it is gone, take {} away", wait, lock_));
      }
    }
    if (code != EINTR && names_file(lock_, file)) { // otherwise its owner has just removed the file
      write_text(file);
      file_ = file;
      hold(lock_);
      return;
    }
    close(file);
  }
  refuse("", what, wait);
}

Claim::~Claim() {
  if (file_ < 0) return;
  let_go(lock_);
  unlink(
      lock_.c_str()); // while the lock is held: the next one to get it then checks that the file still exists
  close(file_);
}

} // namespace tasuki
