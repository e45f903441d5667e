#include <remote/link/unix.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <tasuki/base/error.hpp>

namespace tasuki::remote {

namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw Error("the path of a socket is too long: " + path, "take one of at most 107 letters");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

Descriptor stream() { return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

bool connects(int socket, const sockaddr_un& address) {
  return connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

} // namespace

std::string gate_socket(std::uint16_t port) {
  const std::string end = "tasuki-gpus-" + std::to_string(port) + ".sock";
  if (const char* folder = std::getenv("XDG_RUNTIME_DIR"); folder && *folder)
    return std::string(folder) + "/" + end;
  const std::string folder = "/tmp/tasuki-gpus-" + std::to_string(geteuid());
  mkdir(folder.c_str(), 0700);
  struct stat about {};
  // If the folder belonged to another user, that user could replace the socket.
  if (lstat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != geteuid() ||
      (about.st_mode & (S_IRWXG | S_IRWXO)))
    throw Error(folder + " is no folder of yours alone", "remove it, or set XDG_RUNTIME_DIR");
  return folder + "/" + end;
}

Descriptor dial_unix(const std::string& path) {
  const sockaddr_un address = address_of(path);
  Descriptor socket = stream();
  if (!connects(socket.number(), address))
    throw Error("nobody serves GPUs at " + path + " (" + std::strerror(errno) + ")",
                "start `tasuki gpus serve`");
  return socket;
}

Descriptor listen_unix(const std::string& path) {
  const sockaddr_un address = address_of(path);
  if (connects(stream().number(), address))
    throw Error("GPUs are served at " + path + " already", "use that server, or give --port");
  unlink(path.c_str()); // left by a gate that was killed
  Descriptor socket = stream();
  const mode_t before = umask(0177);
  const bool bound = bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const int fault = errno;
  umask(before);
  if (!bound || listen(socket.number(), 128) != 0)
    throw Error("cannot listen at " + path + " (" + std::strerror(bound ? errno : fault) + ")",
                "name another --socket");
  return socket;
}

uid_t peer_uid(int socket) {
  ucred about{};
  socklen_t size = sizeof about;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &about, &size) != 0) return static_cast<uid_t>(-1);
  return about.uid;
}

bool pass_file(int socket, int file, unsigned char tag) noexcept {
  iovec part{&tag, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  cmsghdr* about = CMSG_FIRSTHDR(&message);
  about->cmsg_level = SOL_SOCKET;
  about->cmsg_type = SCM_RIGHTS;
  about->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(about), &file, sizeof file);
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == 1;
}

Descriptor take_file(int socket, unsigned char* tag) noexcept {
  unsigned char letter = 0;
  iovec part{&letter, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  ssize_t got;
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (tag) *tag = letter;
  const cmsghdr* about = got == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (!about || about->cmsg_level != SOL_SOCKET || about->cmsg_type != SCM_RIGHTS) return Descriptor();
  int file = -1;
  std::memcpy(&file, CMSG_DATA(about), sizeof file);
  return Descriptor(file);
}

} // namespace tasuki::remote
