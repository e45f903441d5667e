// All devices that a program sees, over all hosts, in the order of the list.
//
//   Session& session = Session::get();             // connects at the first call; throws Failure where it cannot
//   VirtualDevice& device = session.device(0);
//   VirtualDevice* owner = session.owner(address); // of device memory; null: the host's
//
// What it connects to is in the environment that `tasuki gpus run` makes: TASUKI_GPUS (hosts, as --hosts takes them),
// TASUKI_GPUS_KEY (the key's file), TASUKI_GPUS_PROGRAM (the program's name for `top`); or TASUKI_GPUS_LINKS, descriptors of
// sockets that lead to workers already ("5,6,7").
#pragma once

#include <remote/client/virtual_device.hpp>
#include <remote/server/visit.hpp>

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

private:
  Session();
  std::vector<std::unique_ptr<VirtualDevice>> devices_;
  std::vector<Visit> visits_; // what watches over the links
};

} // namespace tasuki::remote
