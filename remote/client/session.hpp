// All devices that a program sees, over all hosts, in the order of the list.
//
//   Session& session = Session::get();             // connects at the first call; throws Failure where it cannot
//   VirtualDevice& device = session.device(0);
//   VirtualDevice* owner = session.owner(address); // of device memory; null: the host's
//
// What it connects to is in the environment that `tasuki gpus run` makes:
//   TASUKI_GPUS          hosts, as --hosts takes them; or TASUKI_GPUS_LINKS, sockets that lead to workers already: "5,6,7"
//   TASUKI_GPUS_SPARES   hosts whose devices stand by for those that are lost
//   TASUKI_GPUS_REPLICAS "0+2,1+3": which of the devices of these hosts are replicas of one that the program sees
//   TASUKI_GPUS_TOLERANCE "f32:1e-5": numbers of replicas that are so near to each other agree
//   TASUKI_GPUS_SAME_HOST "1": a spare may be of the host of another replica
//   TASUKI_GPUS_DEGRADE  "1": where none is left, the devices that are in use are the spares, each once
//   TASUKI_GPUS_LOG      bytes of a device's log of calls in memory
//   TASUKI_GPUS_SPILL    bytes of it in a file in TMPDIR, behind those [4 GiB]
//   TASUKI_GPUS_IMAGE_BYTES, TASUKI_GPUS_IMAGE_MS   of the log, or of time, between two images of a device's memory, in TMPDIR
//   TASUKI_GPUS_DOOR     a folder for a socket, at which a device can be asked to move: a log is kept for it
//   TASUKI_GPUS_KEY      the key's file
//   TASUKI_GPUS_PROGRAM  the program's name for `top`
//   TASUKI_GPUS_LANES    connections to each worker of another host, over which large copies are split [4]
//   TASUKI_GPUS_UCX      "1": bytes go to other hosts by UCX, and are not encrypted
//   TASUKI_GPUS_STRICT   "1": each call waits for its answer
//   TASUKI_GPUS_AHEAD    "0": no copy is sent before it is asked for
//   TASUKI_GPUS_SUMMARY  "1": two lines on standard error at the end
//   TASUKI_GPUS_TRACE    a file: each call with its times
#pragma once

#include <remote/client/agreement.hpp>
#include <remote/client/door.hpp>
#include <remote/client/spares.hpp>
#include <remote/client/virtual_device.hpp>
#include <remote/server/visit.hpp>

#include <unistd.h>

#include <functional>
#include <memory>
#include <vector>

namespace tasuki::remote {

class Session {
public:
  static Session& get();
  // The session where it is there already; null before the first call that needs it.
  static Session* there();

  int count() const { return static_cast<int>(devices_.size()); }
  VirtualDevice& device(int index);
  VirtualDevice* owner(u64 address) const;
  void sum_up() const; // two lines to standard error
  // "move 0 c[1]", or "move 0 c[1] a:0" for one of its replicas: what comes of it, as a line.
  std::string asked(const std::string& words);

private:
  Session();
  const u64 start_ = Ledger::now();
  const int process_ = getpid();
  Ledger ledger_;
  Agreement agreement_;
  std::vector<std::unique_ptr<VirtualDevice>> devices_;
  using Move = std::function<std::string(Spare to, const std::string& from)>;
  std::vector<Move> moves_; // of each device; none: it cannot
  std::unique_ptr<Door> door_;
};

} // namespace tasuki::remote
