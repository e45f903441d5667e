// What trials of earlier runs found on this machine: which executor a program is fastest by. `auto` begins with it.
//   const auto& learned = device.part<Learned>();
//   std::string executor = learned.find(situation_of(program, looks)); // "" where nothing is known
//   learned.keep(situation_of(program, looks), "resident");
// Kept beside the constants of `tasuki tune`, in ~/.cache/tasuki/learned-KEY.json. A file of another version or a damaged one
// is as good as none, and so is an entry that is a month old. A wrong entry costs time and changes no bit.
#pragma once

#include <tasuki/model/description.hpp>
#include <tasuki/program/program.hpp>
#include <tasuki/route/tuning.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace tasuki {

// A number of what decides which executor is the fastest: the program's items, its grid, cut and halo, the ranks and their
// threads, the options that bear on speed, and how the run looks at `until`. The same on every rank.
std::uint64_t situation_of(const Program& program, const Looks& looks);

// The file as a table.
struct LearnedTable {
  struct Entry {
    std::string executor;
    long day = 0; // since 1970
  };
  static constexpr std::size_t kMost = 4096; // entries; the oldest go first
  static constexpr long kDays = 30;

  std::map<std::string, Entry> entries; // by situation, sixteen hexadecimal digits

  static LearnedTable parse(const std::string& text); // empty where the text is none of this version
  std::string json() const;
  std::string find(std::uint64_t situation, long today) const;
  void keep(std::uint64_t situation, const std::string& executor, long today);
};

class Learned {
public:
  // Nothing is asked or kept with `--tuning none`. Collective.
  explicit Learned(Device& device);

  std::string find(std::uint64_t situation) const; // collective
  // By rank 0, beside what other runs have kept meanwhile. A file that cannot be written is left as it is.
  void keep(std::uint64_t situation, const std::string& executor) const;

  static std::string path_of(const Machine& machine);

private:
  World& world_;
  std::string path_;   // "": asks and keeps nothing
  LearnedTable table_; // of rank 0, as the file was when it was read first
};

} // namespace tasuki
