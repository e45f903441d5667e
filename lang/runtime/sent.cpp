#include "sent.hpp"

#include <tasuki/base/gather.hpp>
#include <tasuki/base/log.hpp>

#include <algorithm>
#include <sstream>

namespace tasuki::xmp {

void Sent::add(const char* where, const std::string& arrays, const Reflect& plan) {
  Sum& sum = of_[std::string(where) + ": reflect (" + arrays + ")"];
  ++sum.times;
  for (std::size_t k = 0; k < kChannels.size(); ++k) sum.bytes[k] += plan.bytes(static_cast<ChannelKind>(k));
}

void Sent::tell() const {
  if (!on_) return;
  std::ostringstream lines; // ranks may have done different ones
  for (const auto& [what, sum] : of_) {
    lines << what << '\t' << sum.times;
    for (const long bytes : sum.bytes) lines << ' ' << bytes;
    lines << '\n';
  }
  const std::string mine = lines.str();
  std::map<std::string, Sum> all;
  for (const std::vector<char>& piece : gather_on_root(world_, {mine.begin(), mine.end()})) {
    std::istringstream text(std::string(piece.begin(), piece.end()));
    for (std::string what; std::getline(text, what, '\t');) {
      long times = 0;
      text >> times;
      Sum& sum = all[what];
      sum.times = std::max(sum.times, times);
      for (long& total : sum.bytes) {
        long bytes = 0;
        text >> bytes;
        total += bytes;
      }
      text.ignore(); // the end of the line
    }
  }
  for (const auto& [what, sum] : all)
    log_info(world_, [&, &what = what, &sum = sum] {
      std::string line = what + ": " + std::to_string(sum.times) + " times, all ranks each time";
      for (std::size_t k = 0; k < kChannels.size(); ++k)
        line +=
            (k ? ", " : " ") + std::to_string(sum.bytes[k] / sum.times) + " bytes by " + kChannels[k].name;
      return line;
    });
}

} // namespace tasuki::xmp
