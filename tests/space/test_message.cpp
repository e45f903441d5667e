// What is put into a message, and the acts on numbers that one asks for.
#include <tasuki/space/message.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tasuki::test {
namespace {

using namespace space;

TEST(Message, HasAHeadAndWhatIsPutBehind) {
  std::vector<char> text = question({.ask = Ask::lock, .node = 3, .number = 17});
  put(text, PageRun{5, 6});
  put(text, PageRun{7, 8});
  ASSERT_EQ(text.size(), sizeof(Head) + 2 * sizeof(PageRun));
  const Head head = get<Head>(text.data());
  EXPECT_TRUE(head.ask == Ask::lock && head.node == 3 && head.number == 17);
  EXPECT_EQ(get<PageRun>(text.data() + sizeof(Head), 1).count, 8u);
}

template <class T>
void act_on_all() {
  alignas(8) T numbers[3] = {static_cast<T>(-1), 10, static_cast<T>(-1)};
  char* const at = reinterpret_cast<char*>(&numbers[1]);
  const auto act = [&](Ask ask, std::uint64_t value, std::uint64_t expected = 0) {
    return act_on(at, {.ask = ask, .ticket = sizeof(T), .value = value, .expected = expected});
  };
  EXPECT_EQ(act(Ask::add, static_cast<std::uint64_t>(-3)), 10u);
  EXPECT_EQ(act(Ask::exchange, 20), 7u);
  EXPECT_EQ(act(Ask::compare, 30, 19), 20u) << "is another, and stays";
  EXPECT_EQ(act(Ask::compare, 30, 20), 20u);
  EXPECT_EQ(numbers[1], 30);
  EXPECT_EQ(numbers[0], static_cast<T>(-1));
  EXPECT_EQ(numbers[2], static_cast<T>(-1)) << "not beside it";
}

TEST(Message, ActsAreOnNumbersOfFourOrEightBytes) {
  act_on_all<std::uint32_t>();
  act_on_all<std::uint64_t>();
}

} // namespace
} // namespace tasuki::test
