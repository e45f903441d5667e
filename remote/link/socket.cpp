#include <remote/link/socket.hpp>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace tasuki::remote {

SocketLink::SocketLink(Descriptor socket, std::string peer)
    : socket_(std::move(socket)), peer_(std::move(peer)) {}

void SocketLink::write(const Piece* pieces, std::size_t count) {
  constexpr std::size_t kAtOnce = 64; // far below IOV_MAX of any system
  iovec parts[kAtOnce];
  while (count > 0) {
    const std::size_t now = std::min(count, kAtOnce);
    for (std::size_t i = 0; i < now; ++i) parts[i] = {const_cast<void*>(pieces[i].data), pieces[i].size};
    pieces += now;
    count -= now;
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = now;
    while (message.msg_iovlen > 0) {
      // A closed connection must be an error and not a SIGPIPE, since the process runs a user's program.
      ssize_t sent = sendmsg(socket_.number(), &message, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) ending_.raise(peer_, std::strerror(errno));
      while (message.msg_iovlen > 0 && static_cast<std::size_t>(sent) >= message.msg_iov->iov_len) {
        sent -= static_cast<ssize_t>(message.msg_iov->iov_len);
        ++message.msg_iov;
        --message.msg_iovlen;
      }
      if (message.msg_iovlen > 0) {
        message.msg_iov->iov_base = static_cast<char*>(message.msg_iov->iov_base) + sent;
        message.msg_iov->iov_len -= static_cast<std::size_t>(sent);
      }
    }
  }
}

std::size_t SocketLink::read(void* to, std::size_t at_least, std::size_t at_most) {
  std::size_t got = 0;
  if (at_most == 0) return 0; // a read of 0 bytes from a unix socket would discard a pending file descriptor
  do {
    const ssize_t now =
        recv(socket_.number(), static_cast<char*>(to) + got, at_most - got, at_least == 0 ? MSG_DONTWAIT : 0);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (at_least == 0) return got;
      ending_.raise(peer_, "no answer in time");
    }
    if (now < 0) ending_.raise(peer_, std::strerror(errno));
    if (now == 0) ending_.raise(peer_, "it ended");
    got += static_cast<std::size_t>(now);
  } while (got < at_least);
  return got;
}

void SocketLink::shut() noexcept { ::shutdown(socket_.number(), SHUT_RDWR); }

void SocketLink::shut_for(const std::string& why) noexcept {
  ending_.because(why);
  shut();
}

void SocketLink::set_patience(std::chrono::milliseconds patience) {
  const timeval time{patience.count() / 1000, static_cast<suseconds_t>(patience.count() % 1000 * 1000)};
  setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

} // namespace tasuki::remote
