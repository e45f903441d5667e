#include <remote/link/lanes.hpp>

#include <remote/link/quiet_thread.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>

namespace tasuki::remote {

namespace {

struct Head {
  std::uint32_t size = 0;
  std::uint32_t split = 0;
};
constexpr std::size_t kMostPiece = std::size_t(1) << 30; // of one head; longer pieces have several
constexpr std::size_t kPage = 4096;

// A thread that does one thing at a time for who waits for it.
class Hand {
public:
  Hand() : thread_(quiet_thread([this] { work(); })) {}
  ~Hand() {
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      end_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  void give(std::function<void()> task) {
    const std::lock_guard<std::mutex> guard(mutex_);
    task_ = std::move(task);
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock<std::mutex> guard(mutex_);
    changed_.wait(guard, [this] { return !task_; });
  }

private:
  void work() {
    std::unique_lock<std::mutex> guard(mutex_);
    for (;;) {
      changed_.wait(guard, [this] { return end_ || task_; });
      if (!task_) return;
      guard.unlock();
      task_(); // nobody changes it meanwhile
      guard.lock();
      task_ = nullptr;
      changed_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> task_;
  bool end_ = false;
  std::thread thread_;
};

// A range of a split piece that one lane carries.
struct Part {
  std::size_t begin = 0, size = 0;
};

std::size_t share_of(std::size_t size, std::size_t lanes) {
  return ((size + lanes - 1) / lanes + kPage - 1) / kPage * kPage;
}

// What lane n carries of the bytes from `begin` to `end` of a piece of that size.
Part part_of(std::size_t n, std::size_t lanes, std::size_t size, std::size_t begin, std::size_t end) {
  const std::size_t share = share_of(size, lanes);
  const std::size_t from = std::max(begin, std::min(n * share, size));
  const std::size_t to = std::min(end, (n + 1) * share);
  return {from, to > from ? to - from : 0};
}

class LanedLink : public Link {
public:
  LanedLink(std::unique_ptr<Link> first, std::vector<std::unique_ptr<Link>> others) {
    lanes_.push_back(std::move(first));
    for (auto& lane : others) lanes_.push_back(std::move(lane));
    buffer_.resize(64 << 10);
  }
  ~LanedLink() override { shut(); }

  using Link::write;
  void write(const Piece* pieces, std::size_t count) override {
    std::vector<Piece>
        plain; // by the first lane, and not yet sent; its first piece is the place of their head
    std::size_t bytes = 0;
    plain.emplace_back();
    for (std::size_t i = 0; i < count; ++i) {
      Piece left = pieces[i];
      if (left.size < kSplit) {
        if (bytes + left.size > kMostPiece) send_plain(plain, bytes);
        plain.push_back(left);
        bytes += left.size;
        continue;
      }
      while (left.size > 0) {
        const std::size_t now = std::min(left.size, kMostPiece);
        send_split(plain, bytes, {left.data, now});
        left = {static_cast<const char*>(left.data) + now, left.size - now};
      }
    }
    if (bytes > 0) send_plain(plain, bytes);
  }

  std::size_t read(void* to, std::size_t at_least, std::size_t at_most) override {
    auto* out = static_cast<unsigned char*>(to);
    std::size_t got = 0;
    while (got < at_most) {
      const std::size_t needed = got < at_least ? at_least - got : 0;
      if (at_ == head_.size) {
        if (!next_head(needed > 0)) break;
        continue;
      }
      const std::size_t left = head_.size - at_;
      std::size_t now;
      if (head_.split) {
        // What has come by some lanes only is not looked for; where it is waited for, the writer has all of it.
        if (needed == 0) break;
        now = std::min(left, at_most - got);
        read_split(out + got, now);
      } else {
        now = take(out + got, std::min(needed, left), std::min(left, at_most - got));
        if (now == 0) break;
      }
      got += now;
      at_ += now;
    }
    return got;
  }

  void shut() noexcept override {
    for (auto& lane : lanes_) lane->shut();
  }
  void shut_for(const std::string& why) noexcept override {
    for (auto& lane : lanes_) lane->shut_for(why);
  }
  void set_patience(std::chrono::milliseconds patience) override {
    for (auto& lane : lanes_) lane->set_patience(patience);
  }
  std::string peer() const override { return lanes_.front()->peer(); }

private:
  using Hands = std::deque<Hand>;

  // Each lane's part by a thread, that of the first here. Where one fails, all end, so none waits for ever.
  template <class Work>
  void together(Hands& hands, const Work& work) {
    while (hands.size() + 1 < lanes_.size()) hands.emplace_back();
    std::mutex mutex;
    std::exception_ptr failure;
    const auto try_it = [&](std::size_t lane) noexcept {
      try {
        work(lane);
      } catch (const std::exception& error) {
        const std::string what = error.what();
        {
          const std::lock_guard<std::mutex> guard(mutex);
          if (!failure) failure = std::current_exception();
        }
        shut_for(what.substr(0, what.rfind("; ")));
      }
    };
    for (std::size_t n = 1; n < lanes_.size(); ++n) hands[n - 1].give([&try_it, n] { try_it(n); });
    try_it(0);
    for (Hand& hand : hands) hand.wait();
    if (failure) std::rethrow_exception(failure);
  }

  void send_plain(std::vector<Piece>& plain, std::size_t& bytes) {
    const Head head{static_cast<std::uint32_t>(bytes), 0};
    plain.front() = bytes_of(head);
    lanes_.front()->write(plain.data(), plain.size());
    plain.resize(1);
    bytes = 0;
  }

  // The plain pieces before it go by the same write.
  void send_split(std::vector<Piece>& plain, std::size_t& bytes, Piece piece) {
    const Head before{static_cast<std::uint32_t>(bytes), 0}, head{static_cast<std::uint32_t>(piece.size), 1};
    plain.front() = bytes > 0 ? bytes_of(before) : Piece{};
    plain.push_back(bytes_of(head));
    const auto piece_of_lane = [&](std::size_t lane) {
      const Part part = part_of(lane, lanes_.size(), piece.size, 0, piece.size);
      return Piece{static_cast<const char*>(piece.data) + part.begin, part.size};
    };
    plain.push_back(piece_of_lane(0));
    together(senders_, [&](std::size_t lane) {
      if (lane == 0)
        lanes_.front()->write(plain.data(), plain.size());
      else
        lanes_[lane]->write(piece_of_lane(lane));
    });
    plain.resize(1);
    bytes = 0;
  }

  // False: it has not come, and is not waited for.
  bool next_head(bool waits) {
    auto* to = reinterpret_cast<unsigned char*>(&coming_);
    const std::size_t left = sizeof coming_ - come_;
    come_ += take(to + come_, waits ? left : 0, left);
    if (come_ < sizeof coming_) return false;
    come_ = 0;
    at_ = 0;
    head_ = coming_;
    return true;
  }

  void read_split(unsigned char* out, std::size_t size) {
    const std::size_t end = at_ + size;
    const auto part = [&](std::size_t lane) { return part_of(lane, lanes_.size(), head_.size, at_, end); };
    const auto read_part = [&](std::size_t lane) {
      const Part mine = part(lane);
      if (mine.size == 0) return;
      unsigned char* to = out + (mine.begin - at_);
      if (lane == 0)
        take(to, mine.size, mine.size);
      else
        lanes_[lane]->read(to, mine.size, mine.size);
    };
    together(readers_, read_part);
  }

  // What the first lane brings: heads and small pieces by way of a buffer, so that each costs no call of the system.
  std::size_t take(unsigned char* to, std::size_t at_least, std::size_t at_most) {
    std::size_t got = 0;
    for (;;) {
      const std::size_t here = std::min(at_most - got, end_ - begin_);
      if (here > 0) std::memcpy(to + got, buffer_.data() + begin_, here);
      begin_ += here;
      got += here;
      if (got == at_most || (got >= at_least && got > 0)) return got;
      const std::size_t needed = at_least > got ? at_least - got : 0;
      if (at_most - got >= buffer_.size()) return got + lanes_.front()->read(to + got, needed, at_most - got);
      begin_ = end_ = 0;
      end_ = lanes_.front()->read(buffer_.data(), std::min<std::size_t>(needed, 1), buffer_.size());
      if (end_ == 0) return got;
    }
  }

  std::vector<std::unique_ptr<Link>> lanes_;
  Head head_; // of what is being read
  std::size_t at_ = 0;
  Head coming_;
  std::size_t come_ = 0; // bytes of it that are here
  std::vector<unsigned char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  Hands senders_, readers_; // from the first split piece on
};

} // namespace

std::unique_ptr<Link> laned(std::unique_ptr<Link> first, std::vector<std::unique_ptr<Link>> others) {
  if (others.empty()) return first;
  return std::make_unique<LanedLink>(std::move(first), std::move(others));
}

} // namespace tasuki::remote
