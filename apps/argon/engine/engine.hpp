// An engine advances a batch of replicas; its kernels are set up once, for a number of atoms.
#pragma once

#include <apps/argon/engine/choice.hpp>
#include <tasuki/device/group/group.hpp>

#include <memory>

namespace tasuki::argon {

class Engine {
public:
  virtual ~Engine() = default;
  // Enqueues an interval of replicas 0 .. count - 1 of the batch.
  virtual void advance(const Batch& batch, const Laws& laws, long count) = 0;
};

// For at most `most` replicas at once.
std::unique_ptr<Engine> make_engine(Device& device, const System& system, const Dynamics& dynamics,
                                    long most);

} // namespace tasuki::argon
