// Reflect makes the shadows of arrays valid: everything for one rank is one message, by the channel of least cost.
//
//   Reflect reflect({{&a}, {&b, {{1, 0}, {}}}}, Side::host);     // by all ranks of the arrays' nodes
//   reflect.whole();                                             // as often as one likes
//
// The directive of XcalableMP (specification 1.4, 4.5.1): it includes corners unless they
// are left out, shadows may be wider than a neighbour's block, and nodes may hold nothing.
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
  // Collective over all ranks that hold elements of these arrays. Throws Error if a width is greater than a shadow.
  explicit Reflect(const std::vector<Reflected>& reflected, Side side = Side::host);

  // Work of the device's stream: it includes work enqueued before; work enqueued behind finish() sees the result.
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
  std::unique_ptr<Transfer> transfer_; // null: nothing to do on this rank
};

} // namespace tasuki
