#include <remote/server/gate/gate.hpp>

#include <fcntl.h>
#include <openssl/rand.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <remote/link/tcp.hpp>
#include <remote/link/unix.hpp>
#include <remote/server/gate/children.hpp>
#include <remote/server/gate/leaving.hpp>
#include <remote/server/gate/ledger.hpp>
#include <remote/server/gate/slots.hpp>
#include <remote/server/gate/status.hpp>
#include <remote/server/visit/greeting.hpp>
#include <remote/server/visit/listing.hpp>

#include <asio.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <list>
#include <map>

namespace tasuki::remote {

namespace {

using Clock = std::chrono::steady_clock;
using Tcp = asio::ip::tcp;
using Unix = asio::local::stream_protocol;
constexpr auto kTurn = std::chrono::milliseconds(250); // of looking after what takes too long
constexpr auto kProofTime = std::chrono::seconds(10);
constexpr auto kStopTime = std::chrono::seconds(10);
constexpr auto kEndTime = std::chrono::seconds(2);
constexpr const char* about_to_end = "it takes no new clients, as it is about to end; ask another host";
constexpr const char* no_ucx =
    "its clients are encrypted; start it with --ucx where the network is trusted, or leave --ucx out here";

// Who has connected and not yet knocked.
struct Stranger {
  asio::posix::stream_descriptor socket;
  bool local;
  std::string peer;
  Clock::time_point since = Clock::now();
  Knock knock{};
};

int last_gpu(const std::vector<ServedDevice>& devices) {
  int last = 0;
  for (const ServedDevice& device : devices) last = std::max(last, device.gpu);
  return last;
}

Tcp::endpoint address_of(const GateOptions& options) {
  asio::error_code fault;
  const asio::ip::address address = asio::ip::make_address(options.listen, fault);
  if (fault)
    throw Error("--listen " + options.listen + " is no address",
                "give one of this host: 0.0.0.0 (all), 10.0.0.7, ::1");
  if (!address.is_loopback() && !options.key.there())
    throw Error("--listen " + options.listen + " would serve strangers, as there is no key",
                "make one with `tasuki gpus key`, or listen at 127.0.0.1");
  return {address, options.port};
}

} // namespace

class Gate::Hall {
public:
  Hall(GateOptions options, Serve serve)
      : options_(std::move(options)),
        serve_(std::move(serve)),
        ledger_(options_.devices.size(), options_.clients),
        listing_(write_devices(options_.devices)),
        slots_(1 + last_gpu(options_.devices)),
        tcp_(loop_),
        unix_(loop_),
        signals_(loop_, SIGTERM, SIGINT, SIGCHLD),
        timer_(loop_) {
    const Tcp::endpoint address = address_of(options_);
    if (options_.key.there()) {
      try {
        tcp_.open(address.protocol());
        tcp_.set_option(Tcp::acceptor::reuse_address(true));
        tcp_.bind(address);
        tcp_.listen(128);
      } catch (const asio::system_error& error) {
        throw Error("cannot listen at " + options_.listen + ", port " + std::to_string(options_.port) + " (" +
                        error.code().message() + ")",
                    "give --listen an address of this host, and --port a free port");
      }
    }
    if (!options_.socket.empty()) unix_.assign(Unix(), listen_unix(options_.socket).release());
    if (!tcp_.is_open() && !unix_.is_open())
      throw Error("nothing to listen at", "make a key with `tasuki gpus key`");
  }
  ~Hall() {
    if (!options_.socket.empty()) unlink(options_.socket.c_str());
  }

  std::uint16_t port() const { return tcp_.is_open() ? tcp_.local_endpoint().port() : 0; }

