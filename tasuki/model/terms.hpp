// A model that is a sum of terms in the number of devices, read from a file: what a study published, or what
// somebody fitted. No expressions: a term is a time that grows with a power of n.
#pragma once

#include <tasuki/model/parts.hpp>

#include <string>
#include <vector>

namespace tasuki {

// count * n^power * (seconds + bytes / bytes_per_second); with `log2` times the rounds of a tree, ceil(log2
// n), too.
struct Term {
  std::string name;
  Part part = Part::compute;
  double count = 1;
  double seconds = 0;
  double bytes = 0, bytes_per_second = 1;
  double power =
      0; // -1: work that is shared out, 0: whatever n is, 1: done once a device, one after the other
  bool log2 = false;

  double at(double devices) const; // seconds
};

struct TermModel {
  struct Case {
    std::string name; // empty where the file has one case
    std::vector<Term> terms;

    Parts at(double devices) const;
  };
  std::string name, source;
  std::vector<int> devices; // that the file's author asks about; may be empty
  std::vector<Case> cases;  // at least one
};

// The file's JSON: {"schema": 1, "name", "source", "devices": [..], "terms": [..], "cases": [{"name",
// "terms"}]}; a case has the terms of the file and its own. Throws Error where the file cannot be read or
// says something else.
TermModel load_terms(const std::string& path);
TermModel parse_terms(const std::string& text, const std::string& path);

} // namespace tasuki
