/* Seven points in three dimensions in SMint: a sequential program, and what it is without `tasuki cc`. */
#include "../digest.h"

#include <smint.h>
#include <stdio.h>

enum { NZ = 24, NY = 16, NX = 32, STEPS = 8 };
typedef double Plane[NY][NX];
#pragma SMint shared ::[NPROCS][][](0, NPROCS)
Plane u[NZ], v[NZ];

static double first_value(long z, long y, long x) { return (double)((z * 31 + y * 17 + x * 7) % 97) / 97; }

int main(void) {
  Plane *now = u, *next = v;
#pragma SMint parallel for
  for (long z = 0; z < NZ; z++)
    for (long y = 0; y < NY; y++)
      for (long x = 0; x < NX; x++) u[z][y][x] = v[z][y][x] = first_value(z, y, x);
  for (int s = 0; s < STEPS; s++) {
#pragma SMint parallel for copyin(now[z - 1:3][ ][ ])
#pragma omp parallel for
    for (long z = 1; z < NZ - 1; z++)
      for (long y = 1; y < NY - 1; y++)
        for (long x = 1; x < NX - 1; x++)
          next[z][y][x] = 0.4 * now[z][y][x] + 0.1 * (now[z - 1][y][x] + now[z + 1][y][x] + now[z][y - 1][x] +
                                                      now[z][y + 1][x] + now[z][y][x - 1] + now[z][y][x + 1]);
    Plane *swap = now;
    now = next;
    next = swap;
  }
#pragma SMint single
  printf("7 points: digest %016llx\n", digest_of(&now[0][0][0], (size_t)NZ * NY * NX));
  return 0;
}
