// Predicted times over numbers of devices, as people and as programs read them.
#pragma once

#include <tasuki/model/parts.hpp>

#include <string>
#include <vector>

namespace tasuki::model {

struct Row {
  std::string series; // an executor, or a case of a model of terms
  int devices = 1;
  int halo = 0;               // 0: not known; kDirectHalo
  std::vector<int> ranks;     // process grid, x first; empty: not known
  std::vector<long> block;    // cells of the block that is looked at
  double cells = 0, sent = 0; // done and bytes sent to others in a step, by this block
  Parts parts;                // seconds
  double efficiency = 1;      // of strong scaling, or of weak, against the first row of the series
  std::string not_here;       // why there is no prediction
  std::string program;        // with its size; empty: that of the table
  double measured = 0;        // seconds; 0: not measured
  bool calibrates = false;    // the prediction was made to agree with this measurement
  bool chosen = false;        // the fastest of this number of devices
};

struct Table {
  std::string name, source;
  std::vector<Row> rows;
  bool weak = false; // each device has as much to do, however many there are

  // Fills efficiency and chosen. `one_series`: whatever their names, the rows go on from each other.
  void rate(bool one_series = false);
};

std::string to_text(const Table& table);
std::string to_json(const Table& table);

} // namespace tasuki::model
