// A link whose answers go nowhere, for calls that are made without a client.
#pragma once

#include <remote/link/link.hpp>

namespace tasuki::remote {

class Nowhere : public Link {
public:
  void write(const Piece*, std::size_t) override {}
  std::size_t read(void*, std::size_t, std::size_t) override { return 0; }
  void shut() noexcept override {}
  void shut_for(const std::string&) noexcept override {}
  void set_patience(std::chrono::milliseconds) override {}
  std::string peer() const override { return "nobody"; }
};

} // namespace tasuki::remote
