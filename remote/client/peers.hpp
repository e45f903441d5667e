// The links from a device's worker to those of other devices of the program, on any host: copies between two devices, and what
// the streams of one wait for at the other, go by them and not by the client.
//
//   Peers peers(device, entrance);
//   if (peers.reach(other)) device.calls().post(call::CopyPeer{peers.number_of(other), ..});
//
// A link is made when it is first asked for: either worker dials the other's gate, which a secret of this link alone opens. Where
// neither finds the other, bytes go through the client. A device whose link keeps a log has none.
#pragma once

#include <remote/server/visit.hpp>
#include <remote/wire/fields.hpp>

#include <map>
#include <mutex>

namespace tasuki::remote {

class VirtualDevice;

class Peers {
public:
  Peers(VirtualDevice& device, Entrance entrance, int lanes);
  ~Peers();

  // Whether there is a link between the two workers. False also where they cannot be asked for one at the moment.
  bool reach(Peers& other);
  u32 number_of(const Peers& other) const; // in calls of this device
  // This device is gone, or a link of its is: nobody waits for it any longer, and bytes go through the client from now on. Called by
  // whoever reads answers, too.
  void lost();

private:
  bool link(Peers& other);
  bool dial(Peers& other); // this one dials

  VirtualDevice& device_;
  const Entrance entrance_;
  const int lanes_;
  std::map<Peers*, bool> known_; // whether there is a link
  static std::mutex making_;     // a link; taken before mutex_
  static std::mutex mutex_;      // of known_, of all devices; never held while somebody is asked
};

} // namespace tasuki::remote
