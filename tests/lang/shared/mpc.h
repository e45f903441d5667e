/* What mpc.c and mpc_more.c both see. */
#include <sms.h>

extern shared int other[10] ::[NPROCS](0, NPROCS);
void fill_other(void);
