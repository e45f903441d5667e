#include <tasuki/run/progress.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tasuki {
namespace {

std::string duration(double seconds) {
  const long s = static_cast<long>(seconds + 0.5);
  return s >= 3600 ? fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
                   : fmt::format("{}:{:02}", s / 60, s % 60);
}

} // namespace

void ask_for_pictures(const std::string& style, const std::string& path) {
  if (style != "json") return;
  const nlohmann::json line = {{"snapshot", std::filesystem::absolute(path).string()}};
  std::fprintf(stderr, "@pictures %s\n", line.dump().c_str());
}

ProgressView::ProgressView(const Progress& progress, const std::string& style, bool speaks, long first,
                           long last, const std::string& unnamed)
    : progress_(progress), first_(first), last_(last), brief_(progress.label.empty()) {
  if (!speaks || style == "none") return;
  if (brief_) progress_.label = style == "auto" || last - first < 2 ? "" : unnamed;
  if (progress_.label.empty()) return;
  style_ = style == "json"                                                ? Style::json
           : style == "bar" || (style == "auto" && isatty(STDERR_FILENO)) ? Style::bar
                                                                          : Style::lines;
  next_ = first_look();
}

ProgressView::~ProgressView() {
  if (open_line_) std::fputc('\n', stderr);
}

double ProgressView::first_look() const { return style_ == Style::lines ? 10 : 0.2; }

void ProgressView::show(double done, double seconds) {
  if (style_ == Style::none || seconds < next_) return;
  print(done, seconds);
  next_ = seconds + first_look();
}

void ProgressView::finish(long done, double seconds) {
  // A short run prints no line.
  if (style_ == Style::none || ((brief_ || style_ == Style::lines) && next_ == first_look())) return;
  print(static_cast<double>(done), seconds);
  if (open_line_) std::fputc('\n', stderr);
  open_line_ = false;
}

void ProgressView::print(double so_far, double seconds) {
  const double steps = so_far - static_cast<double>(first_);
  const long done = static_cast<long>(so_far);
  const double per_second = seconds > 0 ? steps / seconds : 0;
  const double work = progress_.work_per_step > 0 ? progress_.work_per_step : 1;
  const double rate = per_second * work * (progress_.per == "day" ? 86400 : 1);
  const std::string unit = progress_.unit + "/" + progress_.per;
  const double left = per_second > 0 ? (static_cast<double>(last_) - so_far) / per_second : 0;
  if (style_ == Style::json) {
    nlohmann::json line = {{"label", progress_.label}, {"done", done}, {"total", last_},
                           {"seconds", seconds},       {"rate", rate}, {"unit", unit}};
    if (!note_.empty()) line["note"] = note_;
    std::fprintf(stderr, "@progress %s\n", line.dump().c_str());
    return;
  }
  const std::string text = fmt::format("{} {}/{} steps, {:.4g} {}, {}{}{} left", progress_.label, done, last_,
                                       rate, unit, note_, note_.empty() ? "" : ", ", duration(left));
  if (style_ == Style::lines) {
    std::fprintf(stderr, "%s\n", text.c_str());
    return;
  }
  const int width = 30,
            full = last_ > 0 ? static_cast<int>(width * so_far / static_cast<double>(last_)) : width;
  std::fprintf(stderr, "\r[%s%s] %s\033[K", std::string(full, '#').c_str(),
               std::string(width - full, '.').c_str(), text.c_str());
  std::fflush(stderr);
  open_line_ = true;
}

} // namespace tasuki
