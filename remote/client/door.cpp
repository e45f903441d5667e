#include <remote/client/door.hpp>
#include <remote/link/unix.hpp>

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace tasuki::remote {

Door::Door(const std::string& path, std::function<std::string(const std::string&)> answer)
    : path_(path), answer_(std::move(answer)), socket_(listen_unix(path)) {
  thread_ = std::thread([this] { work(); });
}

Door::~Door() {
  shutdown(socket_.number(), SHUT_RDWR);
  thread_.join();
  remove();
}

void Door::remove() const { unlink(path_.c_str()); }

void Door::work() {
  for (;;) {
    const Descriptor visitor(accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!visitor.there()) return;
    if (peer_uid(visitor.number()) == geteuid()) serve(visitor.number());
  }
}

void Door::serve(int visitor) const {
  const timeval patience{5, 0};
  setsockopt(visitor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  std::string line;
  char letter = 0;
  while (line.size() < longest && recv(visitor, &letter, 1, 0) == 1 && letter != '\n') line += letter;
  if (letter != '\n') return;
  const std::string answer = answer_(line) + "\n";
  send(visitor, answer.data(), answer.size(), MSG_NOSIGNAL);
}

} // namespace tasuki::remote
