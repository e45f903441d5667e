// A device whose worker has ended before it was asked anything.
#include <remote/client/virtual_device.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

namespace tasuki::remote {
namespace {

class Ended : public Link { // nobody is at its other end
public:
  explicit Ended(std::atomic<bool>* there = nullptr) : there_(there) {}
  ~Ended() override {
    if (there_) *there_ = false;
  }
  void write(const Piece*, std::size_t) override {
    throw LinkLost("the other end is gone", "start it again");
  }
  std::size_t read(void*, std::size_t, std::size_t) override {
    throw LinkLost("the other end is gone", "start it again");
  }
  void shut() noexcept override {}
  void shut_for(const std::string&) noexcept override {}
  void set_patience(std::chrono::milliseconds) override {}
  std::string peer() const override { return "nobody"; }

private:
  std::atomic<bool>* there_;
};

// What watches over a link may shut it at any moment. It was left behind where a device could not be made, and used the link
// that had gone with the device.
TEST(VirtualDevice, ItsWatchEndsBeforeItsLink) {
  std::atomic<bool> there{true}, asked{false}, found{false};
  auto link = std::make_unique<Ended>(&there);
  auto watch = std::make_unique<Heartbeat>(std::make_unique<Ended>(), Beat{}, [&](const std::string&) {
    asked = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100)); // the device has ended by then
    found = there.load();
  });
  while (!asked) std::this_thread::yield();
  try {
    VirtualDevice(0, std::move(link), "a:0", {{std::uint64_t{0x7e} << 40, 1u << 21}}, {}, std::move(watch));
    FAIL() << "a device without a worker";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("a:0"), std::string::npos) << e.what();
  }
  EXPECT_FALSE(there);
  EXPECT_TRUE(found);
}

} // namespace
} // namespace tasuki::remote
