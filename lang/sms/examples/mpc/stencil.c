/* Seven points in three dimensions in MpC, slabs of planes. Prints what ../smint/stencil.c prints as sequential C. */
#include "../digest.h"

#include <sms.h>
#include <stdio.h>

enum { NZ = 24, NY = 16, NX = 32, STEPS = 8 };
typedef double Plane[NY][NX];
shared Plane u[NZ] ::[NPROCS](0, NPROCS), v[NZ] ::[NPROCS][][](0, NPROCS);

static double first_value(long z, long y, long x) { return (double)((z * 31 + y * 17 + x * 7) % 97) / 97; }

int main(void) {
  const long from = (long)NZ * sms_rank / NPROCS, to = (long)NZ * (sms_rank + 1) / NPROCS;
  const size_t whole[] = {NZ, NY, NX}, plane[] = {1, NY, NX};
  for (long z = from; z < to; z++)
    for (long y = 0; y < NY; y++)
      for (long x = 0; x < NX; x++) u[z][y][x] = v[z][y][x] = first_value(z, y, x);
  sms_sync();
  shared Plane *now = u, *next = v;
  for (int s = 0; s < STEPS; s++) {
    if (from > 0) sms_overload_array(now[from - 1], whole, plane, 3, sizeof(double), 0);
    if (to < NZ) sms_overload_array(now[to], whole, plane, 3, sizeof(double), 0);
    for (long z = from > 1 ? from : 1; z < to && z < NZ - 1; z++)
      for (long y = 1; y < NY - 1; y++)
        for (long x = 1; x < NX - 1; x++)
          next[z][y][x] = 0.4 * now[z][y][x] + 0.1 * (now[z - 1][y][x] + now[z + 1][y][x] + now[z][y - 1][x] +
                                                      now[z][y + 1][x] + now[z][y][x - 1] + now[z][y][x + 1]);
    sms_sync();
    Plane *swap = now;
    now = next;
    next = swap;
  }
  if (sms_rank == 0) printf("7 points: digest %016llx\n", digest_of(&now[0][0][0], (size_t)NZ * NY * NX));
  return 0;
}
