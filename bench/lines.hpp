// Lines of JSON that rank 0 adds to a file as they are measured, so that one is there whatever comes next.
//
//   Lines kept(world.rank() == 0 ? options.out : "");
//   kept.add(row.dump());
#pragma once

#include <tasuki/base/error.hpp>
#include <tasuki/file/output.hpp>

#include <fstream>
#include <string>

namespace tasuki::bench {

class Lines {
public:
  // Of no path: keeps nothing. Throws Error where no file can be written there.
  explicit Lines(const std::string& path) : path_(path) {
    if (path.empty()) return;
    refuse_output(path, "--out");
    file_.open(path, std::ios::app);
  }

  void add(const std::string& line) {
    if (path_.empty()) return;
    file_ << line << std::endl;
    if (!file_) throw Error("cannot write " + path_, "choose another --out");
  }

private:
  std::string path_;
  std::ofstream file_;
};

} // namespace tasuki::bench
