/* A sequential program with `#pragma SMint` that counts processes by itself includes this: without `tasuki cc` there is one.
 *
 *   #include <smint.h>
 *   if (NPROCS > 1) ..
 */
#ifndef TASUKI_SMINT_H
#define TASUKI_SMINT_H
#ifndef NPROCS
#define NPROCS 1
#endif
#endif
