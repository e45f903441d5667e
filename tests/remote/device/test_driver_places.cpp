// Where a driver puts what has no address of its own: at the same places in all processes.
#include <gtest/gtest.h>

#include <remote/device/driver_places.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

using namespace tasuki::remote;

namespace {

#if defined(__x86_64__)
// In a process of its own, since the addresses stay taken.
TEST(DriverPlaces, WhatHasNoAddressOfItsOwnLiesBelow) {
  const pid_t child = fork();
  if (child == 0) {
    take_high_addresses();
    take_high_addresses(); // a second time does no harm
    void* const large =
        mmap(nullptr, 64u << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void* const small = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const auto below = [](void* at) {
      return at != MAP_FAILED && reinterpret_cast<std::uint64_t>(at) < high_addresses;
    };
    *static_cast<char*>(small) = 1;
    _exit(below(large) && below(small) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
#endif

TEST(DriverPlaces, TheSeatIsOfTheDevicesTargetOrTheNewestKnown) {
  EXPECT_NE(seat_of_modules(80).find(".target sm_80\n"), std::string::npos);
  EXPECT_EQ(seat_of_modules(120), seat_of_modules(90));
}

} // namespace
