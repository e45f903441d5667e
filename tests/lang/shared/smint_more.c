/* The second unit of smint.c. */
#include "more.h"

#include <smint.h>

#pragma SMint shared ::[NPROCS](0, NPROCS)
int in_other[OTHERS];

void more(void) {
#pragma SMint parallel for
  for (int i = OTHERS - 1; i >= 0; i--) in_other[i] *= 2;
}
