// An exchange makes the halos of some fields of a grid valid. It determines which boxes of which
// fields go to which neighbour, corners included, and by which route; a Transfer moves them.
//
//   Exchange exchange({{u.core(), {halo, 1}}});    // by all ranks
//   exchange.whole(device.stream());
#pragma once

#include <tasuki/field/field.hpp>
#include <tasuki/transfer/transfer.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace tasuki {

// A field whose halo must be valid up to a depth.
struct HaloNeed {
  std::shared_ptr<FieldCore> field;
  Depth depth;
};

// A face: what one rank sends in one direction, for reports.
struct Face {
  std::array<int, kMaxDims> direction{}; // -1, 0, +1 along each axis
  int from = 0, to = 0;                  // ranks
  ChannelKind channel = ChannelKind::self;
  PeerMode mode = PeerMode::stores; // of peer
  long bytes = 0;
  std::string shape; // block: one run; block-stride: rows of several cells; stride: one cell per row
};

// An exchange of these halos in the current memories of the fields: set
// up once, used many times. Construction and destruction are collective.
class Exchange : public Transfer {
public:
  // With Turns::device, a CUDA graph can contain the enqueued work. Throws Error on all ranks if that is impossible.
  explicit Exchange(const std::vector<HaloNeed>& needs, Turns turns = Turns::host);

  const std::vector<Face>& faces() const { return faces_; }
  double predicted() const { return predicted_; } // seconds, by the constants of this run

private:
  struct Listed;
  Exchange(Device& device, Listed&& listed, Turns turns);

  std::vector<Face> faces_;
  double predicted_ = 0;
};

} // namespace tasuki
