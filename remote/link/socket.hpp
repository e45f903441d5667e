// A link over a connected stream socket, TCP or unix; see tcp.hpp and unix.hpp.
//
//   SocketLink link(Descriptor(fd), "b@7411");
#pragma once

#include <remote/link/descriptor.hpp>
#include <remote/link/ending.hpp>
#include <remote/link/link.hpp>

#include <string>

namespace tasuki::remote {

class SocketLink : public Link {
public:
  SocketLink(Descriptor socket, std::string peer);

  using Link::write;
  void write(const Piece* pieces, std::size_t count) override;
  std::size_t read(void* to, std::size_t at_least, std::size_t at_most) override;
  void shut() noexcept override;
  void shut_for(const std::string& why) noexcept override;
  void set_patience(std::chrono::milliseconds patience) override;
  std::string peer() const override { return peer_; }
  Descriptor release() { return std::move(socket_); } // for another link over it; this link is then unusable

private:
  Descriptor socket_;
  std::string peer_;
  Ending ending_;
};

} // namespace tasuki::remote
