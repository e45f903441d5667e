#include <remote/server/visit.hpp>

#include <openssl/crypto.h>
#include <sys/socket.h>
#include <unistd.h>
#include <remote/link/heartbeat.hpp>
#include <remote/link/lanes.hpp>
#include <remote/link/setting.hpp>
#include <remote/link/shared_memory.hpp>
#include <remote/link/socket.hpp>
#include <remote/link/tcp.hpp>
#include <remote/link/tls.hpp>
#include <remote/link/trial.hpp>
#include <remote/link/ucx/ucx_link.hpp>
#include <remote/link/unix.hpp>
#include <remote/server/visit/greeting.hpp>
#include <remote/server/visit/listing.hpp>
#include <remote/server/visit/opening.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <future>
#include <utility>

namespace tasuki::remote {

Visit::Visit() = default;
Visit::Visit(Visit&&) noexcept = default;
Visit& Visit::operator=(Visit&& other) noexcept {
  heartbeat = std::move(other.heartbeat); // first, as it watches over the link
  link = std::move(other.link);
  entrance = std::move(other.entrance);
  return *this;
}
Visit::~Visit() { heartbeat.reset(); }

namespace {

// A socket to the gate, and whether it is one of this host.
struct Way {
  Descriptor socket;
  bool local = false;
};

// "localhost" is this user's own gate by its unix socket where that is there; a number (127.0.0.1) is always TCP.
Way way_to(const Host& host, std::chrono::milliseconds patience) {
  if (!host.path.empty()) return {dial_unix(host.path), true};
  if (host.name == "localhost") {
    const std::string path = gate_socket(host.port);
    if (access(path.c_str(), F_OK) == 0) return {dial_unix(path), true};
  }
  return {dial_tcp(host, patience), false};
}

void knock(int socket, const Knock& knock, const std::string& peer) {
  if (send(socket, &knock, sizeof knock, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof knock))
    throw LinkLost("the gate of " + peer + " ends connections", "look at what it says there");
}

Knock knock_for(KnockFor what) {
  Knock frame;
  std::memcpy(frame.magic, kMagic, sizeof frame.magic);
  frame.what = what;
  return frame;
}

Answer take_answer(Link& link, std::string& text) {
  Answer answer;
  link.read(&answer, sizeof answer, sizeof answer);
  const std::string there = text_of(answer.version);
  if (there != TASUKI_VERSION)
    throw Error(link.peer() + " has Tasuki " + there + ", this program " TASUKI_VERSION,
                "install the same on both");
  if (answer.bytes > kMostText)
    throw Error("the gate of " + link.peer() + " answers nonsense", "look at what runs there");
  text.resize(answer.bytes);
  link.read(text.data(), text.size(), text.size());
  if (answer.what == Say::refused) {
    const std::size_t semicolon = text.find("; ");
    throw Error(link.peer() + ": " + text.substr(0, semicolon),
                semicolon == std::string::npos ? "look at what the gate says" : text.substr(semicolon + 2));
  }
  return answer;
}

Request request_for(Ask what) {
  Request request;
  put(request.version, TASUKI_VERSION);
  request.what = what;
  return request;
}

// A proven way to the gate. A unix socket's ends know each other's user from the system, and its bytes leave the host
// nowhere, so there they go as they are.
struct Proven {
  std::unique_ptr<Link> link;
  SocketLink* plain = nullptr; // the link, where it is a unix socket's
};

Proven proven(const Host& host, const Key& key, std::chrono::milliseconds patience) {
  Way way = way_to(host, patience);
  if (!way.local && !key.there())
    throw Error("there is no key for " + host.shown(),
                "make one with `tasuki gpus key` and copy it to all hosts");
  if (way.local && peer_uid(way.socket.number()) != geteuid())
    throw Error("the gate at " + host.shown() + " is another user's", "ask for its key, and use TCP");
  knock(way.socket.number(), knock_for(KnockFor::visit), host.shown());
  Proven made;
  if (way.local) {
    auto link = std::make_unique<SocketLink>(std::move(way.socket), host.shown());
    made.plain = link.get();
    made.link = std::move(link);
  } else {
    made.link = tls_client(std::move(way.socket), key, host.shown(), patience);
  }
  made.link->set_patience(patience);
  return made;
}

std::string ask(const Host& host, const Key& key, Ask what, std::chrono::milliseconds patience,
                std::string* version) {
  const Proven gate = proven(host, key, patience);
  gate.link->write(bytes_of(request_for(what)));
  std::string text;
  const Answer answer = take_answer(*gate.link, text);
  if (version) *version = text_of(answer.version);
  return text;
}

// Who a lane is of: its worker's client, or the worker of another device.
struct Token {
  Key secret;
  std::string identity = kIdentity;
};

std::unique_ptr<Link> lane_to(const Entrance& to, const Token& token, LaneNumber number,
                              std::chrono::milliseconds patience) {
  Way way = way_to(to.host, patience);
  Knock frame = knock_for(KnockFor::lane);
  std::memcpy(frame.lane, to.lane.data(), std::min(sizeof frame.lane, to.lane.size()));
  knock(way.socket.number(), frame, to.host.shown());
  std::unique_ptr<Link> link;
  if (way.local) {
    link = std::make_unique<SocketLink>(std::move(way.socket), to.host.shown());
    link->write({token.secret.data(), Key::size()});
  } else {
    link = tls_client(std::move(way.socket), token.secret, to.host.shown(), patience, token.identity);
  }
  link->write(bytes_of(number));
  return link;
}

// All at once: each takes a few turns of the way.
std::vector<std::unique_ptr<Link>> lanes_to(const Entrance& to, const Token& token, std::uint32_t count,
                                            std::chrono::milliseconds patience) {
  std::vector<std::future<std::unique_ptr<Link>>> coming;
  for (LaneNumber number = 1; number <= count; ++number)
    coming.push_back(
        std::async(std::launch::async, [&, number] { return lane_to(to, token, number, patience); }));
  std::vector<std::unique_ptr<Link>> lanes;
  for (auto& lane : coming) lanes.push_back(lane.get());
  return lanes;
}

// TASUKI_GPUS_SILENCE, in seconds, stands before what the program's library asks for.
std::chrono::milliseconds silence_of(const Wish& wish) {
  const std::string text = setting("TASUKI_GPUS_SILENCE");
  if (text.empty()) return wish.silence;
  double seconds = 0;
  if (!read_real(text, seconds) || !(seconds >= 0 && seconds < 1e6))
    throw Error("TASUKI_GPUS_SILENCE=" + text + " is no time", "give seconds: 10, 0.5, 0 (for ever)");
  return std::chrono::milliseconds(static_cast<long>(seconds * 1000));
}

void tell_place(const Host& host, int device, std::uint32_t place) {
  std::fprintf(stderr, "tasuki: device %d of %s is in use; place %u in line\n", device, host.shown().c_str(),
               place);
}

} // namespace

std::vector<int> chosen_devices(const Host& host, std::size_t there) {
  const std::string mend = "`tasuki gpus top --hosts " + host.shown() + "` shows what it has";
  for (const int device : host.devices)
    if (static_cast<std::size_t>(device) >= there)
      throw Error(host.shown() + " has no device " + std::to_string(device) + " of " + std::to_string(there),
                  mend);
  if (!host.devices.empty()) return host.devices;
  if (host.count > 0 && static_cast<std::size_t>(host.count) > there)
    throw Error(host.shown() + " has " + std::to_string(there) + " devices, and " +
                    std::to_string(host.count) + " were asked for",
                mend);
  std::vector<int> devices(host.count > 0 ? static_cast<std::size_t>(host.count) : there);
  for (std::size_t i = 0; i < devices.size(); ++i) devices[i] = static_cast<int>(i);
  return devices;
}

Greeting greet(const Host& host, const Key& key, std::chrono::milliseconds patience) {
  Greeting greeting;
  greeting.devices = read_devices(ask(host, key, Ask::list, patience, &greeting.version));
  return greeting;
}

std::string ask_status(const Host& host, const Key& key, std::chrono::milliseconds patience) {
  return ask(host, key, Ask::status, patience, nullptr);
}

void ask_drain(const Host& host, const Key& key, std::chrono::milliseconds patience) {
  ask(host, key, Ask::drain, patience, nullptr);
}

Visit open_device(const Host& host, const Key& key, int device, const Wish& wish) {
  return open_by(host, key, Ask::open, device, wish);
}

Visit open_by(const Host& host, const Key& key, Ask what, int device, const Wish& wish) {
  Proven gate = proven(host, key, wish.patience);
  Request request = request_for(what);
  request.device = device;
  request.memory = wish.memory;
  request.queue = wish.queue;
  request.shared = gate.plain != nullptr;
  request.ucx = wish.ucx && !gate.plain;
  request.lanes = gate.plain || request.ucx ? 0 : static_cast<std::uint32_t>(wish.lanes - 1);
  put(request.program, wish.program);
  put(request.session, wish.session.empty() ? setting("TASUKI_GPUS_SESSION") : wish.session);
  gate.link->write(bytes_of(request));
  std::string text;
  Answer answer = take_answer(*gate.link, text);
  // The gate tells again every second; a worker that is just ending is nothing to speak of.
  std::uint32_t told = 0;
  for (int times = 1; answer.what == Say::queued; ++times, answer = take_answer(*gate.link, text)) {
    if (times > 1 && answer.place != told) tell_place(host, device, told = answer.place);
  }
  if (answer.what != Say::granted)
    throw Error("the gate of " + host.shown() + " grants nothing", "look at what runs there");
  // The secret of the worker's lanes came inside of the grant.
  std::array<unsigned char, Key::kBytes> bytes;
  std::memcpy(bytes.data(), answer.token, bytes.size());
  const Token token{Key(bytes)};
  OPENSSL_cleanse(bytes.data(), bytes.size());
  Visit visit;
  visit.entrance = {host, std::string(reinterpret_cast<const char*>(answer.lane), sizeof answer.lane),
                    request.ucx != 0};
  OPENSSL_cleanse(&answer, sizeof answer);
  if (gate.plain)
    visit.link = share_as_client(gate.plain->release(), host.shown());
  else if (request.ucx)
    visit.link = ucx_over(std::move(gate.link), wish.patience);
  else
    visit.link = laned(std::move(gate.link), lanes_to(visit.entrance, token, request.lanes, wish.patience));
  visit.link->set_patience(std::chrono::milliseconds(0));
  if (const std::string trial = setting("TASUKI_GPUS_TRIAL"); !trial.empty())
    visit.link = tried(std::move(visit.link), parse_trial(trial));
  const std::chrono::milliseconds silence = silence_of(wish);
  if (silence.count() > 0) {
    Link* link = visit.link.get();
    visit.heartbeat =
        std::make_unique<Heartbeat>(lane_to(visit.entrance, token, 0, wish.patience),
                                    Beat{std::min(silence / 4, std::chrono::milliseconds(1000)), silence},
                                    [link](const std::string& why) { link->shut_for(why); });
  }
  return visit;
}

std::unique_ptr<Link> dial_worker(const Entrance& to, std::uint32_t as, const Key& secret,
                                  std::uint32_t lanes, std::chrono::milliseconds patience) {
  auto all = lanes_to(to, {secret, identity_of_peer(as)}, lanes, patience);
  std::unique_ptr<Link> first = std::move(all.front());
  all.erase(all.begin());
  auto link = laned(std::move(first), std::move(all));
  // A gate says nothing to lanes that are nobody's.
  char letter = 0;
  link->set_patience(patience);
  link->read(&letter, 1, 1);
  link->set_patience(std::chrono::milliseconds(0));
  if (letter != kArrived) throw Error(to.host.shown() + " has no such worker", "look at what runs there");
  return to.ucx ? ucx_over(std::move(link), patience) : std::move(link);
}

} // namespace tasuki::remote
