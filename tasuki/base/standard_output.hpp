// A program whose standard output is closed or full says so and ends with status 1, instead of losing it in silence.
//
//   guard_standard_output();  // before the program opens any file; World does it, and OptionParser
#pragma once

namespace tasuki {

// From now on the end of the process, by return or by exit(), sees whether all that was printed got out. Where it did
// not, this rank says so in a line and ends with status 1, or with 141 and no line where a pipe's reader has gone.
//
// A descriptor of the first three that is closed is opened, so that no file of the program's is given its number and
// takes what is printed. Under Open MPI's mpirun a rank prints to a terminal of mpirun's: rank 0 looks whether mpirun's
// own output is closed; a disk that fills behind mpirun nobody but `tasuki run` can see.
void guard_standard_output();

} // namespace tasuki
