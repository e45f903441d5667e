#include <remote/link/ucx/ucx_link.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <remote/link/descriptor.hpp>
#include <remote/link/ending.hpp>
#include <remote/link/ucx/ucx_calls.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace tasuki::remote {

namespace {

using Clock = std::chrono::steady_clock;

// Bytes that may be on their way, or wait at the other end for a reader.
constexpr std::size_t kWindow = 8u << 20;
constexpr std::size_t kChunk = 512u << 10;      // of one message
constexpr std::size_t kGathered = 16u << 10;    // smaller pieces go together
constexpr std::size_t kMostAddress = 64u << 10; // bytes
constexpr auto kSpin = std::chrono::microseconds(30);
constexpr auto kLook = std::chrono::milliseconds(100); // at most, between two looks whether anything has come
constexpr auto kLast = std::chrono::milliseconds(500); // for what is under way when a link ends

// What stands before each message of the stream.
struct Word {
  enum class Of : std::uint32_t { bytes = 1, room = 2, end = 3 };
  Of what = Of::bytes;
  std::uint32_t count = 0; // bytes that follow; or that the other may send beyond what it might
};
static_assert(sizeof(Word) == 8);

[[noreturn]] void fail(const std::string& peer, const char* what, ucs_status_t status) {
  throw Error("UCX does not " + std::string(what) + " for " + peer + " (error " +
                  std::to_string(static_cast<int>(status)) + ")",
              "look at `ucx_info -d` on both hosts, or leave UCX out");
}

class UcxLink : public Link {
public:
  explicit UcxLink(std::unique_ptr<Link> proven) : proven_(std::move(proven)), peer_(proven_->peer()) {}

  // Each tells the other where it is. By the time that this returns, either has sent the other a word.
  void meet(std::chrono::milliseconds patience) {
    start();
    ucp_address_t* here = nullptr;
    std::size_t size = 0;
    check(ucx().ucp_worker_get_address(worker_, &here, &size), "tell its address");
    const auto length = static_cast<std::uint32_t>(size);
    const Piece both[] = {bytes_of(length), {here, size}};
    proven_->set_patience(patience);
    proven_->write(both, 2);
    ucx().ucp_worker_release_address(worker_, here);
    std::uint32_t other = 0;
    proven_->read(&other, sizeof other, sizeof other);
    if (other == 0 || other > kMostAddress)
      throw Error(peer_ + " tells no address of UCX", "install the same Tasuki on both hosts");
    std::vector<unsigned char> there(other);
    proven_->read(there.data(), there.size(), there.size());
    proven_->set_patience(std::chrono::milliseconds(0));
    ucp_ep_params_t to{};
    to.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                    UCP_EP_PARAM_FIELD_ERR_HANDLER;
    to.address = reinterpret_cast<const ucp_address_t*>(there.data());
    to.err_mode = UCP_ERR_HANDLING_MODE_PEER;
    to.err_handler = {[](void* link, ucp_ep_h, ucs_status_t) { static_cast<UcxLink*>(link)->broken_ = true; },
                      this};
    check(ucx().ucp_ep_create(worker_, &to, &end_), "reach the other end");
    std::unique_lock<std::mutex> hold(mutex_);
    watcher_ = std::thread([this] { watch(); });
    // The first word each way makes the connection, for which both have to look at it.
    post(room_word_);
    const Clock::time_point until = Clock::now() + patience;
    while (!met_ || !posted_.empty()) {
      take_words();
      settle_posted();
      if (is_over() || (!(met_ && posted_.empty()) && !wait(hold, until))) {
        broken_ = true;
        throw Error("UCX does not connect to " + peer_,
                    "look at `ucx_info -d` on both hosts, or leave UCX out");
      }
    }
  }

  ~UcxLink() override {
    shut();
    if (watcher_.joinable()) watcher_.join();
    const std::lock_guard<std::mutex> guard(mutex_);
    if (end_) close(); // what has been sent is at the other end then, or never comes there
    if (worker_) ucx().ucp_worker_destroy(worker_);
    if (context_) ucx().ucp_cleanup(context_);
  }

  using Link::write;
  void write(const Piece* pieces, std::size_t count) override {
    std::vector<unsigned char> together;
    const auto send_together = [&] {
      if (!together.empty()) send_all(together.data(), together.size());
      together.clear();
    };
    for (std::size_t i = 0; i < count; ++i) {
      const auto* data = static_cast<const unsigned char*>(pieces[i].data);
      if (together.size() + pieces[i].size > kGathered) send_together();
      if (pieces[i].size > kGathered)
        send_all(data, pieces[i].size);
      else
        together.insert(together.end(), data, data + pieces[i].size);
    }
    send_together();
  }

