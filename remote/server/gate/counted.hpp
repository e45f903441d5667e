// A worker's link that counts its bytes where the gate can read them.
#pragma once

#include <remote/link/link.hpp>
#include <remote/server/grant.hpp>

#include <memory>
#include <string>
#include <utility>

namespace tasuki::remote {

class CountedLink : public Link {
public:
  CountedLink(std::unique_ptr<Link> link, Tally* tally) : link_(std::move(link)), tally_(tally) {}

  using Link::write;
  void write(const Piece* pieces, std::size_t count) override {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) bytes += pieces[i].size;
    link_->write(pieces, count);
    if (tally_) tally_->bytes_out.fetch_add(bytes, std::memory_order_relaxed);
  }
  std::size_t read(void* to, std::size_t at_least, std::size_t at_most) override {
    const std::size_t got = link_->read(to, at_least, at_most);
    if (tally_) tally_->bytes_in.fetch_add(got, std::memory_order_relaxed);
    return got;
  }
  void shut() noexcept override { link_->shut(); }
  void shut_for(const std::string& why) noexcept override { link_->shut_for(why); }
  void set_patience(std::chrono::milliseconds patience) override { link_->set_patience(patience); }
  std::string peer() const override { return link_->peer(); }
  bool passes_files() const override { return link_->passes_files(); }
  void pass_file(int file) override { link_->pass_file(file); }
  int take_file() override { return link_->take_file(); }

private:
  std::unique_ptr<Link> link_;
  Tally* tally_;
};

} // namespace tasuki::remote
