// Computes the interior while halos are in transit, then the rim.
#include <tasuki/run/executor.hpp>

namespace tasuki {
namespace {

class Overlapped final : public StepExecutor {
public:
  explicit Overlapped(Device& device)
      : device_(device), ready_(device.kind()), wrapped_(device.kind()), arrived_(device.kind()) {}
  const char* name() const override { return row_of(ExecutorKind::overlapped).name; }

  void sweep(const PlannedSweep& planned, Phases& phases) override {
    Stream& compute = device_.stream();
    Stream& transfer = device_.transfer();
    if (!planned.exchange) {
      phases.begin(Phase::sweep, planned.sweep->name().c_str());
      planned.sweep->launch(compute, planned.boxes, true);
      planned.sweep->check();
      phases.end();
      return;
    }
    phases.begin(Phase::exchange, "exchange");
    ready_.record(compute);
    transfer.wait(ready_);
    planned.exchange->start(transfer, planned.halos_free);
    planned.exchange->wrap(compute); // the interior reads across periodic axes that are not cut
    phases.end();

    phases.begin(Phase::sweep, planned.sweep->name().c_str());
    wrapped_.record(compute);
    planned.sweep->launch(compute, planned.interior, true);
    phases.end();

    // The rim is computed concurrently with the interior once its halo has arrived, unless both add to one reduction.
    const bool beside = !planned.sweep->reduces();
    phases.begin(Phase::exchange, "exchange");
    planned.exchange->finish(transfer);
    if (beside) {
      transfer.wait(wrapped_);
      planned.sweep->launch(transfer, planned.rim, false);
    }
    arrived_.record(transfer);
    compute.wait(arrived_);
    phases.end();

    phases.begin(Phase::sweep, planned.sweep->name().c_str());
    if (!beside) planned.sweep->launch(compute, planned.rim, false);
    planned.sweep->check();
    phases.end();
  }

private:
  Device& device_;
  Event ready_, wrapped_, arrived_;
};

} // namespace

std::unique_ptr<StepExecutor> make_overlapped(Device& device) { return std::make_unique<Overlapped>(device); }

} // namespace tasuki
