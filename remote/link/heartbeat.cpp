#include <remote/link/heartbeat.hpp>

#include <remote/link/quiet_thread.hpp>

#include <utility>

namespace tasuki::remote {

namespace {

struct FromClient {
  unsigned char turn = 0;
  unsigned char movable = 0; // it can go elsewhere
  unsigned char reports = 0; // there is a report
  unsigned char zeros[5] = {};
  Report report;
};
static_assert(sizeof(FromClient) == kBeatBytes);
struct FromWorker {
  unsigned char turn = 0;
  unsigned char leaving = 0; // its server is about to end
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

void Heartbeat::set_report(std::function<Report()> report) {
  const std::lock_guard<std::mutex> guard(mutex_);
  report_ = std::move(report);
  fresh_ = true;
  wake_.notify_all();
}

void Heartbeat::watch() {
  const auto beat = [this](unsigned char turn) {
    FromClient beat;
    beat.turn = turn;
    beat.movable = movable_;
    const std::lock_guard<std::mutex> guard(mutex_);
    fresh_ = false;
    beat.reports = report_ != nullptr;
    if (report_) beat.report = report_();
    return beat;
  };
  const auto begin = std::chrono::steady_clock::now();
  auto heard = begin;
  try {
    for (unsigned char turn = 0;; ++turn) {
      lane_->write(bytes_of(beat(turn)));
      FromWorker answer;
      do lane_->read(&answer, sizeof answer, sizeof answer);
      while (answer.turn != turn);
      if (answer.leaving) leaving_ = true;
      heard = std::chrono::steady_clock::now();
      std::unique_lock<std::mutex> guard(mutex_);
      if (wake_.wait_for(guard, beat_.every, [this] { return over_ || fresh_; }) && over_) return;
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
      FromClient beat;
      lane.read(&beat, sizeof beat, sizeof beat);
      if (told && !beat.movable && pulse.stays) pulse.stays();
      if (beat.reports && pulse.reported) pulse.reported(beat.report);
      told = pulse.leaving;
      lane.write(bytes_of(FromWorker{beat.turn, told}));
    }
  } catch (const LinkLost&) {}
}

} // namespace tasuki::remote
