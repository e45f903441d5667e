#include <tasuki/base/error.hpp>
#include <tasuki/model/fit.hpp>

#include <algorithm>
#include <cmath>

namespace tasuki {
namespace {

// The penalty of a knob's factor: large enough to fix knobs that no measurement depends on, and too small to
// affect the others.
constexpr double kReluctance = 1e-4;
constexpr double kFurthest = 3; // largest logarithm of a factor: a factor of 20
constexpr int kRounds = 400;

Knob member(const char* name, double Constants::*value) {
  return {name, [value](Constants& c, double factor) { c.*value *= factor; }};
}

class Search {
public:
  Search(const Constants& start, const std::vector<Sample>& samples, const std::vector<Knob>& knobs)
      : start_(start), samples_(samples), knobs_(knobs), at_(knobs.size(), 0.0) {}

  Constants turned() const {
    Constants c = start_;
    for (std::size_t k = 0; k < knobs_.size(); ++k) knobs_[k].scale(c, std::exp(at_[k]));
    return c;
  }
  double distance() const { // mean square of the logarithms
    const Constants c = turned();
    double sum = 0;
    for (const Sample& sample : samples_) {
      const double away = std::log(sample.predicted(c) / sample.measured);
      sum += away * away;
    }
    return sum / static_cast<double>(samples_.size());
  }

  // Coordinate search: one knob at a time, with steps that shrink if neither direction improves and grow if one does.
  void run() {
    std::vector<double> step(knobs_.size(), 0.3);
    double least = penalised();
    for (int round = 0; round < kRounds; ++round) {
      double longest = 0;
      for (std::size_t k = 0; k < knobs_.size(); ++k) {
        const double here = at_[k];
        bool better = false;
        for (const double by : {step[k], -step[k]}) {
          at_[k] = here + by;
          if (std::abs(at_[k]) > kFurthest) continue;
          const double now = penalised();
          if (now < least) {
            least = now;
            better = true;
            step[k] = 1.5 * by;
            break;
          }
        }
        if (!better) {
          at_[k] = here;
          step[k] *= 0.5;
        }
        longest = std::max(longest, std::abs(step[k]));
      }
      if (longest < 1e-4) return;
    }
  }

  double at(std::size_t knob) const { return std::exp(at_[knob]); }

private:
  double penalised() const {
    double sum = distance();
    for (const double x : at_) sum += kReluctance * x * x;
    return sum;
  }

  const Constants& start_;
  const std::vector<Sample>& samples_;
  const std::vector<Knob>& knobs_;
  std::vector<double> at_; // logarithms of the factors
};

} // namespace

std::vector<Knob> usual_knobs(const std::vector<std::string>& sweeps) {
  std::vector<Knob> knobs = {member("launch", &Constants::launch),
                             member("gap", &Constants::gap),
                             member("graph_node", &Constants::graph_node),
                             member("barrier", &Constants::barrier),
                             member("flag", &Constants::flag),
                             member("reduce", &Constants::reduce),
                             member("synchronize", &Constants::synchronize),
                             member("collective", &Constants::collective),
                             member("step", &Constants::step),
                             member("cache", &Constants::cache),
                             member("cache_bytes", &Constants::cache_bytes),
                             member("chip", &Constants::chip),
                             member("word", &Constants::word),
                             member("tile_step", &Constants::tile_step)};
  const auto lines = [&](const std::string& name, ChannelKind channel, double Line::*value) {
    knobs.push_back({name, [channel, value](Constants& c, double factor) {
                       for (Line& line : c.tuning.lines)
                         if (line.channel == channel) line.*value *= factor;
                     }});
  };
  lines("peer latency", ChannelKind::peer, &Line::latency);
  lines("peer bandwidth", ChannelKind::peer, &Line::bandwidth);
  lines("self bandwidth", ChannelKind::self, &Line::bandwidth);
  for (const std::string& sweep : sweeps)
    knobs.push_back({sweep, [sweep](Constants& c, double factor) {
                       c.efficiency[sweep] = c.efficiency_of(sweep) * factor;
                     }});
  return knobs;
}

Fitted fit(Constants& constants, const std::vector<Sample>& samples, const std::vector<Knob>& knobs) {
  if (samples.empty()) throw Error("there is nothing to fit constants to", "give measured times");
  const Constants start = constants;
  Search search(start, samples, knobs);
  Fitted fitted;
  fitted.before = std::sqrt(search.distance());
  search.run();
  fitted.after = std::sqrt(search.distance());
  for (std::size_t k = 0; k < knobs.size(); ++k) fitted.factors.emplace_back(knobs[k].name, search.at(k));
  constants = search.turned();
  return fitted;
}

} // namespace tasuki
