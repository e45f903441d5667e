// What the process of a client gives up before it reads anything of the client's.
//
//   confine();   // no core file, no new privileges, and no call of the system that a GPU's driver has no use for
#pragma once

namespace tasuki::remote {

// Afterwards system calls that start a program, look into another process or change the system fail with EPERM, in threads that
// are started later too. On a kernel without seccomp only core files and new privileges are off.
void confine();

} // namespace tasuki::remote