  int run() {
    if (tcp_.is_open()) accept_tcp();
    if (unix_.is_open()) accept_unix();
    hear();
    look_after();
    loop_.run();
    return 0;
  }

private:
  // A connection's end, or a fault of this process (no descriptors left): the next one may do.
  void accept_tcp() {
    tcp_.async_accept([this](asio::error_code fault, Tcp::socket socket) {
      if (fault == asio::error::operation_aborted) return;
      if (!fault) {
        asio::error_code gone;
        const auto from = socket.remote_endpoint(gone);
        const int number = socket.release();
        settle_tcp(number);
        take_stranger(number, false, gone ? "a client" : from.address().to_string());
      }
      accept_tcp();
    });
  }
  void accept_unix() {
    unix_.async_accept([this](asio::error_code fault, Unix::socket socket) {
      if (fault == asio::error::operation_aborted) return;
      if (!fault && peer_uid(socket.native_handle()) == geteuid())
        take_stranger(socket.release(), true, "this host");
      accept_unix();
    });
  }

  void take_stranger(int socket, bool local, const std::string& peer) {
    if (strangers_.size() >= options_.knocks)
      strangers_.pop_front(); // its reader ends with operation_aborted
    strangers_.push_back(std::make_shared<Stranger>(Stranger{{loop_, socket}, local, peer}));
    const std::shared_ptr<Stranger> stranger = strangers_.back();
    const std::weak_ptr<Stranger> weak = stranger;
    asio::async_read(stranger->socket, asio::buffer(&stranger->knock, sizeof(Knock)),
                     [this, weak](asio::error_code fault, std::size_t) {
                       const std::shared_ptr<Stranger> knocked = weak.lock();
                       if (!knocked) return;
                       strangers_.remove(knocked);
                       if (!fault) knocks(*knocked);
                     });
  }

  void knocks(Stranger& stranger) {
    const Knock knock = stranger.knock;
    Descriptor socket(stranger.socket.release());
    fcntl(socket.number(), F_SETFL,
          fcntl(socket.number(), F_GETFL) & ~O_NONBLOCK); // asio's sockets do not block
    if (std::memcmp(knock.magic, kMagic, sizeof kMagic) != 0) return;
    if (knock.what == KnockFor::lane) {
      for (auto& [id, child] : children_)
        if (child.granted && std::memcmp(child.lane, knock.lane, sizeof knock.lane) == 0)
          pass_file(child.channel->native_handle(), socket.number(),
                    stranger.local ? kLaneOfThisHost : kLaneOfAnyHost);
      return;
    }
    if (knock.what != KnockFor::visit || ending_) return;
    std::vector<int> unproven;
    for (const auto& [id, child] : children_)
      if (!child.proven) unproven.push_back(id);
    if (unproven.size() >= options_.unproven) kill(children_.at(unproven.front()).process, SIGKILL);
    start(std::move(socket), stranger.local, stranger.peer);
  }

  void start(Descriptor socket, bool local, const std::string& peer) {
    Tally* tally = tallies_.take();
    if (!tally) return;
    Visitor visitor{std::move(socket), Descriptor(), local,        peer,
                    options_.key,      tally,        slots_.all(), options_.idle_time};
    Started started = start_child(std::move(visitor), serve_);
    if (started.process < 0) {
      tallies_.give(tally);
      return;
    }
    const int id = next_++;
    Child& child = children_[id];
    child.process = started.process;
    child.channel = std::make_unique<asio::posix::stream_descriptor>(loop_, started.channel.release());
    child.peer = peer;
    child.tally = tally;
    listen_to(id);
  }

  void listen_to(int id) {
    Child& child = children_.at(id);
    asio::async_read(*child.channel, asio::buffer(&child.request, sizeof(Request)),
                     [this, id](asio::error_code fault, std::size_t) {
                       if (fault || !children_.count(id)) return; // its end is heard by SIGCHLD
                       hear_from(id);
                       if (children_.count(id)) listen_to(id);
                     });
  }

