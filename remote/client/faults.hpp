// The handler of SIGSEGV, by which the system reports that the program has touched a page without access.
//
//   watch_faults();   // once there is memory that is fetched at a touch
//   chain_faults();   // at launches, waits, allocations: a handler that the program has set since comes behind this one
//
// A touch outside of mirrored memory is passed on to the program's own handler, or to the system's.
#pragma once

namespace tasuki::remote {

void watch_faults();
void chain_faults();

} // namespace tasuki::remote
