// An exchange, then the sweep, one after the other.
#include <tasuki/run/executor.hpp>

namespace tasuki {
namespace {

class Eager final : public StepExecutor {
public:
  explicit Eager(Device& device) : device_(device) {}
  const char* name() const override { return row_of(ExecutorKind::eager).name; }

  void sweep(const PlannedSweep& planned, Phases& phases) override {
    if (planned.exchange) {
      phases.begin(Phase::exchange, "exchange");
      planned.exchange->whole(device_.stream(), planned.halos_free);
      phases.end();
    }
    phases.begin(Phase::sweep, planned.sweep->name().c_str());
    planned.sweep->launch(device_.stream(), planned.boxes, true);
    planned.sweep->check();
    phases.end();
  }

private:
  Device& device_;
};

} // namespace

std::unique_ptr<StepExecutor> make_eager(Device& device) { return std::make_unique<Eager>(device); }

} // namespace tasuki
