// What the process of a client gives up before it reads anything of the client's.
//
//   confine();   // no core file, no new privileges, and no call of the system that a GPU's driver has no use for
#pragma once

namespace tasuki::remote {

// From here on no program can be started, no process be looked into, and nothing of the system be changed: such calls fail with
// EPERM. Of threads that are started later as well; a kernel without seccomp does the rest.
void confine();

} // namespace tasuki::remote
