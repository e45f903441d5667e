/* The second unit of mpc.c. */
#include "mpc.h"

shared int other[10] ::[NPROCS](0, NPROCS);

void fill_other(void) {
  if (sms_owner(&other[3]) == sms_rank) other[3] += 100;
  sms_sync();
}
