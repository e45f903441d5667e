// Frames: what is encoded is decoded; what is no frame is refused, and nothing is read beyond it.
#include <gtest/gtest.h>

#include <remote/wire/frames.hpp>

#include <set>
#include <string>

using namespace tasuki::remote;

namespace {

std::vector<unsigned char> body_of(const std::vector<unsigned char>& frame) {
  return {frame.begin() + sizeof(CallHead), frame.end()};
}

TEST(Frames, AreDecodedAsTheyWereEncoded) {
  std::vector<unsigned char> out;
  const call::FindKernel asked{7, 8, "_Z4stepPfi"};
  frame(3, true, asked, 0, out);
  CallHead head;
  std::memcpy(&head, out.data(), sizeof head);
  EXPECT_EQ(head.number, 3u);
  EXPECT_EQ(head.wanted, 1);
  EXPECT_EQ(head.bytes, out.size() - sizeof head);
  bool came = false;
  const auto body = body_of(out);
  ASSERT_TRUE(dispatch(head.call, {body.data(), body.size()}, [&](const auto& message, View tail) {
    if constexpr (std::is_same_v<std::decay_t<decltype(message)>, call::FindKernel>) {
      came = true;
      EXPECT_EQ(message.module, 7u);
      EXPECT_EQ(message.kernel, 8u);
      EXPECT_EQ(message.name, "_Z4stepPfi");
      EXPECT_EQ(tail.size, 0u);
    }
  }));
  EXPECT_TRUE(came);
}

TEST(Frames, OfEveryLengthButTheRightOneAreRefused) {
  std::vector<unsigned char> out;
  frame(1, false, call::Copy{1, 2, 3, 4}, 0, out);
  const auto body = body_of(out);
  for (std::size_t size = 0; size < body.size() + 8; ++size) {
    std::vector<unsigned char> other(body);
    other.resize(size);
    EXPECT_EQ(dispatch(static_cast<std::uint16_t>(Call::Copy), {other.data(), other.size()},
                       [](const auto&, View) {}),
              size == body.size());
  }
}

TEST(Frames, HaveTextsThatAreCutAtTheirLimit) {
  std::vector<unsigned char> out;
  encode(call::FindVariable{1, std::string(10000, 'x')}, out);
  EXPECT_EQ(out.size(), 8 + 2 + text_limit);
  call::FindVariable back;
  View tail;
  ASSERT_TRUE(decode({out.data(), out.size()}, back, tail));
  EXPECT_EQ(back.name.size(), text_limit);
  out[8] = 0xff; // a length beyond the limit, and beyond the frame
  out[9] = 0xff;
  EXPECT_FALSE(decode({out.data(), out.size()}, back, tail));
}

TEST(Frames, HaveALimitForEveryCall) {
  std::set<std::string> names;
  for (std::uint16_t call = 0; call < static_cast<std::uint16_t>(Call::count); ++call) {
    const Row* row = row_of(call);
    ASSERT_TRUE(row);
    EXPECT_LE(row->limit, tail_limit + 8192);
    EXPECT_TRUE(names.insert(row->name).second) << row->name;
    // What is asked is not played again; what is posted changes something.
    EXPECT_TRUE(row->answered || row->logged != Logged::ask) << row->name;
  }
  EXPECT_FALSE(row_of(static_cast<std::uint16_t>(Call::count)));
}

} // namespace
