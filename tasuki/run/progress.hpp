// The progress of a long run: a bar on a terminal, a line from time to time elsewhere, JSON lines for a front end.
#pragma once

#include <string>
#include <utility>

namespace tasuki {

struct Progress {
  std::string label;          // empty: shown only if --progress selects a style and settings have a name
  double work_per_step = 0;   // in units, for the rate; 0: the rate counts steps
  std::string unit = "steps"; // "Gcell", "GFLOP"
  std::string per = "s";      // time unit of the rate: "s", "day"
};

// Printed by rank 0 on standard error.
class ProgressView {
public:
  // `style`: the value of --progress. A run without a label is called `unnamed` if --progress names a
  // style, and shows nothing if it has one step or ends soon: a program may have thousands of such runs.
  ProgressView(const Progress& progress, const std::string& style, bool speaks, long first, long last,
               const std::string& unnamed = "");
  ~ProgressView();

  void note(std::string text) { note_ = std::move(text); } // additional text, until the next call
  // Shows the progress so far, as often as the style requires. Part of a step improves the estimate of the time left.
  void show(double done, double seconds);
  void finish(long done, double seconds);

private:
  enum class Style { none, bar, lines, json };
  void print(double so_far, double seconds);
  double first_look() const; // seconds until the first output, and between outputs

  Progress progress_;
  std::string note_;
  Style style_ = Style::none;
  long first_, last_;
  bool brief_ = false; // the program has set no label
  double next_ = 0;
  bool open_line_ = false;
};

} // namespace tasuki
