#include "checking.hpp"

#include "copies.hpp"
#include "translated.h"

#include <tasuki/base/agree.hpp>

#include <string>

namespace tasuki::xmp {

constexpr long kTask = 1L << 24; // the most statements of a task; those after it get a later time

long Checking::task_begin() {
  tick();
  return time_;
}
void Checking::task_end(long begun) {
  if (loops_ == 0) time_ = begun + kTask;
}

void come_together(const char* where, const char* directive, const std::optional<Ranks>& ranks) {
  Checking& check = RunTime::now().checking();
  if (!check.on) return;
  check.tick();
  if (!ranks) return;
  const std::string place = where && *where ? std::string(" at ") + where : "";
  agree(*ranks, std::string("comes to ") + directive + place, Terms{});
  RunTime& run_time = RunTime::now();
  if (ranks->size() == run_time.world().size())
    run_time.part<Copies>().compare(where ? where : "", directive);
}

} // namespace tasuki::xmp

extern "C" void tsk_check_begin(void) { tasuki::xmp::RunTime::now().checking().on = true; }
