// A worker that ends in the midst of an answer: who waits for it hears so.
#include <gtest/gtest.h>

#include <remote/client/connection.hpp>
#include <remote/link/socket.hpp>

#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <thread>

using namespace tasuki;
using namespace tasuki::remote;

namespace {

// What the connection says; `ask` has to come to its end by a failure.
template <class Ask>
std::string lost_by(std::size_t announced, std::size_t sent, const Ask& ask) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) std::abort();
  std::string why;
  Connection::Handlers handlers;
  handlers.lost = [&](const std::string& text) { why = text; };
  Connection connection(std::make_unique<SocketLink>(Descriptor(pair[0]), "worker"), handlers);
  std::thread worker([&] {
    SocketLink link(Descriptor(pair[1]), "client");
    CallHead call;
    link.read(&call, sizeof call, sizeof call);
    std::vector<unsigned char> rest(call.bytes);
    link.read(rest.data(), rest.size(), rest.size());
    AnswerHead head;
    head.bytes = static_cast<u32>(announced);
    head.answer = static_cast<std::uint16_t>(Answer::Bytes);
    head.number = call.number;
    const std::vector<unsigned char> bytes(sent);
    const Piece pieces[] = {bytes_of(head), {bytes.data(), bytes.size()}};
    link.write(pieces, 2);
  });
  auto asked = std::async(std::launch::async, [&] { EXPECT_THROW(ask(connection), Failure); });
  if (asked.wait_for(std::chrono::seconds(20)) != std::future_status::ready) {
    std::fputs("who waits for the answer hears nothing\n", stderr);
    std::abort();
  }
  worker.join();
  return why;
}

TEST(Connection, SaysThatItsWorkerEndedInTheMidstOfAnAnswer) {
  std::vector<unsigned char> into(1000), rest;
  const auto kept = [&](Connection& connection) {
    connection.ask<answer::Bytes>(call::CopyOut{0, 1000, 0}, {}, &rest);
  };
  const auto straight = [&](Connection& connection) {
    Waiting waiting;
    waiting.into = into.data();
    waiting.room = into.size();
    connection.begin(waiting, call::CopyOut{0, 1000, 0});
    connection.finish(waiting);
  };
  for (const std::size_t sent : {0, 500}) {
    EXPECT_NE(lost_by(1000, sent, kept).find("is gone"), std::string::npos);
    EXPECT_NE(lost_by(1000, sent, straight).find("is gone"), std::string::npos);
  }
  EXPECT_NE(lost_by(1001, 1001, straight).find("longer than was asked for"), std::string::npos);
}

// Another thread sends what has gathered, so an answer is there, and what waited for it gone, while its call is still being made.
TEST(Connection, AnswersMayComeWhileTheirCallIsBeingMade) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  std::thread worker([socket = pair[1]] {
    SocketLink link(Descriptor(socket), "client");
    try {
      for (std::vector<unsigned char> rest;;) {
        CallHead call;
        link.read(&call, sizeof call, sizeof call);
        rest.resize(call.bytes);
        link.read(rest.data(), rest.size(), rest.size());
        AnswerHead head;
        head.answer = static_cast<std::uint16_t>(Answer::Done);
        head.number = call.number;
        link.write(bytes_of(head));
      }
    } catch (const LinkLost&) {}
  });
  constexpr int calls = 2000;
  std::atomic<int> made{0}, answered{0};
  {
    Connection::Handlers handlers;
    handlers.made = [&](Call call, bool) { made += call == Call::CopyOut; };
    Connection connection(std::make_unique<SocketLink>(Descriptor(pair[0]), "worker"), handlers);
    std::atomic<bool> over{false};
    std::thread other([&] {
      while (!over) connection.flush();
    });
    for (int n = 0; n < calls; ++n) connection.ask_then(call::CopyOut{0, 1, 0}, [&] { ++answered; });
    over = true;
    other.join();
    connection.ask<answer::Done>(call::WaitDevice{});
    EXPECT_EQ(answered, calls);
    EXPECT_EQ(made, calls);
  }
  worker.join();
}

} // namespace
