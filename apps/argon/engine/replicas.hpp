// This rank's replicas: their atoms in device memory, and what moves them from one exchange to the next.
//
// A place is a fraction of the box as a 64-bit number of fixed point: the low word is the fraction, the high word counts
// the boxes that the atom has passed. Neighbours differ by a subtraction that wraps by itself, a box that breathes moves
// nobody, and the way an atom has gone is never lost.
#pragma once

#include <apps/argon/engine/measured.hpp>
#include <apps/argon/physics/dynamics.hpp>
#include <tasuki/field/field.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace tasuki::argon {

// Bytes of device memory for so many replicas on one device. Nothing is allocated.
std::size_t memory_needed(const System& system, const Dynamics& dynamics, long replicas);

// The bits of a replica's path depend on seed, number, conditions and step, and on nothing else: not on ranks, on what
// else a device holds, or on restarts between two advances.
class Replicas {
public:
  // `count` over all ranks, spread as evenly as they go. Collective. Throws Error: fewer replicas than ranks, memory that
  // does not suffice (with the bytes needed).
  Replicas(World& world, const System& system, const Dynamics& dynamics, long count);
  ~Replicas();
  Replicas(const Replicas&) = delete;
  Replicas& operator=(const Replicas&) = delete;

  const System& system() const { return system_; }
  const Dynamics& dynamics() const { return dynamics_; }
  long count() const { return count_; } // over all ranks
  long first() const { return first_; } // this rank's, by global number: first() .. first() + owned() - 1
  long owned() const { return owned_; }

  // Of the owned replicas, in order. The next advance multiplies their velocities by the factors (none: 1), once.
  void set(const std::vector<Conditions>& conditions, const std::vector<float>& factors = {});

  // Places as asked for, velocities drawn at the conditions, which are set before. Restarts nothing: step 0 comes next.
  void start(Start kind);

  // Enqueues `steps` steps of every owned replica, the first of them number `first_step` (random numbers know it).
  void advance(long first_step, int steps);

  // Of the owned replicas after the last advance. Waits for it.
  std::vector<Measured> measured();

  // What a checkpoint holds, all on one grid of {atoms, replicas} that is cut along the replicas.
  std::vector<FieldCore*> fields();
  std::vector<const FieldCore*> fields() const;

  // By global number, owned ones; they wait. x y z an atom: unwrapped nm, and nm/ps.
  std::vector<double> positions(long replica) const;
  std::vector<float> velocities(long replica) const;
  double box(long replica) const; // edge, nm
  State state(long replica) const;
  void set_state(long replica, const State& state); // Throws Error where the state is of another system

  // What replicas of any rank become: `numbers` as they are numbered over all ranks, their states before an interval,
  // their conditions and factors in it. Computed on this rank's device, apart from the owned ones.
  std::vector<State> redo(const std::vector<long>& numbers, const std::vector<State>& states,
                          const std::vector<Conditions>& conditions, const std::vector<float>& factors,
                          long first_step, int steps, std::vector<Measured>* measured = nullptr);

private:
  struct Memory; // the buffers of a batch of replicas that is advanced together

  World& world_;
  Device& device_;
  System system_;
  Dynamics dynamics_;
  long count_, first_ = 0, owned_ = 0;
  std::unique_ptr<Memory> memory_;
};

} // namespace tasuki::argon
