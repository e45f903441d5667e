#include <remote/client/agreement.hpp>

#include <cstdio>

namespace tasuki::remote {

void Agreement::missed(const std::string& what) {
  std::fprintf(stderr, "tasuki: %s\n", what.c_str());
  std::lock_guard hold(mutex_);
  ++missed_;
  if (lines_.size() < lines_kept) lines_.push_back(what);
}

std::string Agreement::summary() const {
  std::lock_guard hold(mutex_);
  if (!reached_ && !missed_) return "";
  std::string text = "tasuki: replicas agreed on " + std::to_string(reached_) +
                     " copies, and did not at first on " + std::to_string(missed_) + "\n";
  for (const std::string& line : lines_) text += "tasuki: " + line + "\n";
  return text;
}

} // namespace tasuki::remote
