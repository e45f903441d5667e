#include <remote/link/tcp.hpp>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include <tasuki/base/error.hpp>

namespace tasuki::remote {

namespace {

void set(int socket, int level, int name, int value) {
  setsockopt(socket, level, name, &value, sizeof value);
}

// Returns 0 or an error number.
int connect_by(int socket, const sockaddr* address, socklen_t size,
               std::chrono::steady_clock::time_point end) {
  if (connect(socket, address, size) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return ETIMEDOUT;
    pollfd about{socket, POLLOUT, 0};
    if (poll(&about, 1, static_cast<int>(left.count())) > 0) break;
  }
  int fault = 0;
  socklen_t length = sizeof fault;
  getsockopt(socket, SOL_SOCKET, SO_ERROR, &fault, &length);
  return fault;
}

} // namespace

void settle_tcp(int socket) {
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 5);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 2);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 20000); // ms without an acknowledgement from the other host
}

Descriptor dial_tcp(const Host& host, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int fault = getaddrinfo(host.name.c_str(), std::to_string(host.port).c_str(), &hints, &found);
  if (fault != 0)
    throw Error("there is no host " + host.name + " (" + gai_strerror(fault) + ")", "look at --hosts");
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, freeaddrinfo);
  int last = 0;
  for (const addrinfo* at = found; at; at = at->ai_next) {
    Descriptor socket(::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    last = socket.there() ? connect_by(socket.number(), at->ai_addr, at->ai_addrlen, end) : errno;
    if (last != 0) continue;
    fcntl(socket.number(), F_SETFL, fcntl(socket.number(), F_GETFL) & ~O_NONBLOCK);
    settle_tcp(socket.number());
    return socket;
  }
  throw Error("nobody serves GPUs at " + host.name + ", port " + std::to_string(host.port) + " (" +
                  std::strerror(last) + ")",
              "start `tasuki gpus serve` there, and look whether a firewall stands between");
}

} // namespace tasuki::remote
