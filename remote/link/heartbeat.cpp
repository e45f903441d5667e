#include <remote/link/heartbeat.hpp>

#include <remote/link/quiet_thread.hpp>

#include <utility>

namespace tasuki::remote {

namespace {

struct Both { // what a beat is, either way
  unsigned char turn = 0;
  unsigned char flag = 0; // of the client: it can go elsewhere; of the worker: its server is about to end
};

std::string seconds(std::chrono::milliseconds time) {
  const std::string text = std::to_string(static_cast<double>(time.count()) / 1000);
  return text.substr(0, text.find('.') + 2) + " s";
}

} // namespace

Heartbeat::Heartbeat(std::unique_ptr<Link> lane, Beat beat, std::function<void(const std::string&)> lost)
    : lane_(std::move(lane)), beat_(beat), lost_(std::move(lost)) {
  lane_->set_patience(beat_.silence);
  thread_ = quiet_thread([this] { watch(); });
}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    over_ = true;
  }
  wake_.notify_all();
  lane_->shut();
  thread_.join();
}

void Heartbeat::watch() {
  const auto begin = std::chrono::steady_clock::now();
  auto heard = begin;
  try {
    for (unsigned char turn = 0;; ++turn) {
      const Both beat{turn, movable_};
      lane_->write(bytes_of(beat));
      Both answer;
      do lane_->read(&answer, sizeof answer, sizeof answer);
      while (answer.turn != turn);
      if (answer.flag) leaving_ = true;
      heard = std::chrono::steady_clock::now();
      std::unique_lock<std::mutex> guard(mutex_);
      if (wake_.wait_for(guard, beat_.every, [this] { return over_; })) return;
    }
  } catch (const LinkLost&) {
    const auto silent =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - heard);
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      if (over_) return;
    }
    lost_(silent >= beat_.silence ? lane_->peer() + " has been silent for " + seconds(silent)
                                  : "the worker of " + lane_->peer() + " has ended");
  }
}

void answer_beats(Link& lane, const Pulse& pulse) noexcept {
  try {
    bool told = false; // the client has heard it, and had time for an answer
    for (;;) {
      Both beat;
      lane.read(&beat, sizeof beat, sizeof beat);
      if (told && !beat.flag && pulse.stays) pulse.stays();
      told = beat.flag = pulse.leaving;
      lane.write(bytes_of(beat));
    }
  } catch (const LinkLost&) {}
}

} // namespace tasuki::remote
