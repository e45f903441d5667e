#include <apps/argon/exchange/ladder.hpp>
#include <tasuki/base/error.hpp>
#include <tasuki/base/number.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace tasuki::argon {
namespace {

void check_increasing(const std::vector<double>& values, const char* what, const char* unit) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]))
      throw Error(fmt::format("{} {} of the ladder is no number", what, i), "give finite numbers");
    if (i > 0 && !(values[i] > values[i - 1]))
      throw Error(fmt::format("the ladder does not increase: {} {} is {:.9g} {}, the one before is {:.9g} {}",
                              what, i, values[i], unit, values[i - 1], unit),
                  "give each value once, the lowest first");
  }
}

} // namespace

Ladder::Ladder(std::vector<double> temperatures_K, std::vector<double> pressures_bar)
    : temperatures(std::move(temperatures_K)), pressures(std::move(pressures_bar)) {
  if (temperatures.empty()) throw Error("the ladder has no temperature", "give one or more");
  check_increasing(temperatures, "temperature", "K");
  check_increasing(pressures, "pressure", "bar");
  if (!(temperatures.front() > 0))
    throw Error(fmt::format("the ladder begins at {:.9g} K", temperatures.front()),
                "give temperatures above 0 K");
}

std::vector<double> geometric(double low, double high, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i)
    values.push_back(i == 0 ? low : i == count - 1 ? high : low * std::pow(high / low, i / (count - 1.0)));
  return values;
}

std::vector<double> linear(double low, double high, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i)
    values.push_back(i == 0 ? low : i == count - 1 ? high : low + (high - low) * i / (count - 1.0));
  return values;
}

std::vector<double> given(const std::string& text, const std::string& option) {
  std::string list = text;
  if (std::ifstream file(text); file.good()) {
    std::ostringstream all;
    all << file.rdbuf();
    list = all.str();
  }
  for (char& c : list)
    if (c == ',' || c == ';') c = ' ';
  std::istringstream words(list);
  std::vector<double> values;
  for (std::string word; words >> word;) {
    try {
      values.push_back(parse_number<double>(word, option));
    } catch (const Error&) {
      throw Error(quoted(option, word) + " is neither a number nor a file",
                  "give numbers apart by commas, or the name of a file with them");
    }
  }
  if (values.empty()) throw Error(option + " '" + text + "' holds no number", "give one or more");
  return values;
}

double distance(double beta_a, double beta_b, double mean_a, double mean_b) {
  return std::sqrt(std::max(0.0, (beta_a - beta_b) * (mean_b - mean_a)));
}

std::vector<double> even(const std::vector<double>& temperatures, const std::vector<double>& distances) {
  const std::size_t rungs = temperatures.size();
  if (rungs < 3) return temperatures;
  std::vector<double> at(rungs, 0.0); // distance of each given temperature from the first
  for (std::size_t i = 1; i < rungs; ++i) at[i] = at[i - 1] + std::max(1e-6, distances[i - 1]);
  std::vector<double> spaced = temperatures;
  for (std::size_t k = 1, i = 1; k + 1 < rungs; ++k) {
    const double wanted = at.back() * static_cast<double>(k) / static_cast<double>(rungs - 1);
    while (at[i] < wanted) ++i;
    const double share = (wanted - at[i - 1]) / (at[i] - at[i - 1]);
    spaced[k] = temperatures[i - 1] * std::pow(temperatures[i] / temperatures[i - 1], share);
  }
  return spaced;
}

} // namespace tasuki::argon
