// The interior while the halos travel, then the rim.
#include <tasuki/run/executor.hpp>

namespace tasuki {
namespace {

class Overlapped final : public Executor {
public:
  explicit Overlapped(Device& device) : device_(device), ready_(device.kind()), arrived_(device.kind()) {}
  const char* name() const override { return "overlapped"; }

  void sweep(const PlannedSweep& planned, Phases& phases) override {
    Stream& compute = device_.stream();
    Stream& transfer = device_.transfer();
    if (!planned.exchange) {
      phases.begin(Phase::sweep);
      planned.sweep->launch(planned.boxes, true);
      planned.sweep->check();
      phases.end();
      return;
    }
    phases.begin(Phase::exchange);
    ready_.record(compute);
    transfer.wait(ready_);
    planned.exchange->start(transfer);
    phases.end();

    phases.begin(Phase::sweep);
    planned.sweep->launch(planned.interior, true);
    phases.end();

    phases.begin(Phase::exchange);
    planned.exchange->finish(transfer);
    arrived_.record(transfer);
    compute.wait(arrived_);
    phases.end();

    phases.begin(Phase::sweep);
    planned.sweep->launch(planned.rim, false);
    planned.sweep->check();
    phases.end();
  }

private:
  Device& device_;
  Event ready_, arrived_;
};

} // namespace

std::unique_ptr<Executor> make_overlapped(Device& device) { return std::make_unique<Overlapped>(device); }

} // namespace tasuki
