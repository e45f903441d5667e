// The shadows of arrays brought up to date: everything for one rank in one message, by the channel that costs least.
//
//   Reflect reflect({{&a}, {&b, {{1, 0}, {}}}}, Side::host);     // by all ranks of the arrays' nodes
//   reflect.whole();                                             // as often as one likes
//
// The directive of XcalableMP (specification 1.4, 4.5.1): corners come with it unless they are left out, shadows may be
// wider than a neighbour's block, and nodes may hold nothing.
#pragma once

#include <tasuki/array/array.hpp>
#include <tasuki/array/shadow_moves.hpp>
#include <tasuki/transfer/transfer.hpp>

#include <memory>
#include <vector>

namespace tasuki {

struct Reflected {
  Array* array = nullptr;
  std::vector<ShadowWidth> widths = {}; // by dimension; none: the whole shadow
  bool corners = true;
};

class Reflect {
public:
  // Made and ended by all ranks that hold some of these arrays. Throws Error where a width is greater than a shadow.
  explicit Reflect(const std::vector<Reflected>& reflected, Side side = Side::host);

  // Work of the device's stream: whatever was enqueued there before is in it, and what is enqueued behind finish() sees it.
  void start();
  void finish();
  void whole() {
    start();
    finish();
  }
  long bytes(ChannelKind kind) const {
    return transfer_ ? transfer_->bytes(kind) : 0;
  } // that this rank sends

private:
  Device* device_ = nullptr;
  std::unique_ptr<Transfer> transfer_; // null: nothing of this rank's
};

} // namespace tasuki
