#include <remote/link/trial.hpp>

#include <charconv>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

namespace tasuki::remote {

namespace {

using Clock = std::chrono::steady_clock;

// A write returns at once, and a thread sends the bytes later: the latency adds to the time of each message, but does
// not occupy the writer.
class TriedLink : public Link {
public:
  TriedLink(std::unique_ptr<Link> link, const Trial& trial) : link_(std::move(link)), trial_(trial) {
    thread_ = std::thread([this] { send(); });
  }
  ~TriedLink() override {
    shut();
    thread_.join();
  }

  using Link::write;
  void write(const Piece* pieces, std::size_t count) override {
    std::vector<char> bytes;
    for (std::size_t i = 0; i < count; ++i) {
      const char* from = static_cast<const char*>(pieces[i].data);
      bytes.insert(bytes.end(), from, from + pieces[i].size);
    }
    const std::lock_guard<std::mutex> guard(mutex_);
    if (over_) throw LinkLost("the connection to " + peer() + " is gone (it was cut)", "this is a trial");
    if (trial_.flip >= written_ && trial_.flip - written_ < bytes.size()) bytes[trial_.flip - written_] ^= 1;
    written_ += bytes.size();
    waiting_.push_back({Clock::now() + trial_.delay, std::move(bytes)});
    wake_.notify_all();
  }
  std::size_t read(void* to, std::size_t at_least, std::size_t at_most) override {
    return link_->read(to, at_least, at_most);
  }
  void shut() noexcept override { end(""); }
  void shut_for(const std::string& why) noexcept override { end(why); }
  void set_patience(std::chrono::milliseconds patience) override { link_->set_patience(patience); }
  std::string peer() const override { return link_->peer(); }
  bool passes_files() const override { return link_->passes_files(); }
  void pass_file(int file) override { link_->pass_file(file); }
  int take_file() override { return link_->take_file(); }

private:
  struct Message {
    Clock::time_point leaves;
    std::vector<char> bytes;
  };

  void end(const std::string& why) noexcept {
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      over_ = true;
    }
    wake_.notify_all();
    if (why.empty())
      link_->shut();
    else
      link_->shut_for(why);
  }

  void send() {
    std::uint64_t sent = 0;
    std::unique_lock<std::mutex> guard(mutex_);
    while (!over_) {
      if (waiting_.empty()) {
        wake_.wait(guard);
        continue;
      }
      const Clock::time_point leaves = waiting_.front().leaves;
      if (Clock::now() < leaves) {
        wake_.wait_until(guard, leaves);
        continue;
      }
      const Message message = std::move(waiting_.front());
      waiting_.pop_front();
      guard.unlock();
      const std::uint64_t end = sent + message.bytes.size(), stop = std::min(trial_.cut, trial_.freeze);
      const std::size_t goes = stop <= sent ? 0 : static_cast<std::size_t>(std::min(end, stop) - sent);
      try {
        if (goes > 0) link_->write({message.bytes.data(), goes});
      } catch (const LinkLost&) {
        goes_no_more();
      }
      if (trial_.cut <= end) goes_no_more();
      sent = end;
      guard.lock();
    }
  }
  void goes_no_more() noexcept { end("the connection to " + peer() + " is gone (it was cut)"); }

  std::unique_ptr<Link> link_;
  Trial trial_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Message> waiting_;
  std::uint64_t written_ = 0;
  bool over_ = false;
  std::thread thread_;
};

} // namespace

Trial parse_trial(const std::string& text) {
  Trial trial;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const char* from = equals == std::string::npos ? "" : word.c_str() + equals + 1;
    std::uint64_t number = 0;
    const auto [end, fault] = std::from_chars(from, from + std::strlen(from), number);
    const std::string unit = end;
    const std::int64_t scale = unit == "us" ? 1000 : unit == "ms" ? 1000000 : unit == "s" ? 1000000000 : 0;
    if (fault == std::errc() && name == "delay" && scale > 0 && number < 1000000)
      trial.delay = std::chrono::nanoseconds(static_cast<std::int64_t>(number) * scale);
    else if (fault == std::errc() && name == "cut" && unit.empty())
      trial.cut = number;
    else if (fault == std::errc() && name == "freeze" && unit.empty())
      trial.freeze = number;
    else if (fault == std::errc() && name == "flip" && unit.empty())
      trial.flip = number;
    else
      throw Error("'" + word + "' is no trial of a link",
                  "give delay=100us (ms, s), cut=BYTES, freeze=BYTES or flip=BYTES");
  }
  return trial;
}

std::unique_ptr<Link> tried(std::unique_ptr<Link> link, const Trial& trial) {
  return std::make_unique<TriedLink>(std::move(link), trial);
}

} // namespace tasuki::remote