  std::size_t read(void* to, std::size_t at_least, std::size_t at_most) override {
    auto* out = static_cast<unsigned char*>(to);
    std::size_t got = 0;
    std::unique_lock<std::mutex> hold(mutex_);
    if (read_to_end_) raise();
    const auto enough = [&] {
      take_in(out, at_most, got);
      return got >= at_least;
    };
    if (at_least == 0) {
      while (progress()) {}
      if (!enough() || (got == 0 && is_over())) end_of_reading();
    } else {
      std::size_t before = 0;
      std::optional<Clock::time_point> until;
      while (!enough()) {
        if (!until || got > before) until = Clock::now() + patience_;
        before = got;
        give_room(); // what is asked for may be more than a window
        if (!wait(hold, patience_.count() > 0 ? until : std::nullopt))
          ending_.raise(peer_, "no answer in time");
        if (is_over() && (enough(), got < at_least) && !has_more()) end_of_reading();
      }
    }
    give_room();
    return got;
  }

  void shut() noexcept override {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (std::exchange(shut_, true)) return;
    try {
      if (end_ && !broken_) post(end_word_);
      while (progress()) {}
    } catch (const Error&) {
      // the other end hears of it by the link that was proven
    }
    proven_->shut();
    rouse();
    changed_.notify_all();
  }
  void shut_for(const std::string& why) noexcept override {
    ending_.because(why);
    shut();
  }
  void set_patience(std::chrono::milliseconds patience) override { patience_ = patience; }
  std::string peer() const override { return peer_; }

private:
  void start() {
    ucp_config_t* config = nullptr;
    check(ucx().ucp_config_read(nullptr, nullptr, &config), "read its settings");
    // One process may not read another one's memory: a worker's filter refuses that.
    if (!std::getenv("UCX_TLS")) ucx().ucp_config_modify(config, "TLS", "^cma,xpmem,knem");
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_STREAM | UCP_FEATURE_WAKEUP;
    const ucs_status_t began =
        ucx().ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &context_);
    ucx().ucp_config_release(config);
    check(began, "start");
    ucp_worker_params_t how{};
    how.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    how.thread_mode = UCS_THREAD_MODE_SERIALIZED;
    check(ucx().ucp_worker_create(context_, &how, &worker_), "make a worker");
    check(ucx().ucp_worker_get_efd(worker_, &events_), "tell of events");
    wake_ = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  }
  void check(ucs_status_t status, const char* what) const {
    if (status != UCS_OK) fail(peer_, what, status);
  }
  [[noreturn]] void raise() const { ending_.raise(peer_, ended_ ? "it ended" : "it was cut short"); }
  [[noreturn]] void end_of_reading() { // what comes late has not come
    read_to_end_ = true;
    raise();
  }
  bool is_over() const { return shut_ || broken_ || gone_ || ended_; }
  void rouse() const noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_.number(), &one, sizeof one);
  }

  // The thread that hears of the other end's end by the proven link, on which nothing else comes.
  void watch() {
    try {
      char letter;
      proven_->read(&letter, 1, 1);
    } catch (const Error&) {
      // it is gone, or this end is
    }
    std::unique_lock<std::mutex> hold(mutex_);
    // Its last words may still be under way.
    changed_.wait_for(hold, kLast, [this] { return ended_ || shut_; });
    gone_ = true;
    rouse();
    changed_.notify_all();
  }

  // With the lock. What has come may be for another thread, which sleeps until it hears of an event that is over now.
  bool progress() noexcept {
    if (!worker_ || !ucx().ucp_worker_progress(worker_)) return false;
    ++events_seen_;
    if (polls_) rouse();
    changed_.notify_all();
    return true;
  }

  // With the lock, which is given up meanwhile: until something has happened. False: nothing has, until then.
  bool wait(std::unique_lock<std::mutex>& hold, const std::optional<Clock::time_point>& until) {
    const Clock::time_point began = Clock::now();
    const std::uint64_t seen = events_seen_;
    for (;;) {
      if (progress() || events_seen_ != seen || is_over())
        return true; // another thread may have seen what came
      const Clock::time_point now = Clock::now();
      if (until && now >= *until) return false;
      if (now - began < kSpin) {
        hold.unlock();
        std::this_thread::yield();
        hold.lock();
        continue;
      }
      if (polls_) {
        changed_.wait_for(hold, kLook);
        return true;
      }
      if (ucx().ucp_worker_arm(worker_) == UCS_ERR_BUSY) continue;
      polls_ = true;
      hold.unlock();
      pollfd about[2] = {{events_, POLLIN, 0}, {wake_.number(), POLLIN, 0}};
      auto most = kLook;
      if (until)
        most = std::min(most, std::chrono::duration_cast<std::chrono::milliseconds>(*until - now) +
                                  std::chrono::milliseconds(1));
      poll(about, 2, static_cast<int>(most.count()));
      hold.lock();
      std::uint64_t heard = 0;
      [[maybe_unused]] const ssize_t emptied = ::read(wake_.number(), &heard, sizeof heard);
      polls_ = false;
      changed_.notify_all();
      return true;
    }
  }

  // --- sending, with the lock

  struct Sent {
    ucs_status_ptr_t request = nullptr; // null: done
  };
  Sent send(const void* bytes, std::size_t size) {
    if (broken_) raise();
    ucp_request_param_t plain{};
    const ucs_status_ptr_t request = ucx().ucp_stream_send_nbx(end_, bytes, size, &plain);
    if (UCS_PTR_IS_ERR(request)) {
      broken_ = true;
      raise();
    }
    if (request && polls_) rouse(); // whoever sleeps has armed the worker for what was under way before
    return {request};
  }
  bool is_sent(Sent& sent) {
    if (!sent.request) return true;
    const ucs_status_t status = ucx().ucp_request_check_status(sent.request);
    if (status == UCS_INPROGRESS) return false;
    ucx().ucp_request_free(sent.request);
    sent.request = nullptr;
    if (status != UCS_OK) broken_ = true;
    return true;
  }
  // A word that this object keeps until it is sent.
  void post(const Word& word) { posted_.push_back(send(&word, sizeof word)); }

  void send_all(const unsigned char* bytes, std::size_t size) {
    std::unique_lock<std::mutex> hold(mutex_);
    while (size > 0) {
      const std::size_t now = std::min(size, kChunk);
      while (room_ < now) {
        take_words(); // the other end's word of room may stand behind bytes that nobody has read yet
        if (room_ >= now) break;
        if (is_over()) raise();
        wait(hold, std::nullopt);
      }
      if (is_over()) raise();
      bytes_word_.count = static_cast<std::uint32_t>(now);
      Sent head = send(&bytes_word_, sizeof bytes_word_), body = send(bytes, now);
      room_ -= now;
      // They stay where they are until they are sent.
      for (bool head_sent = false, body_sent = false;;) {
        head_sent = head_sent || is_sent(head);
        body_sent = body_sent || is_sent(body);
        if (head_sent && body_sent) break;
        wait(hold, std::nullopt);
        if (shut_ || gone_) broken_ = true;
        if (broken_ && !progress()) break_off();
      }
      if (broken_) raise();
      bytes += now;
      size -= now;
    }
  }
  // The end is closed by force: all that is under way is over then.
  void break_off() {
    if (std::exchange(broken_off_, true)) return;
    close();
  }

  void settle_posted() {
    posted_.erase(
        std::remove_if(posted_.begin(), posted_.end(), [this](Sent& sent) { return is_sent(sent); }),
        posted_.end());
  }
  void give_room() {
    settle_posted();
    if (read_ < kWindow / 4 || is_over() || !posted_.empty())
      return; // where the link is over the next read says so
    room_word_.count = static_cast<std::uint32_t>(read_);
    read_ = 0;
    post(room_word_);
  }

  // --- receiving, with the lock

  // What has come of the stream, next to be looked at.
  bool next() {
    if (held_at_ < held_size_) return true;
    release();
    if (broken_off_) return false;
    const ucs_status_ptr_t data = ucx().ucp_stream_recv_data_nb(end_, &held_size_);
    if (!data) {
      held_size_ = 0;
      return false;
    }
    if (UCS_PTR_IS_ERR(data)) {
      held_size_ = 0;
      broken_ = true;
      return false;
    }
    held_ = static_cast<unsigned char*>(data);
    return true;
  }
  void release() {
    if (held_) ucx().ucp_stream_data_release(end_, held_);
    held_ = nullptr;
    held_at_ = held_size_ = 0;
  }
  bool has_more() { return !kept_.empty() || next(); }

  // Bytes of a message go to `out`, as far as there is room; words are taken in.
  void take(unsigned char* out, std::size_t most, std::size_t& got) {
    while (next()) {
      const std::size_t here = held_size_ - held_at_;
      if (left_ > 0) {
        const std::size_t now = std::min({left_, here, most - got});
        if (now == 0) return;
        std::memcpy(out + got, held_ + held_at_, now);
        got += now;
        left_ -= now;
        held_at_ += now;
        continue;
      }
      const std::size_t now = std::min(sizeof word_ - word_at_, here);
      std::memcpy(reinterpret_cast<unsigned char*>(&word_) + word_at_, held_ + held_at_, now);
      word_at_ += now;
      held_at_ += now;
      if (word_at_ < sizeof word_) continue;
      word_at_ = 0;
      met_ = true;
      if (word_.what == Word::Of::bytes && word_.count <= kChunk)
        left_ = word_.count;
      else if (word_.what == Word::Of::room && word_.count <= kWindow - std::min(room_, kWindow))
        room_ += word_.count;
      else if (word_.what == Word::Of::end)
        ended_ = true;
      else
        broken_ = true;
    }
  }

  // For a reader: what was kept for it first.
  void take_in(unsigned char* out, std::size_t most, std::size_t& got) {
    const std::size_t before = got;
    if (kept_at_ < kept_.size()) {
      const std::size_t now = std::min(kept_.size() - kept_at_, most - got);
      std::memcpy(out + got, kept_.data() + kept_at_, now);
      got += now;
      kept_at_ += now;
    }
    if (kept_at_ == kept_.size()) {
      kept_.clear();
      kept_at_ = 0;
      take(out, most, got);
    }
    read_ += got - before;
  }

  // For a writer without room: bytes are kept for a reader, at most a window of them.
  void take_words() {
    while (next()) {
      const std::size_t before = kept_.size(), more = std::min(left_, held_size_ - held_at_);
      kept_.resize(before + more);
      std::size_t got = 0;
      take(kept_.data() + before, more, got);
      kept_.resize(before + got);
      if (kept_at_ >= kWindow) {
        kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(std::exchange(kept_at_, 0)));
      }
      if (kept_.size() - kept_at_ > kWindow) {
        broken_ = true;
        return;
      }
    }
  }

  void close() {
    release();
    ucp_request_param_t how{};
    how.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    how.flags = broken_ || gone_ ? UCP_EP_CLOSE_FLAG_FORCE : 0;
    ucs_status_ptr_t request = ucx().ucp_ep_close_nbx(end_, &how);
    end_ = nullptr;
    if (UCS_PTR_IS_ERR(request) || !request) return;
    const Clock::time_point until = Clock::now() + kLast;
    while (ucx().ucp_request_check_status(request) == UCS_INPROGRESS && Clock::now() < until)
      if (!progress()) std::this_thread::yield();
    ucx().ucp_request_free(request);
  }

  std::unique_ptr<Link> proven_;
  const std::string peer_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h end_ = nullptr;
  int events_ = -1;
  Descriptor wake_;
  std::mutex mutex_; // of all below, and of UCX
  std::condition_variable changed_;
  std::uint64_t events_seen_ = 0;
  bool polls_ = false; // some thread sleeps until there is an event
  bool read_to_end_ = false;
  bool met_ = false; // the other end's first word has come
  bool shut_ = false, gone_ = false, ended_ = false, broken_ = false, broken_off_ = false;
  std::size_t room_ = kWindow; // bytes that may be sent
  std::size_t read_ = 0;       // since the other end was told
  Word bytes_word_{Word::Of::bytes, 0}, room_word_{Word::Of::room, 0};
  const Word end_word_{Word::Of::end, 0};
  std::vector<Sent> posted_;
  unsigned char* held_ = nullptr;
  std::size_t held_at_ = 0, held_size_ = 0;
  Word word_;
  std::size_t word_at_ = 0, left_ = 0; // of a word; of a message's bytes
  std::vector<unsigned char> kept_;
  std::size_t kept_at_ = 0;
  std::chrono::milliseconds patience_{0};
  Ending ending_;
  std::thread watcher_;
};

} // namespace

bool has_ucx() { return true; }

std::unique_ptr<Link> ucx_over(std::unique_ptr<Link> proven, std::chrono::milliseconds patience) {
  auto link = std::make_unique<UcxLink>(std::move(proven));
  link->meet(patience);
  return link;
}

} // namespace tasuki::remote
