// Detects a standard output that is closed or full: the program then reports it, and ends with status 1.
//
//   guard_standard_output();  // before the program opens any file; World and OptionParser call it
#pragma once

namespace tasuki {

// After this call, the end of the process, by return or exit(), checks whether all output has been written. If not,
// this rank prints a message and ends with status 1, or with 141 and no message if a pipe's reader has exited.
//
// If one of the descriptors 0 to 2 is closed, it is opened, so that a file of the program cannot get its number and
// receive the output. Under Open MPI, a rank prints to a terminal of mpirun's: rank 0 checks whether mpirun's output
// is closed; a full disk behind mpirun is detected by `tasuki run` only.
void guard_standard_output();

} // namespace tasuki