  void hear_from(int id) {
    Child& child = children_.at(id);
    switch (child.request.what) {
      case Ask::proven: child.proven = true; return;
      case Ask::list: return tell(child, Say::text, listing_);
      case Ask::status:
        return tell(child, Say::text, write_status(options_.devices, ledger_, children_, leaving_));
      case Ask::drain: return drain(child);
      case Ask::stays:
        std::printf("%s\n", line_of_stay(child).c_str());
        std::fflush(stdout);
        return;
      case Ask::open: return claims(id, child);
      case Ask::keep: return keeps(id, child);
    }
    tell(child, Say::refused, "it asks for nothing that is known; install the same Tasuki on both hosts");
  }

  void drain(Child& child) {
    leaving_ = true;
    tell_leaving(children_);
    for (auto& [id, other] : children_) // who waits in line would begin here what is to end
      if (ledger_.place(id) > 0) {
        ledger_.leave(id);
        other.claimed = false;
        tell(other, Say::refused, about_to_end);
      }
    tell(child, Say::text, "");
    end_if_empty();
  }

  void claims(int id, Child& child) {
    const Request& request = child.request;
    const std::string device = "device " + std::to_string(request.device);
    if (leaving_) return tell(child, Say::refused, about_to_end);
    if (request.ucx && !options_.ucx) return tell(child, Say::refused, no_ucx);
    if (child.claimed || !ledger_.has(request.device))
      return tell(child, Say::refused,
                  "there is no " + device + " of " + std::to_string(options_.devices.size()) +
                      "; `tasuki gpus top` shows what there is");
    const std::uint64_t most = options_.memory;
    if (most > 0 && request.memory > most)
      return tell(child, Say::refused,
                  std::to_string(request.memory) + " bytes are more than a client may have here (" +
                      std::to_string(most) + "); ask for less");
    if (!request.queue && !ledger_.is_free(request.device, text_of(request.session)))
      return tell(child, Say::refused, device + " is in use by another client; wait for it, or take another");
    child.claimed = true;
    child.told = Clock::now();
    if (const int place = ledger_.claim(id, request.device, text_of(request.session)); place > 0)
      return tell(child, Say::queued, "", static_cast<std::uint32_t>(place));
    grant(id);
  }

  // No device is claimed: at a drain nobody waits for it, and the client keeps its images elsewhere from then on.
  void keeps(int id, Child& child) {
    if (leaving_) return tell(child, Say::refused, about_to_end);
    if (child.request.ucx && !options_.ucx) return tell(child, Say::refused, no_ucx);
    if (options_.images == 0)
      return tell(child, Say::refused, "this server keeps no images; start it with --images 64GiB");
    grant(id);
  }

  void grant(int id) {
    Child& child = children_.at(id);
    Answer answer;
    if (RAND_bytes(answer.lane, sizeof answer.lane) != 1 ||
        RAND_bytes(answer.token, sizeof answer.token) != 1)
      return tell(child, Say::refused, "this host has no random numbers; look at /dev/urandom");
    std::memcpy(child.lane, answer.lane, sizeof answer.lane);
    put(answer.version, TASUKI_VERSION);
    answer.what = Say::granted;
    Terms terms;
    if (child.request.what == Ask::keep) {
      terms.memory = options_.images;
    } else {
      terms.gpu = options_.devices[static_cast<std::size_t>(child.request.device)].gpu;
      terms.memory = options_.memory;
      terms.slot = slots_.take(terms.gpu, text_of(child.request.session), id);
    }
    child.granted = true;
    child.since = Clock::now();
    // In one piece: a worker that has the answer without its terms would keep its client waiting for this process.
    unsigned char both[sizeof answer + sizeof terms];
    std::memcpy(both, &answer, sizeof answer);
    std::memcpy(both + sizeof answer, &terms, sizeof terms);
    write(child, both, sizeof both);
  }

