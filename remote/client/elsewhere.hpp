// Free GPUs of the hosts that a program was started with, for a device whose server is about to end.
//
//   Elsewhere elsewhere(parse_hosts("a,b"), key, wish, {"a:0", "b:0"});   // the program's own devices
//   std::optional<Spare> place = elsewhere.take({"a"});                     // b:1, if it is free
#pragma once

#include <remote/client/spares.hpp>

#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tasuki::remote {

class Elsewhere {
public:
  Elsewhere(std::vector<Host> hosts, Key key, Wish wish, std::set<std::string> taken);
  // None of these hosts; by any thread. It is given out once.
  std::optional<Spare> take(const std::set<std::string>& from);

private:
  const std::vector<Host> hosts_;
  const Key key_;
  Wish wish_;
  std::mutex mutex_;
  std::set<std::string> taken_;
};

} // namespace tasuki::remote
