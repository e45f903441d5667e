// The replicas of this rank: their atoms in device memory, and their integration from one exchange to the next.
//
// A coordinate is a fraction of the box as a 64-bit fixed-point number: the low word is the fraction, the high word
// counts the boxes that the atom has crossed. A difference of low words wraps to the nearest image by itself, a
// change of the box changes no coordinate, and unwrapped paths are kept exactly.
#pragma once

#include <apps/argon/engine/measured.hpp>
#include <apps/argon/physics/dynamics.hpp>
#include <tasuki/field/field.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace tasuki::argon {

// Bytes of device memory for this number of replicas on one device. Allocates nothing.
std::size_t memory_needed(const System& system, const Dynamics& dynamics, long replicas);

// The bits of a replica's trajectory depend only on seed, number, conditions and step: not on the number of ranks, on
// other replicas of the device, or on restarts between two advances.
class Replicas {
public:
  // `count` is the number over all ranks, distributed evenly if possible. Collective. Throws Error if there are fewer
  // replicas than ranks, or if the memory does not suffice (with the needed bytes).
  Replicas(World& world, const System& system, const Dynamics& dynamics, long count);
  ~Replicas();
  Replicas(const Replicas&) = delete;
  Replicas& operator=(const Replicas&) = delete;

  const System& system() const { return system_; }
  const Dynamics& dynamics() const { return dynamics_; }
  long count() const { return count_; } // over all ranks
  long first() const { return first_; } // this rank owns the global numbers first() .. first() + owned() - 1
  long owned() const { return owned_; }

  // Sets the conditions of the owned replicas, in order. The next advance multiplies velocities by factors (none: 1).
  void set(const std::vector<Conditions>& conditions, const std::vector<float>& factors = {});

  // Sets coordinates as selected, and random velocities for the conditions, which must be set before. Step 0 is next.
  void start(Start kind);

  // Enqueues `steps` steps of every owned replica. `first_step`: the number of the first one, used for random numbers.
  void advance(long first_step, int steps);

  // Of the owned replicas after the last advance, which it waits for.
  std::vector<Measured> measured();

  // The fields of a checkpoint, all on one grid of {atoms, replicas} that is cut along the replicas.
  std::vector<AnyField> fields() const;

  // For owned replicas, by global number; these functions wait. x y z of each atom: unwrapped in nm, and nm/ps.
  std::vector<double> positions(long replica) const;
  std::vector<float> velocities(long replica) const;
  double box(long replica) const; // edge, nm
  State state(long replica) const;
  void set_state(long replica, const State& state); // throws Error if the state is of another system

  // Computes an interval of any replicas again. `numbers`: their numbers over all ranks; their states before the
  // interval, and their conditions and factors. Uses this rank's device, but not the memory of the owned replicas.
  std::vector<State> redo(const std::vector<long>& numbers, const std::vector<State>& states,
                          const std::vector<Conditions>& conditions, const std::vector<float>& factors,
                          long first_step, int steps, std::vector<Measured>* measured = nullptr);

private:
  struct Memory; // the buffers of a batch of replicas that are advanced together

  Device& device_;
  System system_;
  Dynamics dynamics_;
  long count_, first_ = 0, owned_ = 0;
  std::unique_ptr<Memory> memory_;
};

} // namespace tasuki::argon
