#include "sums.hpp"

#include "queues.hpp"
#include "translated.h"

#include <algorithm>
#include <cstring>

namespace tasuki::xmp {

char* Sums::cell(void* value, long bytes, long queue, bool& held) {
  const auto known = std::find_if(pending_.begin(), pending_.end(),
                                  [&](const Pending& each) { return each.value == value; });
  held = known != pending_.end();
  if (held) {
    RunTime::now().part<Queues>().follow(queue, known->queue);
    known->queue = queue;
    return cells_.data() + known->offset;
  }
  const long room = (bytes + 15) / 16 * 16;
  if (used_ + room > static_cast<long>(cells_.bytes())) {
    settle();
    if (room > static_cast<long>(cells_.bytes())) {
      RunTime::now().part<Queues>().wait_all();
      cells_ = Buffer(RunTime::now().accelerator(), static_cast<std::size_t>(std::max(room, 4096L)));
    }
  }
  pending_.push_back({value, bytes, used_, queue});
  used_ += room;
  return cells_.data() + pending_.back().offset;
}

void Sums::settle() {
  if (pending_.empty()) return;
  RunTime& run_time = RunTime::now();
  for (const Pending& each : pending_) run_time.part<Queues>().follow(TSK_ACC_NOW, each.queue);
  std::vector<char> values(static_cast<std::size_t>(used_));
  copy_to_host(run_time.accelerator(), values.data(), cells_.data(), values.size());
  for (const Pending& each : pending_)
    std::memcpy(each.value, values.data() + each.offset, static_cast<std::size_t>(each.bytes));
  pending_.clear();
  used_ = 0;
}

} // namespace tasuki::xmp
