// The order in which the sweeps of a pass visit slabs of a block so that each plane is copied once: pure arithmetic.
//
// Planes are numbered along the slowest axis. All sweeps of the pass are done slab by slab, in their order. Each sweep
// lags behind the first by as many planes as needed: its inputs must be computed, and what it overwrites must be read
// before. So no plane is computed twice, whatever a sweep reads and writes. (Time skewing: McCalpin, Wonnacott, 1999.)
//
//   Skew skew;
//   skew.add({{u, {1, 1}, true, false}, {v, {}, false, true}});   // reads u a plane away, writes v
//   skew.add({{v, {1, 1}, true, false}, {u, {}, false, true}});   // lags one plane
//   for (const Slab& slab : slabs_of(0, 100, 20, skew)) ..
#pragma once

#include <tasuki/base/box.hpp>

#include <vector>

namespace tasuki {

// How a sweep uses a memory.
struct PlaneUse {
  int memory = 0;
  Width reach; // planes read below and above the sweep's own
  bool reads = false, writes = false;
};
using PlaneUses = std::vector<PlaneUse>; // of a sweep

class Skew {
public:
  void add(const PlaneUses& sweep);
  long lag(std::size_t sweep) const { return lags_[sweep]; } // planes behind the first sweep
  long most_lag() const { return most_lag_; }
  // Planes below and above a slab that its sweeps use.
  long below() const { return below_; }
  long above() const { return above_; }
  bool empty() const { return lags_.empty(); }

private:
  std::vector<PlaneUses> sweeps_;
  std::vector<long> lags_;
  long most_lag_ = 0, below_ = 0, above_ = 0;
};

// A sweep does the planes from first - lag to last - lag. The window has the planes from bottom to top: up to `kept`
// from the previous slab's window, the others copied from the host. After it, planes `done` to `done_to` are final.
struct Slab {
  long first = 0, last = 0;
  long bottom = 0, kept = 0, top = 0;
  long done = 0, done_to = 0;
  friend bool operator==(const Slab&, const Slab&) = default;
};

// The slabs of planes lo to hi, of nearly equal height, at most `height`.
std::vector<Slab> slabs_of(long lo, long hi, long height, const Skew& skew);

} // namespace tasuki
