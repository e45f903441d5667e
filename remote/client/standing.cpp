#include <remote/client/ledger.hpp>
#include <remote/client/standing.hpp>
#include <remote/link/heartbeat.hpp>

#include <algorithm>

namespace tasuki::remote {

namespace {

u64 ms_since(u64 then) { return (Ledger::now() - then) / 1'000'000; }

} // namespace

Standing::Wait::Wait(Standing* standing, Call call) : standing_(standing), call_(call) {
  if (!standing) return;
  since_ = Ledger::now();
  std::lock_guard hold(standing_->mutex_);
  standing_->waits_.push_back(this);
}

Standing::Wait::~Wait() {
  if (!standing_) return;
  std::lock_guard hold(standing_->mutex_);
  auto& waits = standing_->waits_;
  waits.erase(std::find(waits.begin(), waits.end(), this));
}

void Standing::image(u64 bytes) {
  imaged_ = Ledger::now();
  image_ = bytes;
}

Report Standing::report() const {
  Report report;
  {
    std::lock_guard hold(mutex_);
    if (!waits_.empty()) {
      report.waits_for = static_cast<u64>(waits_.front()->call_);
      report.waited = ms_since(waits_.front()->since_);
    }
  }
  report.log = log_;
  report.image = image_;
  if (report.image != Report::none) report.image_age = ms_since(imaged_);
  report.replicas = replicas_;
  report.agreed = agreed_;
  report.differed = differed_;
  report.faults = faults_;
  return report;
}

void tell(const Visit& visit, std::shared_ptr<const Standing> standing) {
  if (visit.heartbeat)
    visit.heartbeat->set_report([standing = std::move(standing)] { return standing->report(); });
}

} // namespace tasuki::remote
