// The fastest executors that trials of earlier runs on this machine found, by program. `auto` starts with such a one.
//   const auto& learned = device.part<Learned>();
//   std::string executor = learned.find(situation_of(program, looks)); // "" if none is known
//   learned.keep(situation_of(program, looks), "resident");
// Stored beside the constants of `tasuki tune`, in ~/.cache/tasuki/learned-KEY.json. A file of another version or a
// damaged file is ignored, as are entries older than a month. A wrong entry costs time, but does not change results.
#pragma once

#include <tasuki/model/description.hpp>
#include <tasuki/program/program.hpp>
#include <tasuki/route/tuning.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace tasuki {

// A hash of everything that determines the fastest executor: the program's items, its grid, cut and halo, the ranks and
// their threads, options that affect speed, and how the run evaluates `until`. The same on every rank.
std::uint64_t situation_of(const Program& program, const Looks& looks);

// The contents of the file.
struct LearnedTable {
  struct Entry {
    std::string executor;
    long day = 0; // since 1970
  };
  static constexpr std::size_t kMost = 4096; // entries; the oldest are removed first
  static constexpr long kDays = 30;

  std::map<std::string, Entry> entries; // by situation, as sixteen hexadecimal digits

  static LearnedTable parse(const std::string& text); // empty if the text is not of this version
  std::string json() const;
  std::string find(std::uint64_t situation, long today) const;
  void keep(std::uint64_t situation, const std::string& executor, long today);
};

class Learned {
public:
  // With `--tuning none`, nothing is read or stored. Collective.
  explicit Learned(Device& device);

  std::string find(std::uint64_t situation) const; // collective
  // By rank 0, merged with the entries that other runs have stored meanwhile. An unwritable file is left as it is.
  void keep(std::uint64_t situation, const std::string& executor) const;

  static std::string path_of(const Machine& machine);

private:
  World& world_;
  std::string path_;   // "": nothing is read or stored
  LearnedTable table_; // on rank 0, as first read from the file
};

} // namespace tasuki