  void tell(Child& child, Say what, const std::string& text, std::uint32_t place = 0) {
    Answer answer;
    put(answer.version, TASUKI_VERSION);
    answer.what = what;
    answer.place = place;
    answer.bytes = text.size();
    write(child, &answer, sizeof answer);
    write(child, text.data(), text.size());
  }

  // Nobody holds the gate up: a process that does not take its answers, as its client does not, ends.
  void write(Child& child, const void* from, std::size_t size) {
    if (size == 0) return;
    const ssize_t sent = send(child.channel->native_handle(), from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent != static_cast<ssize_t>(size)) kill(child.process, SIGKILL);
  }

  void hear() {
    signals_.async_wait([this](asio::error_code fault, int signal) {
      if (fault) return;
      if (signal == SIGCHLD)
        bury();
      else
        end();
      hear();
    });
  }

  void bury() {
    for (auto it = children_.begin(); it != children_.end();) {
      int status = 0;
      const pid_t told = waitpid(it->second.process, &status, WNOHANG | WUNTRACED | WCONTINUED);
      if (told != it->second.process) {
        ++it;
      } else if (WIFSTOPPED(status) || WIFCONTINUED(status)) {
        it->second.stopped = WIFSTOPPED(status) ? Clock::now() : Clock::time_point(); // and look again
      } else {
        const int id = it->first;
        tallies_.give(it->second.tally);
        slots_.give(id);
        it = children_.erase(it);
        for (const int next : ledger_.leave(id)) grant(next);
      }
    }
    end_if_empty();
  }

  void end_if_empty() {
    if (!leaving_) return;
    for (const auto& [id, child] : children_)
      if (child.claimed) return;
    if (!ending_) end();
    if (children_.empty()) loop_.stop();
  }

  void end() {
    leaving_ = ending_ = true;
    tcp_.close();
    unix_.close();
    strangers_.clear();
    ended_ = Clock::now();
    for (const auto& [id, child] : children_)
      if (child.claimed || !child.proven) kill(child.process, SIGTERM);
    if (children_.empty()) loop_.stop();
  }

  void look_after() {
    timer_.expires_after(kTurn);
    timer_.async_wait([this](asio::error_code fault) {
      if (fault) return;
      const Clock::time_point now = Clock::now();
      while (!strangers_.empty() && now - strangers_.front()->since > options_.knock_time)
        strangers_.pop_front();
      for (auto& [id, child] : children_) {
        if (!child.proven && now - child.since > kProofTime) kill(child.process, SIGKILL);
        // It cannot end by itself when its client goes, which has long counted it as lost.
        if (child.stopped != Clock::time_point() && now - child.stopped > kStopTime)
          kill(child.process, SIGKILL);
        if (ending_ && now - ended_ > kEndTime) kill(child.process, SIGKILL);
        // Who waits is told again and again: so it is seen that the client has gone.
        if (const int place = ledger_.place(id); place > 0 && now - child.told > std::chrono::seconds(1)) {
          child.told = now;
          tell(child, Say::queued, "", static_cast<std::uint32_t>(place));
        }
      }
      look_after();
    });
  }

  GateOptions options_;
  Serve serve_;
  Ledger ledger_;
  std::string listing_;
  Tallies tallies_;
  Slots slots_;
  asio::io_context loop_{1};
  Tcp::acceptor tcp_;
  Unix::acceptor unix_;
  asio::signal_set signals_;
  asio::steady_timer timer_;
  std::list<std::shared_ptr<Stranger>> strangers_; // by when they came
  std::map<int, Child> children_;                  // by when they were started
  int next_ = 1;
  bool leaving_ = false, ending_ = false;
  Clock::time_point ended_{};
};

Gate::Gate(GateOptions options, Serve serve)
    : hall_(std::make_unique<Hall>(std::move(options), std::move(serve))) {}
Gate::~Gate() = default;
std::uint16_t Gate::port() const { return hall_->port(); }
int Gate::run() { return hall_->run(); }

} // namespace tasuki::remote
