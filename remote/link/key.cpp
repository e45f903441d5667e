#include <remote/link/key.hpp>

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <tasuki/base/error.hpp>

namespace tasuki::remote {

namespace {

constexpr std::size_t kDigits = 2 * Key::kBytes;

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// A file descriptor that is closed on destruction.
struct File {
  int descriptor;
  ~File() {
    if (descriptor >= 0) close(descriptor);
  }
};

} // namespace

Key::~Key() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

Key new_key() {
  std::array<unsigned char, Key::kBytes> bytes;
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    throw Error("the system gives no random numbers", "look at /dev/urandom");
  const Key key(bytes);
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return key;
}

Key read_key(const std::string& path) {
  // The checks use the open file, so that it cannot be replaced between the checks and the read.
  const File file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)};
  struct stat about {};
  if (file.descriptor < 0 || fstat(file.descriptor, &about) != 0)
    throw Error("the key " + path + " cannot be read (" + std::strerror(errno) + ")",
                "make one with `tasuki gpus key` and copy it to all hosts, or name it with --key");
  if (!S_ISREG(about.st_mode))
    throw Error("the key " + path + " is no file", "make one with `tasuki gpus key`");
  if (about.st_mode & (S_IRWXG | S_IRWXO))
    throw Error("the key " + path + " can be read by others",
                "chmod 600 " + path + ", and make a new one if they did");
  if (about.st_uid != geteuid() && about.st_uid != 0)
    throw Error("the key " + path + " belongs to another user",
                "make one of your own with `tasuki gpus key`");
  char text[kDigits + 2] = {};
  const ssize_t got = pread(file.descriptor, text, sizeof text, 0);
  std::array<unsigned char, Key::kBytes> bytes{};
  bool good = got == static_cast<ssize_t>(kDigits) ||
              (got == static_cast<ssize_t>(kDigits) + 1 && text[kDigits] == '\n');
  for (std::size_t i = 0; good && i < Key::kBytes; ++i) {
    const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    good = high >= 0 && low >= 0;
    bytes[i] = static_cast<unsigned char>(high * 16 + low);
  }
  const Key key(bytes);
  OPENSSL_cleanse(text, sizeof text);
  OPENSSL_cleanse(bytes.data(), bytes.size());
  if (!good)
    throw Error("the key " + path + " holds no key (64 hexadecimal digits)",
                "make one with `tasuki gpus key`");
  return key;
}

void save_key(const Key& key, const std::string& path) {
  const File file{open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (file.descriptor < 0)
    throw Error("the key " + path + " cannot be written (" + std::strerror(errno) + ")",
                errno == EEXIST ? "use the one that is there, or remove it" : "name another file");
  char text[kDigits + 1];
  for (std::size_t i = 0; i < Key::kBytes; ++i) {
    text[2 * i] = "0123456789abcdef"[key.data()[i] >> 4];
    text[2 * i + 1] = "0123456789abcdef"[key.data()[i] & 15];
  }
  text[kDigits] = '\n';
  const bool whole = write(file.descriptor, text, sizeof text) == static_cast<ssize_t>(sizeof text);
  OPENSSL_cleanse(text, sizeof text);
  if (!whole || fsync(file.descriptor) != 0) {
    unlink(path.c_str());
    throw Error("the key " + path + " cannot be written (" + std::strerror(errno) + ")",
                "make room, or name another file");
  }
}

std::string default_key_path() {
  if (const char* folder = std::getenv("XDG_CONFIG_HOME"); folder && *folder)
    return std::string(folder) + "/tasuki/gpus.key";
  const char* home = std::getenv("HOME");
  if (!home || !*home) {
    const passwd* user = getpwuid(getuid());
    home = user ? user->pw_dir : "/";
  }
  return std::string(home) + "/.config/tasuki/gpus.key";
}

} // namespace tasuki::remote
