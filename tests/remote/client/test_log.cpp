// What a log keeps of calls, by their rows in calls.def.
#include <gtest/gtest.h>

#include <remote/client/log.hpp>

#include <string>

#include "../link/ends.hpp"

using namespace tasuki::remote;

namespace {

struct Written {
  explicit Written(Log::Room room = {}) : log(std::move(room)) {}
  Log log;
  u64 number = 0;
  template <class Message>
  u64 add(const Message& message, const std::string& tail = "") {
    std::vector<unsigned char> out;
    frame(++number, false, message, tail.size(), out);
    log.add({out.data(), out.size()}, {tail.data(), tail.size()});
    return number;
  }
  // "Fill 1, =2": calls with their numbers, answers as marks.
  std::string shown() const {
    std::string text;
    for (Log::Place at = log.begin(); const Log::Entry* e = log.at(at); log.next(at)) {
      if (e->kind == Log::Kind::dropped) continue;
      if (!text.empty()) text += ", ";
      if (e->kind == Log::Kind::image)
        text += "image";
      else if (e->kind == Log::Kind::call)
        text += std::string(row_of(e->call)->name) + " " + std::to_string(e->number);
      else
        text += (e->kind == Log::Kind::answered ? "=" : "!") + std::to_string(e->number);
    }
    return text;
  }
};

TEST(Log, KeepsWhatChangesADeviceAndWaitsWhereTheProgramDid) {
  Written w;
  w.add(call::CopyIn{4096, 0}, "bytes");
  const u64 copy = w.add(call::CopyOut{4096, 5, 7});
  const u64 query = w.add(call::QueryEvent{3});
  const u64 later = w.add(call::QueryStream{7});
  const u64 asked = w.add(call::MemoryInfo{});
  const u64 failed = w.add(call::Load{9});
  EXPECT_EQ(w.log.waited_for(copy), Call::CopyOut);
  w.log.answered(copy, 0);
  w.log.answered(query, 0);
  w.log.answered(later, static_cast<i32>(600)); // not ready: the program has learnt nothing
  w.log.answered(asked, 0);
  w.log.answered(failed, static_cast<i32>(200));
  w.log.reached(5);
  EXPECT_EQ(w.log.waited_for(copy), Call::count);
  EXPECT_EQ(w.shown(), "CopyIn 1, WaitStream 2, WaitEvent 3, =2, =3, !5");
  Log::Place at = w.log.begin();
  const Log::Entry* in = w.log.at(at);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(in->frame()) + in->bytes - 5, 5), "bytes");
  w.log.next(at);
  call::WaitStream wait;
  View tail;
  const Log::Entry* out = w.log.at(at);
  ASSERT_TRUE(decode({out->frame() + sizeof(CallHead), out->bytes - sizeof(CallHead)}, wait, tail));
  EXPECT_EQ(wait.stream, 7u);
}

TEST(Log, ForgetsBeforeAnImageWhatIsInItAndWhatIsGone) {
  Written w;
  w.add(call::Map{1 << 21, 1 << 21});
  w.add(call::Map{1 << 22, 1 << 21});
  w.add(call::Unmap{1 << 21, 1 << 21});
  w.add(call::Map{1 << 21, 1 << 22});
  w.add(call::CreateStream{1, 0, 0}); // 5
  w.add(call::CreateStream{2, 0, 0});
  w.add(call::CreateEvent{3, 0});
  w.add(call::Record{3, 1});
  w.add(call::Record{3, 2});
  w.add(call::DestroyStream{1}); // 10
  w.add(call::Fill{1 << 21, 8, 0, 0});
  const u64 asked = w.add(call::CopyOut{1 << 21, 8, 2});
  const Log::Place image = w.log.end();
  w.add(call::Fill{1 << 21, 8, 1, 0});
  w.log.cut(image);
  EXPECT_EQ(w.shown(), "Map 2, Map 4, CreateStream 6, CreateEvent 7, Record 9, CopyOut 12, Fill 13");
  w.log.answered(asked, 0); // found where it lies now
  EXPECT_EQ(w.shown(), "Map 2, Map 4, CreateStream 6, CreateEvent 7, Record 9, WaitStream 12, Fill 13, =12");
}

TEST(Log, HasAMarkWhereAnImageLies) {
  Written w;
  w.add(call::Map{1 << 21, 1 << 21});
  w.add(call::Fill{1 << 21, 8, 0, 0});
  w.log.cut(w.log.end(), true);
  w.add(call::Fill{1 << 21, 8, 1, 0});
  w.add(call::CreateStream{4, 0, 0});
  EXPECT_EQ(w.shown(), "Map 1, image, Fill 3, CreateStream 4");
  w.log.cut(w.log.end(), true); // the older image is not needed any more
  w.add(call::Fill{1 << 21, 8, 2, 0});
  EXPECT_EQ(w.shown(), "Map 1, CreateStream 4, image, Fill 5");
}

class LogOver : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Rooms, LogOver, testing::Values("memory", "a file", "both"));

TEST_P(LogOver, ManyBlocksGoesOn) {
  const Folder folder;
  const std::string room = GetParam();
  Written w(room == "memory" ? Log::Room()
                             : Log::Room(room == "both" ? 20u << 20 : 0, 1u << 30, folder.path));
  const std::string large(3u << 20, 'x');
  for (int n = 0; n < 20; ++n) {
    w.add(call::CopyIn{4096, 0}, large);
    for (int k = 0; k < 5000; ++k) w.add(call::Fill{4096, 8, 0, 0});
  }
  u64 next = 0;
  for (Log::Place at = w.log.begin(); const Log::Entry* e = w.log.at(at); w.log.next(at))
    ASSERT_EQ(e->number, ++next);
  EXPECT_EQ(next, w.number);
  const u64 asked = w.add(call::CopyOut{4096, 5, 7});
  EXPECT_FALSE(w.log.full());
  EXPECT_EQ(w.log.bytes_in_file() > 0, room != "memory");
  EXPECT_LE(w.log.bytes_in_file(), room == "both" ? 72u << 20 : 88u << 20); // the first of it lies in memory
  w.log.cut(w.log.end());
  EXPECT_EQ(w.shown(), "CopyOut " + std::to_string(asked));
  w.log.answered(asked, 0);
  EXPECT_EQ(w.shown(), "WaitStream " + std::to_string(asked) + ", =" + std::to_string(asked));
}

TEST(Log, SaysWhereItsRoomEnds) {
  const Folder folder;
  const std::string large(3u << 20, 'x');
  Written w(Log::Room(2u << 20, 8u << 20, folder.path)),
      nowhere(Log::Room(2u << 20, 8u << 20, folder.path + "/none"));
  for (int n = 0; n < 3; ++n) w.add(call::CopyIn{4096, 0}, large);
  EXPECT_FALSE(w.log.full());
  w.add(call::CopyIn{4096, 0}, large);
  EXPECT_TRUE(w.log.full());
  EXPECT_EQ(w.log.why_full(), "has come to 10 MiB");
  w.log.cut(w.log.end());
  EXPECT_FALSE(w.log.full());
  for (int n = 0; n < 2; ++n) nowhere.add(call::CopyIn{4096, 0}, large);
  EXPECT_TRUE(nowhere.log.full());
  EXPECT_EQ(nowhere.log.why_full(),
            "has no more room in " + folder.path + "/none (No such file or directory)");
  EXPECT_EQ(nowhere.shown(), "CopyIn 1, CopyIn 2"); // nothing is lost by it
}

} // namespace
