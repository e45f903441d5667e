// A worker's link has the lanes that its client has announced, each once, and no other.
#include <remote/server/coming.hpp>

#include "../link/ends.hpp"

namespace tasuki::remote {
namespace {

TEST(Coming, TakesTheLanesThatWereAnnouncedEachOnce) {
  Coming coming(2);
  std::vector<std::unique_ptr<Link>> clients;
  const auto come = [&](std::uint32_t number) {
    Ends lane = ends_of("socket");
    clients.push_back(std::move(lane.client));
    coming.take(number, std::move(lane.worker));
  };
  const auto is_shut = [&](std::size_t n) {
    char letter;
    return said([&] { clients[n]->read(&letter, 0, 1); }) != "";
  };
  for (const unsigned number : {2u, 2u, 0u, 3u}) come(number);
  EXPECT_NE(said([&] { coming.all(std::chrono::milliseconds(10)); }).find("has not come"), std::string::npos);
  come(1);
  const auto lanes = coming.all(std::chrono::milliseconds(10));
  come(1); // behind the last
  ASSERT_EQ(lanes.size(), 2u);
  lanes[0]->write({"1", 1});
  lanes[1]->write({"2", 1});
  char letter = 0;
  clients[4]->read(&letter, 1, 1);
  EXPECT_EQ(letter, '1');
  clients[0]->read(&letter, 1, 1);
  EXPECT_EQ(letter, '2');
  for (const std::size_t n : {1, 2, 3, 5}) EXPECT_TRUE(is_shut(n)) << n;
}

} // namespace
} // namespace tasuki::remote
