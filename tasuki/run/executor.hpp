// How a planned sweep and its exchange are done. An executor is a file.
#pragma once

#include <tasuki/program/plan.hpp>
#include <tasuki/run/phases.hpp>

#include <memory>
#include <string>

namespace tasuki {

class Executor {
public:
  virtual ~Executor() = default;
  virtual const char* name() const = 0;
  // `sweep.exchange` is there if anything has to be exchanged. Enqueues; does not wait for a GPU.
  virtual void sweep(const PlannedSweep& sweep, Phases& phases) = 0;
};

std::unique_ptr<Executor> make_eager(Device& device);
std::unique_ptr<Executor> make_overlapped(Device& device);

// By the world's settings; auto takes overlapped where several GPUs exchange, else eager: a host rank's own cores do
// the copying, so there is nothing to hide it behind.
std::unique_ptr<Executor> make_executor(Device& device);

} // namespace tasuki
