// Who advances a batch of replicas: kernels for this many atoms, made once.
#pragma once

#include <apps/argon/engine/batch.hpp>
#include <tasuki/device/group/group.hpp>

#include <memory>

namespace tasuki::argon {

class Engine {
public:
  virtual ~Engine() = default;
  // Enqueues an interval of replicas 0 .. count - 1 of the batch.
  virtual void advance(const Batch& batch, const Laws& laws, long count) = 0;
};

struct EngineChoice {
  bool lists = false;
  int list_room = 0;               // entries a lane
  double skin_nm = 0, wide_nm = 0; // beyond the cut-off: of lists, and of what they are chosen from
  GroupShape shape;                // of lists
};
EngineChoice choose_engine(const System& system, const Dynamics& dynamics, DeviceKind kind);

// For at most so many replicas at once.
std::unique_ptr<Engine> make_engine(Device& device, const System& system, const Dynamics& dynamics,
                                    long most);

// What kernels know of a system; steps are the interval's.
Laws laws_of(const System& system, const Dynamics& dynamics, const EngineChoice& choice);

} // namespace tasuki::argon
