// Who has no business here: no key, another key, another user, or nothing to say. None gets a device, nor keeps others away.
#include <remote/link/heartbeat.hpp>
#include <remote/link/tcp.hpp>
#include <remote/link/tls.hpp>

#include <sys/socket.h>
#include <sys/stat.h>

#include <cstring>
#include <vector>

#include "house.hpp"

namespace tasuki::remote {
namespace {

Knock knock_for(KnockFor what) {
  Knock knock;
  std::memcpy(knock.magic, kMagic, sizeof knock.magic);
  knock.what = what;
  return knock;
}

// All that comes before the other end closes.
std::string rest_of(int socket) {
  std::string all;
  char bytes[4096];
  for (ssize_t n; (n = recv(socket, bytes, sizeof bytes, 0)) > 0;)
    all.append(bytes, static_cast<std::size_t>(n));
  return all;
}

TEST(Strangers, WithoutAKeyGetNothing) {
  const House house;
  EXPECT_NE(said([&] { greet(house.tcp, Key()); }).find("there is no key for 127.0.0.1"), std::string::npos);
  // Nor who speaks in the clear, as a unix socket's ends do.
  const Descriptor socket = dial_tcp(house.tcp, std::chrono::seconds(5));
  const Knock knock = knock_for(KnockFor::visit);
  Request request;
  put(request.version, TASUKI_VERSION);
  send(socket.number(), &knock, sizeof knock, MSG_NOSIGNAL);
  send(socket.number(), &request, sizeof request, MSG_NOSIGNAL);
  EXPECT_LT(rest_of(socket.number()).size(), 16u); // an alert of TLS at most: no version, no name, no device
}

TEST(Strangers, WithAnotherKeyGetNothing) {
  const House house;
  const Key other = new_key();
  EXPECT_NE(said([&] { greet(house.tcp, other); }).find("has another key"), std::string::npos);
  EXPECT_NE(said([&] { open_device(house.tcp, other, 0); }).find("has another key"), std::string::npos);
  EXPECT_EQ(greet(house.tcp, house.key).devices.size(), 2u);
}

TEST(Strangers, OffLoopbackAreServedWithAKeyOnly) {
  GateOptions options;
  options.devices = {a_device(0)};
  options.port = 0;
  const Folder folder;
  options.socket = folder.path + "/gate.sock";
  for (const char* address : {"0.0.0.0", "::", "10.1.2.3"}) {
    options.listen = address;
    EXPECT_NE(said([&] { Gate gate(options, serve_letters); }).find("there is no key"), std::string::npos)
        << address;
  }
  options.listen = "localhost:1";
  EXPECT_NE(said([&] { Gate gate(options, serve_letters); }).find("no address"), std::string::npos);
  options.listen = "127.0.0.1";
  EXPECT_EQ(Gate(options, serve_letters).port(), 0); // the unix socket alone
}

// Silent before they knock, silent behind it, or with nonsense: a client of ours is served all the while.
TEST(Strangers, ByTheHundredKeepNobodyAway) {
  const House house([](GateOptions& options) { options.knocks = 16, options.unproven = 8; });
  std::vector<Descriptor> silent;
  const Knock knock = knock_for(KnockFor::visit);
  for (int i = 0; i < 100; ++i) {
    silent.push_back(dial_tcp(house.tcp, std::chrono::seconds(5)));
    silent.push_back(dial_tcp(house.tcp, std::chrono::seconds(5)));
    send(silent.back().number(), &knock, sizeof knock, MSG_NOSIGNAL);
    silent.push_back(dial_tcp(house.tcp, std::chrono::seconds(5)));
    const std::string nonsense(1 + static_cast<std::size_t>(i), static_cast<char>(i * 37));
    send(silent.back().number(), nonsense.data(), nonsense.size(), MSG_NOSIGNAL);
    if (i % 25 == 24) {
      const Visit visit = open_device(house.tcp, house.key, 0);
      EXPECT_EQ(echo(*visit.link), 'E');
    }
  }
  // The gate holds no more of them than it says, and the processes that it started for them are as few.
  int children = 0;
  EXPECT_TRUE(comes_true([&] {
    children = 0;
    FILE* file = fopen(
        ("/proc/" + std::to_string(house.gate) + "/task/" + std::to_string(house.gate) + "/children").c_str(),
        "r");
    if (!file) return true; // a kernel that does not say
    int one;
    while (fscanf(file, "%d", &one) == 1) ++children;
    fclose(file);
    return children <= 8 + 1;
  })) << children;
  EXPECT_EQ(greet(house.tcp, house.key).devices.size(), 2u);
}

TEST(Strangers, ThatSayNothingAreDropped) {
  const House house([](GateOptions& options) { options.knock_time = std::chrono::milliseconds(100); });
  const Descriptor silent = dial_tcp(house.tcp, std::chrono::seconds(5));
  EXPECT_EQ(rest_of(silent.number()), ""); // ends, though nothing was said
}

// A client with the key that asks for nothing does not hold a process for ever.
TEST(Strangers, ThatProveThemselvesAndAskNothingAreDropped) {
  const House house([](GateOptions& options) { options.idle_time = std::chrono::milliseconds(100); });
  const Descriptor local = dial_unix(house.socket);
  const Knock knock = knock_for(KnockFor::visit);
  send(local.number(), &knock, sizeof knock, MSG_NOSIGNAL);
  EXPECT_EQ(rest_of(local.number()), "");
  Descriptor tcp = dial_tcp(house.tcp, std::chrono::seconds(5));
  send(tcp.number(), &knock, sizeof knock, MSG_NOSIGNAL);
  const auto link = tls_client(std::move(tcp), house.key, "gate", std::chrono::seconds(20));
  char letter;
  EXPECT_THROW(link->read(&letter, 1, 1), LinkLost);
}

TEST(Strangers, OfAnotherVersionAreToldSo) {
  const House house;
  SocketLink link(dial_unix(house.socket), "gate");
  link.write(bytes_of(knock_for(KnockFor::visit)));
  Request request;
  put(request.version, "9.9");
  link.write(bytes_of(request));
  Answer answer;
  link.read(&answer, sizeof answer, sizeof answer);
  EXPECT_EQ(answer.what, Say::refused);
  EXPECT_EQ(text_of(answer.version), TASUKI_VERSION);
}

TEST(Strangers, HaveNoLaneWithoutItsToken) {
  const House house;
  const Visit visit = open_device(house.local, house.key, 0);
  for (const bool tcp : {false, true}) {
    Knock knock = knock_for(KnockFor::lane); // a lane of zeros: nobody's
    Descriptor socket = tcp ? dial_tcp(house.tcp, std::chrono::seconds(5)) : dial_unix(house.socket);
    send(socket.number(), &knock, sizeof knock, MSG_NOSIGNAL);
    EXPECT_EQ(rest_of(socket.number()), "");
  }
  // The right worker, and a token that is not its own.
  SocketLink plain(dial_unix(house.socket), "gate");
  plain.write(bytes_of(knock_for(KnockFor::visit)));
  Request request;
  put(request.version, TASUKI_VERSION);
  request.what = Ask::open;
  request.device = 1;
  plain.write(bytes_of(request));
  Answer answer;
  plain.read(&answer, sizeof answer, sizeof answer);
  ASSERT_EQ(answer.what, Say::granted);
  Knock knock = knock_for(KnockFor::lane);
  std::memcpy(knock.lane, answer.lane, sizeof knock.lane);
  for (const bool right : {false, true}) {
    SocketLink lane(dial_unix(house.socket), "worker");
    lane.write(bytes_of(knock));
    std::string token(reinterpret_cast<const char*>(answer.token), sizeof answer.token);
    token[31] = static_cast<char>(token[31] ^ (right ? 0 : 1));
    lane.write({token.data(), token.size()});
    const std::string line = said([&] {
      const LaneNumber number = 0;
      lane.write(bytes_of(number));
      char beat[kBeatBytes] = {7};
      lane.write({beat, sizeof beat});
      lane.read(beat, 2, 2);
    });
    EXPECT_EQ(line == "", right) << line;
  }
  EXPECT_EQ(echo(*visit.link), 'E');
  // Used again once its worker is gone, it opens nothing at the one that came behind.
  int process = 0;
  plain.write({"p", 1});
  plain.read(&process, sizeof process, sizeof process);
  plain.shut();
  const Visit next = open_device(house.local, house.key, 1);
  ASSERT_FALSE(is_there(process));
  SocketLink lane(dial_unix(house.socket), "worker");
  lane.write(bytes_of(knock));
  const std::string line = said([&] {
    char beat = 7;
    lane.write({answer.token, sizeof answer.token});
    lane.read(&beat, 1, 1);
  });
  EXPECT_NE(line, "");
  EXPECT_EQ(echo(*next.link), 'E');
}

// The system says whose a unix socket's other end is; where the tests run as root, they try as nobody.
TEST(Strangers, OfThisHostHaveToBeTheSameUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const House house;
  chmod(house.socket.c_str(), 0666); // as if the mode did not keep them out
  chmod(house.socket.substr(0, house.socket.rfind('/')).c_str(), 0755);
  const int other = fork();
  if (other == 0) {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(3);
    try {
      const Descriptor socket = dial_unix(house.socket);
      const Knock knock = knock_for(KnockFor::visit);
      Request request;
      put(request.version, TASUKI_VERSION);
      send(socket.number(), &knock, sizeof knock, MSG_NOSIGNAL);
      send(socket.number(), &request, sizeof request, MSG_NOSIGNAL);
      _exit(rest_of(socket.number()).empty() ? 0 : 1);
    } catch (const Error&) {
      _exit(2);
    }
  }
  int status = 0;
  waitpid(other, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(greet(house.local, house.key).devices.size(), 2u);
}

} // namespace
} // namespace tasuki::remote
