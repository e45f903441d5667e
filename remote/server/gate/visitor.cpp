#include <remote/server/gate/visitor.hpp>

#include <fcntl.h>
#include <openssl/crypto.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <remote/link/heartbeat.hpp>
#include <remote/link/lanes.hpp>
#include <remote/link/shared_memory.hpp>
#include <remote/link/socket.hpp>
#include <remote/link/tls.hpp>
#include <remote/link/ucx/ucx_link.hpp>
#include <remote/link/unix.hpp>
#include <remote/server/admissions.hpp>
#include <remote/server/coming.hpp>
#include <remote/server/gate/confine.hpp>
#include <remote/server/gate/counted.hpp>
#include <remote/server/share.hpp>
#include <remote/server/visit/greeting.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace tasuki::remote {

namespace {

constexpr auto kProof = std::chrono::seconds(8);
constexpr auto kGrace = std::chrono::milliseconds(1500); // for a worker to come to its end by itself

bool send_whole(int socket, const void* from, std::size_t size) {
  return send(socket, from, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
}
bool take_whole(int socket, void* to, std::size_t size) {
  return size == 0 || recv(socket, to, size, MSG_WAITALL) == static_cast<ssize_t>(size);
}

void say(Link& link, Say what, const std::string& text) {
  Answer answer;
  put(answer.version, TASUKI_VERSION);
  answer.what = what;
  answer.bytes = text.size();
  const Piece both[] = {bytes_of(answer), {text.data(), text.size()}};
  link.write(both, 2);
}

// A lane of this worker's client, or of the worker of another device that the client has announced.
struct ProvenLane {
  std::unique_ptr<Link> link;
  std::optional<std::uint32_t> peer;
};

// Throws Error where it proves neither.
ProvenLane prove_lane(Descriptor socket, bool local, const std::string& peer, const Key& secret,
                      const Admissions& admissions) {
  ProvenLane lane;
  if (!local) {
    const auto secret_of = [&](const std::string& identity) {
      if (identity == kIdentity) return secret;
      lane.peer = admissions.peer_of(identity);
      return lane.peer ? admissions.secret_of(*lane.peer) : Key();
    };
    lane.link = tls_server(std::move(socket), secret_of, peer, kProof);
    return lane;
  }
  lane.link = std::make_unique<SocketLink>(std::move(socket), peer);
  lane.link->set_patience(kProof);
  std::array<unsigned char, Key::kBytes> bytes;
  lane.link->read(bytes.data(), bytes.size(), bytes.size());
  const Key shown(bytes);
  if (CRYPTO_memcmp(shown.data(), secret.data(), Key::kBytes) == 0) return lane;
  lane.peer = admissions.peer_of(shown);
  if (!lane.peer) throw Error("a lane of " + peer + " has not the token of its worker", "it is shut");
  return lane;
}

// What lies behind the worker's back: its client's end, the gate's end, and lanes that come. `socket` is the client's.
void attend(int socket, int gate, const std::string& peer, const Key secret, Pulse& pulse, Coming& coming,
            Admissions& admissions) {
  for (;;) {
    pollfd about[2] = {{socket, POLLRDHUP, 0}, {gate, POLLIN, 0}};
    if (poll(about, 2, -1) < 0 && errno == EINTR) continue;
    if (about[0].revents != 0) {
      // The worker reads what has come, frees what it holds and ends; where it hangs in a kernel, it ends all the same.
      std::this_thread::sleep_for(kGrace);
      _exit(0);
    }
    unsigned char tag = 0;
    Descriptor lane = take_file(gate, &tag);
    if (!lane.there() && tag == kLeaving) {
      pulse.leaving = true;
      continue;
    }
    if (!lane.there()) _exit(1); // the gate is gone
    std::thread([lane = std::move(lane), local = tag == kLaneOfThisHost, peer, secret, &pulse, &coming,
                 &admissions]() mutable {
      try {
        auto [link, other] = prove_lane(std::move(lane), local, peer, secret, admissions);
        LaneNumber number = 0;
        link->set_patience(kProof);
        link->read(&number, sizeof number, sizeof number);
        link->set_patience(std::chrono::milliseconds(0));
        if (other)
          admissions.take(*other, number, std::move(link));
        else if (number == 0)
          answer_beats(*link, pulse);
        else
          coming.take(number, std::move(link));
      } catch (const Error&) {}
    }).detach();
  }
}

// The link of a client that has the key, or is this host's own user.
std::unique_ptr<Link> prove(Visitor& visitor, SocketLink*& plain) {
  if (!visitor.local) return tls_server(std::move(visitor.socket), visitor.key, visitor.peer, kProof);
  auto link = std::make_unique<SocketLink>(std::move(visitor.socket), visitor.peer);
  plain = link.get();
  return link;
}

} // namespace

int receive(Visitor& visitor, const Serve& serve) {
  confine();
  const int gate = visitor.gate.number();
  // For the thread that looks whether the client is there: the link closes its own.
  const int socket = fcntl(visitor.socket.number(), F_DUPFD_CLOEXEC, 0);
  if (socket < 0) return 1;
  SocketLink* plain = nullptr;
  std::unique_ptr<Link> link;
  Request request;
  Answer answer;
  try {
    link = prove(visitor, plain);
    visitor.key = Key();
    request.what = Ask::proven;
    if (!send_whole(gate, &request, sizeof request)) return 1;
    std::string text;
    do {
      link->set_patience(visitor.idle_time);
      link->read(&request, sizeof request, sizeof request);
      if (text_of(request.version) != TASUKI_VERSION) {
        say(*link, Say::refused, "versions differ");
        return 1;
      }
      if (request.what == Ask::proven || !send_whole(gate, &request, sizeof request)) return 1;
      do {
        if (!take_whole(gate, &answer, sizeof answer) || answer.bytes > kMostText) return 1;
        text.resize(answer.bytes);
        if (!take_whole(gate, text.data(), text.size())) return 1;
        const Piece both[] = {bytes_of(answer), {text.data(), text.size()}};
        link->write(both, 2);
      } while (answer.what == Say::queued);
    } while (answer.what != Say::granted);
    link->set_patience(std::chrono::milliseconds(0));
    if (plain && request.shared) link = share_as_worker(plain->release(), visitor.peer);
    if (!plain && request.ucx) link = ucx_over(std::move(link), kProof);
  } catch (const Error&) {
    return 1; // who does not prove it, or goes, is told nothing
  }
  Grant grant;
  grant.device = request.what == Ask::keep ? -1 : request.device;
  std::array<unsigned char, Key::kBytes> token;
  std::memcpy(token.data(), answer.token, token.size());
  const Key secret(token);
  OPENSSL_cleanse(token.data(), token.size());
  OPENSSL_cleanse(&answer, sizeof answer);
  Terms terms;
  if (!take_whole(gate, &terms, sizeof terms)) return 1;
  grant.gpu = terms.gpu;
  grant.memory = terms.memory;
  grant.program = text_of(request.program);
  grant.tally = visitor.tally;
  grant.share = visitor.shares && terms.gpu >= 0 ? visitor.shares + terms.gpu : nullptr;
  grant.slot = terms.slot;
  if (request.lanes >= kMostLanes) return 1;
  static Coming coming(request.lanes); // of this process, whose threads outlive this function
  static Admissions admissions;
  static Pulse pulse;
  pulse.stays = [gate, request, said = false]() mutable {
    if (std::exchange(said, true)) return;
    request.what = Ask::stays;
    send_whole(gate, &request, sizeof request);
  };
  if (visitor.tally)
    pulse.reported = [tally = visitor.tally](const Report& report) { tally->told.set(report); };
  grant.admissions = &admissions;
  grant.ucx = !plain && request.ucx;
  std::thread(attend, socket, gate, visitor.peer, secret, std::ref(pulse), std::ref(coming),
              std::ref(admissions))
      .detach();
  int status = 1;
  try {
    CountedLink counted(laned(std::move(link), coming.all(kProof)), visitor.tally);
    status = serve(counted, grant);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tasuki-gpus-serve: %s\n", error.what());
  }
  return status;
}

} // namespace tasuki::remote
