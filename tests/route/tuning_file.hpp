// Files of constants for tests: written by rank 0, seen by all, gone at the end.
#pragma once

#include <tasuki/route/tuning.hpp>
#include <tests/support.hpp>

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace tasuki::test {

// Collective.
class TuningFile {
public:
  explicit TuningFile(const std::string& text) {
    int id = static_cast<int>(getpid());
    static int number = 0;
    ++number;
    MPI_Bcast(&id, 1, MPI_INT, 0, world().comm());
    path_ = "/tmp/tasuki-tuning-" + std::to_string(id) + "-" + std::to_string(number) + ".json";
    if (world().rank() == 0) std::ofstream(path_) << text;
    MPI_Barrier(world().comm());
  }
  ~TuningFile() {
    MPI_Barrier(world().comm());
    if (world().rank() == 0) std::remove(path_.c_str());
  }
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

// Constants as if they had been measured here.
inline Tuning made_up(std::vector<Line> lines) {
  Tuning t = Tuning::built_in(device().kind());
  t.machine = machine_of(device());
  t.measured = true;
  t.lines = std::move(lines);
  return t;
}

inline Line made_up_line(ChannelKind channel, PairKind pair, double latency, double bandwidth,
                         PeerMode mode = PeerMode::stores) {
  return {channel, mode, FaceShape::block, 0, pair, latency, bandwidth, 0, {}};
}

} // namespace tasuki::test
