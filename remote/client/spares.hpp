// Workers that stand by, of GPUs that no virtual device has: who loses his takes the next one.
//
//   Spares spares;
//   spares.add({"c:0", "c", [=] { return open_device(c, key, 0, wish); }, open_device(c, key, 0, wish)});
//   if (std::optional<Spare> spare = spares.take()) ..
//
// By any thread. A worker stands by from the start: a GPU's context takes up to half a second, and nobody else may have the GPU.
#pragma once

#include <remote/server/visit.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace tasuki::remote {

struct Spare {
  std::string name;      // "c:0", in what is said
  std::string host = {}; // "c"
  std::function<Visit()> open;
  Visit visit;              // no link: it is opened when it is taken
  std::uint64_t memory = 0; // bytes of its GPU; 0: not known

  // Whether it is meant by "c:0": of several of one GPU, each is.
  bool is(const std::string& gpu) const { return name == gpu || name.rfind(gpu + "#", 0) == 0; }
};

class Spares {
public:
  void add(Spare spare);
  // The next that can be had, with its link; of those that fit, where not all do.
  std::optional<Spare> take(const std::function<bool(const Spare&)>& fits = {});
  // One that has been tried and does: by a worker of its own next time.
  void give_back(Spare spare);
  // Of none of these hosts, where a server is about to end: another's spare, else what `elsewhere` finds.
  using Hosts = std::set<std::string>;
  std::optional<Spare> take_from_others(const Hosts& from);
  static constexpr std::chrono::seconds look_again{3}; // after which one that found none looks anew
  std::function<std::optional<Spare>(const Hosts& from)> elsewhere; // set before there are threads
  void let_go();                                                    // those whose server is about to end

private:
  std::mutex mutex_;
  std::deque<Spare> spares_;
};

} // namespace tasuki::remote
