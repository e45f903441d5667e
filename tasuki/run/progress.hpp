// The progress of a long run: a bar on a terminal, a line from time to time elsewhere, JSON lines for a front end.
//
//   const ts::Program steps = ts::program(ts::sweep(Relax{}, grid.inner(1), ts::reads(u, ts::star(1)), ts::writes(v)));
//   ts::Progress progress{.label = "heat", .work_per_step = 1e-9 * 512 * 512, .unit = "Gcell"}; // shows Gcell/s
//   ts::run(steps, {.times = 100000, .progress = progress});
//
// Rates are in `unit` per `per`. `--progress bar|lines|json|none` chooses the style.
#pragma once

#include <string>
#include <utility>

namespace tasuki {

// What a run shows of its progress; an option of run().
struct Progress {
  std::string label;          // empty: shown only if --progress selects a style and settings have a name
  double work_per_step = 0;   // in units, for the rate; 0: the rate counts steps
  std::string unit = "steps"; // "Gcell", "GFLOP"
  std::string per = "s";      // time unit of the rate: "s", "day"
};

// Asks a front end (`style` is json) to draw the snapshot `path` when the run has ended. For rank 0; other styles do
// nothing, since the file is there for `tasuki plot`.
void ask_for_pictures(const std::string& style, const std::string& path);

// Printed by rank 0 on standard error.
class ProgressView {
public:
  // `style`: the value of --progress. A run without a label is called `unnamed` if --progress names a
  // style, and shows nothing if it has one step or ends soon: a program may have thousands of such runs.
  ProgressView(const Progress& progress, const std::string& style, bool speaks, long first, long last,
               const std::string& unnamed = "");
  ~ProgressView();

  void note(std::string text) { note_ = std::move(text); } // additional text, until the next call
  // Shows the progress so far, `done` steps in `seconds`, as often as the style requires. Part of a step improves the
  // estimate of the time left.
  void show(double done, double seconds);
  void finish(long done, double seconds); // the last output, after step `done`

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
