// A model that is a sum of terms in the number of devices, read from a file: from a publication, or from
// a fit. There are no expressions: a term is a time that grows with a power of n.
#pragma once

#include <tasuki/model/parts.hpp>
#include <tasuki/route/tuning.hpp>

#include <string>
#include <vector>

namespace tasuki {

// What a space costs, as a term may name it.
enum class SpaceCost { none, touch, section, synchronisation };

// count * n^power * (seconds + bytes / bytes_per_second); if `log2`, also times ceil(log2 n), the rounds of
// a tree.
struct Term {
  std::string name;
  Part part = Part::compute;
  double count = 1;
  double seconds = 0;
  double bytes = 0, bytes_per_second = 1;
  double power =
      0; // -1: work divided among devices, 0: independent of n, 1: done once per device, sequentially
  bool log2 = false;
  SpaceCost of = SpaceCost::none; // its seconds, and bytes a second, are those of a space

  double at(double devices) const; // seconds
};

struct TermModel {
  struct Case {
    std::string name; // empty if the file has a single case
    std::vector<Term> terms;

    Parts at(double devices) const;
  };
  std::string name, source;
  bool weak = false;        // each device has the same amount of work, for any number of devices
  std::vector<int> devices; // default numbers of devices of the file's author; may be empty
  std::vector<Case> cases;  // at least one
};

// The file's JSON: {"schema": 1, "name", "source", "weak": true, "devices": [..], "terms": [..], "cases": [{"name",
// "terms"}]}; a case has the terms of the file and its own. Terms {"of": "touch" | "section" | "synchronisation"}
// take what a space costs from `here`, else from the file's {"space": {"touch", ..}}. Throws Error where the file cannot be read or
// says something else.
TermModel load_terms(const std::string& path, const SpaceConstants* here = nullptr);
TermModel parse_terms(const std::string& text, const std::string& path, const SpaceConstants* here = nullptr);

} // namespace tasuki
