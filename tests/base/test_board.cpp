// What ranks write on their host's board is read by all others there, without a message.
#include <tasuki/base/board.hpp>
#include <tasuki/base/reduce.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <memory>
#include <string>

namespace tasuki {
namespace {

using test::world;

void write(Board::Line& line, const std::string& doing) {
  for (std::size_t k = 0; k <= doing.size(); ++k) line.doing[k] = doing.c_str()[k];
}

std::string text_of(const Board::Line& line) {
  std::string text;
  for (int k = 0; k < Board::Line::kText && line.doing[k]; ++k) text += line.doing[k];
  return text;
}

TEST(Board, ShowsEachRankWhatTheOthersWrote) {
  const Board board(world().comm(), world().host_comm(), 0);
  ASSERT_EQ(board.size(), world().host_size());
  const int me = world().host_rank();
  EXPECT_EQ(board.own().turn, 0);
  for (int turn = 1; turn <= 3; ++turn) {
    barrier(world(), "the board's last turn to be read");
    board.own().turn = 100 * me + turn;
    board.own().wait = static_cast<std::uint32_t>(2 * turn + 1);
    write(board.own(), "rank " + std::to_string(me) + ", turn " + std::to_string(turn));
    barrier(world(), "the board to be written");
    for (int r = 0; r < board.size(); ++r) {
      EXPECT_EQ(board.line(r).turn, 100 * r + turn);
      EXPECT_EQ(board.line(r).wait, static_cast<std::uint32_t>(2 * turn + 1));
      EXPECT_EQ(text_of(board.line(r)), "rank " + std::to_string(r) + ", turn " + std::to_string(turn));
    }
  }
  EXPECT_EQ(board.line(me).pid, getpid());
}

// Whoever claims it first has it: one error is printed, however many ranks fail.
TEST(Board, IsClaimedOnce) {
  const Board board(world().comm(), world().host_comm(), 0);
  barrier(world(), "the board");
  const long mine = board.head().claim.exchange(1) == 0, hosts = world().host_rank() == 0;
  EXPECT_EQ(reduce_sum(world(), mine), reduce_sum(world(), hosts)); // one a host
}

TEST(Board, OfTheNewestWorldIsTheOneForErrors) {
  Board* const before = Board::current();
  EXPECT_EQ(before, &world().board());
  {
    Board newer(world().comm(), world().host_comm(), 0);
    EXPECT_EQ(Board::current(), &newer);
    auto newest = std::make_unique<Board>(world().comm(), world().host_comm(), 0);
    EXPECT_EQ(Board::current(), newest.get());
    newest.reset();
    EXPECT_EQ(Board::current(), &newer);
  }
  EXPECT_EQ(Board::current(), before);
}

} // namespace
} // namespace tasuki
