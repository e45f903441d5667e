// Bytes that a gate keeps for a client: they come back, there is a limit, and nothing is left of them.
#include <gtest/gtest.h>

#include <remote/server/keeper.hpp>
#include <remote/server/visit/keep.hpp>
#include <remote/server/visit/opening.hpp>

#include <vector>

#include "house.hpp"

using namespace tasuki::remote;

namespace {

constexpr std::uint64_t room = 20u << 20;

std::vector<unsigned char> numbers(std::size_t count) {
  std::vector<unsigned char> bytes(count);
  for (std::size_t n = 0; n < count; ++n) bytes[n] = static_cast<unsigned char>(n * 2654435761u >> 13);
  return bytes;
}

TEST(Keep, BytesComeBack) {
  House house([](GateOptions& o) { o.images = room; });
  for (const Host& host : {house.tcp, house.local}) {
    Keeper keeper(host, house.key);
    const auto bytes = numbers(9u << 20); // in two pieces
    EXPECT_EQ(keeper.add({"first", 5}), 0u);
    EXPECT_EQ(keeper.add({bytes.data(), bytes.size()}), 5u);
    keeper.settle();
    EXPECT_EQ(keeper.bytes(), bytes.size() + 5);
    std::vector<unsigned char> there(bytes.size());
    keeper.read(5, there.data(), there.size());
    EXPECT_EQ(there, bytes);
    keeper.read(1, there.data(), 4);
    EXPECT_EQ(std::string(there.begin(), there.begin() + 4), "irst");
    EXPECT_THROW(keeper.read(6, there.data(), there.size()), tasuki::Error) << "behind the end";
  }
}

TEST(Keep, HasALimitThatIsSaidAtTheEnd) {
  House house([](GateOptions& o) { o.images = room; });
  Keeper keeper(house.tcp, house.key);
  const auto bytes = numbers(7u << 20);
  for (int n = 0; n < 3; ++n) keeper.add({bytes.data(), bytes.size()});
  try {
    keeper.settle();
    FAIL() << "more than there is room for";
  } catch (const tasuki::Error& error) {
    EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos) << error.what();
  }
  std::vector<unsigned char> there(8);
  EXPECT_THROW(keeper.read(0, there.data(), 8), tasuki::Error) << "of an image that is not whole";
}

TEST(Keep, IsRefusedWhereTheServerKeepsNone) {
  House house;
  try {
    Keeper keeper(house.tcp, house.key);
    FAIL() << "no room was given to the server";
  } catch (const tasuki::Error& error) {
    EXPECT_NE(std::string(error.what()).find("keeps no images; start it with --images"), std::string::npos)
        << error.what();
  }
}

TEST(Keep, TakesNoPieceThatIsTooLong) {
  House house([](GateOptions& o) { o.images = room; });
  const Visit visit = open_by(house.local, house.key, Ask::keep, 0, {});
  KeepHead head;
  head.bytes = ~std::uint64_t(0);
  visit.link->write(bytes_of(head));
  char none;
  EXPECT_THROW(visit.link->read(&none, 1, 1), LinkLost);
}

} // namespace
