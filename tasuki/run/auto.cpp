// The executor that is fastest for a program here. A short run takes the one with the least predicted time; a long one
// tries the candidates on its own first steps, which are the same steps whoever does them, and keeps the best; but not
// where looks at `until` are late. What was chosen is kept with the program, and not asked again in its next run.
#include <tasuki/base/reduce.hpp>
#include <tasuki/model/predict.hpp>
#include <tasuki/route/tuning.hpp>
#include <tasuki/run/executor.hpp>
#include <tasuki/run/run.hpp>

#include <algorithm>
#include <chrono>
#include <limits>

namespace tasuki {
namespace {

constexpr long kLongRun = 1024; // steps that are worth a trial
constexpr double kHopeless = 8; // times the least predicted time: not tried

// What a trial found, or the model, for runs of the same program that follow.
struct Choice {
  std::string tried, predicted;
};

class Auto final : public Executor {
public:
  Auto(Device& device, Choice& choice, std::vector<std::unique_ptr<Executor>> candidates, long trial)
      : device_(device),
        choice_(choice),
        candidates_(std::move(candidates)),
        trial_(trial),
        seconds_(candidates_.size(), 0) {}

  const char* name() const override { return candidates_[at_]->name(); }
  std::map<std::string, double> tried() const override {
    std::map<std::string, double> tried;
    for (std::size_t k = 0; k < candidates_.size(); ++k)
      if (seconds_[k] > 0) tried[candidates_[k]->name()] = seconds_[k];
    return tried;
  }
  void prepare(Walk& walk, long first, long last) override {
    for (const auto& candidate : candidates_) candidate->prepare(walk, first, last);
  }
  bool judges(const Until& until) const override { return candidates_[at_]->judges(until); }

  Advance advance(Walk& walk, long first, long last) override {
    if (!trying_) return candidates_[at_]->advance(walk, first, last);
    if (in_trial_ == 0) { // what the one before has enqueued is not this one's
      device_.stream().synchronize();
      clock_ = now();
    }
    const long want = warm_ ? trial_ : trial_ / 4;
    const Advance advance =
        candidates_[at_]->advance(walk, first, std::min(last, first + want - in_trial_ - 1));
    in_trial_ += advance.done - first + 1;
    if (in_trial_ < want && !advance.reached) return advance;
    device_.stream().synchronize();
    if (!warm_) { // the first steps make what is kept
      warm_ = true;
      in_trial_ = 0;
      return advance;
    }
    seconds_[at_] = (now() - clock_) / static_cast<double>(in_trial_);
    warm_ = false;
    in_trial_ = 0;
    walk.settle();
    walk.jumped();
    if (at_ + 1 < candidates_.size())
      ++at_;
    else
      choose();
    candidates_[at_]->take_over();
    return advance;
  }

private:
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  // The slowest rank counts; every rank finds the same.
  void choose() {
    seconds_ = reduce_max(device_.world(), seconds_);
    at_ = static_cast<std::size_t>(std::min_element(seconds_.begin(), seconds_.end()) - seconds_.begin());
    choice_.tried = name();
    trying_ = false;
  }

  Device& device_;
  Choice& choice_;
  std::vector<std::unique_ptr<Executor>> candidates_;
  long trial_;
  std::vector<double> seconds_; // a step
  std::size_t at_ = 0;
  bool trying_ = true, warm_ = false;
  long in_trial_ = 0;
  double clock_ = 0;
};

} // namespace

std::unique_ptr<Executor> make_auto(const Program& program, const Until& until, long times,
                                    const ExecutorTable& table) {
  Device& device = program.grid().device();
  Choice& choice = program.planner().part<Choice>();
  // A verdict that comes late is under way in the one that looked: the steps until it are not another's.
  const bool tries = times >= kLongRun && until.late == 0;
  const std::string& known = choice.tried.empty() && !tries ? choice.predicted : choice.tried;
  for (const Candidate& candidate : table)
    if (candidate.name() == known) return candidate.make(program, until);
  const Tuning& constants = tuning(device.world());
  struct Entry {
    const Candidate* candidate;
    double predicted;
  };
  std::vector<Entry> entries;
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate& candidate : table) {
    if (!candidate.trouble(program).empty()) continue;
    const Prediction prediction = predict(program, candidate.name(), 0, constants);
    entries.push_back({&candidate, prediction.seconds()});
    least = std::min(least, prediction.seconds());
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.predicted < b.predicted; });
  choice.predicted = entries.front().candidate->name();
  if (entries.size() == 1) choice.tried = choice.predicted;
  if (!tries || entries.size() == 1) return entries.front().candidate->make(program, until);
  std::vector<std::unique_ptr<Executor>> candidates;
  for (const Entry& entry : entries)
    if (entry.predicted < kHopeless * least) candidates.push_back(entry.candidate->make(program, until));
  const long trial = std::clamp(times / 64, 16l, 512l);
  return std::make_unique<Auto>(device, choice, std::move(candidates), trial);
}

} // namespace tasuki
