// Selects the fastest executor for a program here. A short run uses the executor with the least predicted time. A long
// run tries the candidates on its first steps, whose results do not depend on the executor, and keeps the best, unless
// looks at `until` are late. The choice is stored with the program for its next run; the result of a trial is stored on
// this machine, and the next start of such a program begins with it.
#include <tasuki/base/log.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/model/predict.hpp>
#include <tasuki/route/tuning.hpp>
#include <tasuki/run/executor.hpp>
#include <tasuki/run/kept.hpp>
#include <tasuki/run/learned.hpp>
#include <tasuki/run/look.hpp>
#include <tasuki/run/trials.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>

namespace tasuki {
namespace {

constexpr long kLongRun = 1024;  // steps from which a run is worth a trial
constexpr long kAskingRun = 100; // .. and from which it is worth a look-up of earlier trials
constexpr double kHopeless = 4;  // executors whose predicted time is larger by this factor are not tried
// The shortest useful time of a trial in seconds, given the first launches of a graph or of a kernel of many steps (some
// 150 us on an H100), or the jitter of threads on a busy host.
constexpr double kTold = 500e-6, kToldOnHost = 1e-3;
constexpr double kOnce = 0.3; // of a trial's time on a GPU: the start and the end of a kernel of many steps

// "graph 12.5 us, eager 20 us a step"
template <class Times>
std::string text_of(const Times& seconds_a_step) {
  std::vector<std::string> texts;
  for (const auto& [name, seconds] : seconds_a_step)
    texts.push_back(fmt::format("{} {:.3g} us", name, 1e6 * seconds));
  return fmt::format("{} a step", fmt::join(texts, ", "));
}

class Auto final : public Executor {
public:
  Auto(Device& device, Choice& choice, std::uint64_t situation,
       std::vector<std::unique_ptr<Executor>> candidates, long steps)
      : device_(device),
        choice_(choice),
        situation_(situation),
        candidates_(std::move(candidates)),
        trials_(candidates_.size(), steps, device.cuda() ? kOnce : 0) {}
  ~Auto() override { // after the run, since disk writes may be slow
    if (trials_.over()) device_.part<Learned>().keep(situation_, name());
  }

  const char* name() const override { return now().name(); }
  std::map<std::string, double> tried() const override {
    std::map<std::string, double> tried;
    for (std::size_t k = 0; k < candidates_.size(); ++k)
      if (trials_.seconds()[k] > 0) tried[candidates_[k]->name()] = trials_.seconds()[k];
    return tried;
  }
  void prepare(Walk& walk, long first, long last) override {
    for (const auto& candidate : candidates_) candidate->prepare(walk, first, last);
  }
  bool judges(const Until& until) const override { return now().judges(until); }

  Advance advance(Walk& walk, long first, long last) override {
    if (trials_.over()) return now().advance(walk, first, last);
    if (in_piece_ == 0) { // excludes the work that the previous executor has enqueued
      device_.stream().synchronize();
      clock_ = seconds() - now().once();
    }
    const long want = trials_.want();
    const Advance advance = now().advance(walk, first, std::min(last, first + want - in_piece_ - 1));
    in_piece_ += advance.done - first + 1;
    if (in_piece_ < want && !advance.reached) return advance;
    device_.stream().synchronize();
    double took = (seconds() - now().once() - clock_) / static_cast<double>(in_piece_);
    if (trials_.timed()) took = reduce_max(device_.world(), std::vector{took})[0];
    in_piece_ = 0;
    const std::size_t before = trials_.at();
    trials_.done(took);
    if (trials_.over()) {
      choice_.tried = name();
      log_info(device_.world(),
               [&] { return fmt::format("executor {}, tried: {}", name(), text_of(tried())); });
    }
    if (trials_.over() || trials_.at() != before) {
      walk.settle();
      walk.jumped();
      now().take_over();
    }
    return advance;
  }

private:
  static double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  Executor& now() const { return *candidates_[trials_.at()]; }

  Device& device_;
  Choice& choice_;
  std::uint64_t situation_;
  std::vector<std::unique_ptr<Executor>> candidates_;
  Trials trials_;
  long in_piece_ = 0; // steps
  double clock_ = 0;  // when the piece began
};

} // namespace

std::unique_ptr<Executor> make_auto(const Program& program, const Until& until, long times,
                                    const ExecutorTable& table) {
  Device& device = program.grid().device();
  const Looks looks = looks_of(program, until);
  Choice& choice = Kept::of(program).choices[looks];
  // The late result of a look belongs to the executor that started it: another executor cannot do the steps until then.
  const bool tries = times >= kLongRun && (until.late == 0 || !until.tests);
  const std::string& known = choice.tried.empty() && !tries ? choice.predicted : choice.tried;
  const auto make = [&](const std::string& name) -> std::unique_ptr<Executor> {
    for (const Candidate& candidate : table)
      if (candidate.name() == name) return candidate.make(program, until);
    return nullptr;
  };
  if (auto executor = make(known)) {
    log_debug(device.world(), [&] { return fmt::format("executor {}, as in the run before it", known); });
    return executor;
  }

  const std::uint64_t situation = situation_of(program, looks);
  if (choice.tried.empty() && times >= kAskingRun) {
    const std::string learned = device.part<Learned>().find(situation);
    for (const Candidate& candidate : table)
      if (candidate.name() == learned && candidate.trouble(program).empty()) {
        choice.tried = learned;
        log_info(device.world(),
                 [&] { return fmt::format("executor {}, as trials of earlier runs found", learned); });
        return candidate.make(program, until);
      }
  }

  std::vector<Prediction> predictions;
  for (const Candidate& candidate : table) {
    const std::string why = candidate.trouble(program);
    if (why.empty())
      predictions.push_back(predict(program, candidate.name(), 0, tuning(device), looks));
    else
      log_info(device.world(),
               [&] { return fmt::format("executor {} cannot do this program: {}", candidate.name(), why); });
  }
  predictions = fastest_first(std::move(predictions));
  choice.predicted = predictions.front().executor;
  log_info(device.world(), [&] {
    std::vector<std::pair<std::string, double>> times;
    for (const Prediction& p : predictions) times.emplace_back(p.executor, p.seconds());
    return fmt::format("executor {}, predicted: {}", choice.predicted, text_of(times));
  });
  std::erase_if(predictions, [least = predictions.front().seconds()](const Prediction& p) {
    return p.seconds() >= kHopeless * least;
  });
  if (predictions.size() == 1) choice.tried = choice.predicted;
  if (!tries || predictions.size() == 1) return make(choice.predicted);
  log_info(device.world(),
           [&] { return fmt::format("the first steps try {} executors", predictions.size()); });
  std::vector<std::unique_ptr<Executor>> candidates;
  std::vector<double> predicted;
  for (const Prediction& prediction : predictions) {
    candidates.push_back(make(prediction.executor));
    predicted.push_back(prediction.seconds());
  }
  const long steps = trial_steps(predicted, times, device.cuda() ? kTold : kToldOnHost);
  return std::make_unique<Auto>(device, choice, situation, std::move(candidates), steps);
}

} // namespace tasuki
