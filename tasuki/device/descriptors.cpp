#include <tasuki/device/descriptors.hpp>

#include <tasuki/base/error.hpp>
#include <tasuki/base/gather.hpp>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

namespace tasuki {
namespace {

constexpr std::size_t kAtOnce = 64; // the kernel takes 253 in one message
constexpr int kPatience = 30;       // seconds for a message of another rank

// Where a rank listens, and the word without which it takes no message: any process of the host can send one.
struct Door {
  int process = 0, descriptors = 0;
  std::uint64_t number = 0, word = 0;
};

sockaddr_un address_of(const Door& door, socklen_t& bytes) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  // A name that begins with a zero byte is in no file system, and ends with its socket.
  const int length = std::snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "tasuki-%d-%llu", door.process,
                                   static_cast<unsigned long long>(door.number));
  bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
  return at;
}

struct Parts {
  explicit Parts(std::uint64_t& word) : data{&word, sizeof word} {
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }
  iovec data;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kAtOnce * sizeof(int))> control{};
  msghdr message{};
};

bool send_to(int socket, const Door& door, const int* list, std::size_t count) {
  std::uint64_t word = door.word;
  Parts parts(word);
  socklen_t bytes = 0;
  sockaddr_un at = address_of(door, bytes);
  parts.message.msg_name = &at;
  parts.message.msg_namelen = bytes;
  parts.message.msg_controllen = CMSG_SPACE(count * sizeof(int));
  cmsghdr* const head = CMSG_FIRSTHDR(&parts.message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(count * sizeof(int));
  std::memcpy(CMSG_DATA(head), list, count * sizeof(int));
  while (sendmsg(socket, &parts.message, 0) < 0)
    if (errno != EINTR) return false;
  return true;
}

bool receive(int socket, std::uint64_t mine, std::vector<int>& into) {
  std::uint64_t word = 0;
  Parts parts(word);
  const ssize_t got = recvmsg(socket, &parts.message, MSG_CMSG_CLOEXEC);
  if (got < 0) return errno == EINTR;
  for (cmsghdr* head = CMSG_FIRSTHDR(&parts.message); head; head = CMSG_NXTHDR(&parts.message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::vector<int> list(count);
    std::memcpy(list.data(), CMSG_DATA(head), count * sizeof(int));
    for (const int one : list)
      if (got == sizeof word && word == mine)
        into.push_back(one);
      else
        close(one);
  }
  return true;
}

// Opens this rank's door; -1 and a reason in errno if it cannot.
int open_door(Door& door) {
  static std::uint64_t next = 0;
  door.process = static_cast<int>(getpid());
  door.number = next++;
  std::random_device random;
  door.word = (static_cast<std::uint64_t>(random()) << 32) + random();
  const int made = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  socklen_t bytes = 0;
  const sockaddr_un at = address_of(door, bytes);
  const timeval patience{kPatience, 0};
  if (made < 0 || bind(made, reinterpret_cast<const sockaddr*>(&at), bytes) != 0 ||
      setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0 ||
      setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0) {
    const int fault = errno;
    if (made >= 0) close(made);
    errno = fault;
    return -1;
  }
  return made;
}

} // namespace

std::vector<std::vector<int>> hand_round(const Ranks& ranks, const std::vector<int>& mine) {
  Door door;
  door.descriptors = static_cast<int>(mine.size());
  const int socket = open_door(door);
  int fault = socket < 0 ? errno : 0;
  const std::vector<Door> doors = gather_rows(ranks, std::vector<Door>{door});
  std::vector<std::vector<int>> all(doors.size());
  for (std::size_t from = 0; from < doors.size(); ++from) {
    std::vector<int>& list = all[from];
    const auto count = static_cast<std::size_t>(doors[from].descriptors);
    if (static_cast<int>(from) == ranks.place()) {
      list = mine;
      for (std::size_t to = 0; to < doors.size(); ++to)
        for (std::size_t k = 0; to != from && k < count && !fault; k += kAtOnce)
          if (!send_to(socket, doors[to], mine.data() + k, std::min(kAtOnce, count - k))) fault = errno;
    } else {
      while (!fault && list.size() < count)
        if (!receive(socket, door.word, list)) fault = errno;
    }
    int worst = 0; // nobody sends before all have received
    MPI_Allreduce(&fault, &worst, 1, MPI_INT, MPI_MAX, ranks.comm());
    fault = worst;
  }
  if (socket >= 0) close(socket);
  if (!fault) return all;
  for (std::size_t from = 0; from < all.size(); ++from)
    if (static_cast<int>(from) != ranks.place())
      for (const int one : all[from]) close(one);
  throw Error(std::string("the ranks of a node cannot hand each other descriptors: ") + std::strerror(fault),
              "start them in one container, or raise the limit of open files (ulimit -n)");
}

} // namespace tasuki
