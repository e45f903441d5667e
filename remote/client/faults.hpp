// Touches of pages that the program has not got, as the system tells them: by SIGSEGV.
//
//   watch_faults();   // once there is memory that is fetched at a touch
//   chain_faults();   // at launches, waits, allocations: a handler that the program has set since comes behind this one
//
// A touch of anything else is the program's: its own handler is called, or the system's.
#pragma once

namespace tasuki::remote {

void watch_faults();
void chain_faults();

} // namespace tasuki::remote
