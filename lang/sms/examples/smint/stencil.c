/* 7 and 27 points in three dimensions in SMint: a sequential program, and what it is without `tasuki cc`. First plane by plane, with a
 * synchronisation a step; then in slabs that do bt steps between synchronisations, whose rims are computed twice. */
#include "../digest.h"

#include <smint.h>
#include <stdio.h>

enum { NZ = 24, NY = 16, NX = 32, STEPS = 8, SLAB = 4, MOST = 4 };
typedef double Plane[NY][NX];
#pragma SMint shared ::[NPROCS][][](0, NPROCS)
Plane u[NZ], v[NZ];

static double first_value(long z, long y, long x) { return (double)((z * 31 + y * 17 + x * 7) % 97) / 97; }

static void begin(void) {
#pragma SMint parallel for
  for (long z = 0; z < NZ; z++)
    for (long y = 0; y < NY; y++)
      for (long x = 0; x < NX; x++) u[z][y][x] = v[z][y][x] = first_value(z, y, x);
}

/* One cell of the plane c, of 7 or 27 points. */
static double cell(const Plane *c, long y, long x, int points) {
  if (points == 7)
    return 0.4 * c[0][y][x] + 0.1 * (c[-1][y][x] + c[1][y][x] + c[0][y - 1][x] + c[0][y + 1][x] +
                                     c[0][y][x - 1] + c[0][y][x + 1]);
  double sum = 0;
  for (int k = -1; k <= 1; k++)
    for (int j = -1; j <= 1; j++)
      for (int i = -1; i <= 1; i++) sum += c[k][y + j][x + i];
  return sum / 27;
}

static void by_planes(Plane *now, Plane *next, int points) {
#pragma SMint parallel for copyin(now[z - 1:3][ ][ ])
#pragma omp parallel for
  for (long z = 1; z < NZ - 1; z++)
    for (long y = 1; y < NY - 1; y++)
      for (long x = 1; x < NX - 1; x++) next[z][y][x] = cell(&now[z], y, x, points);
}

/* The planes that slab s needs for bt steps: from LOW, before HIGH. */
#define LOW(s, bt) ((s) * SLAB < (bt) ? 0 : (s) * SLAB - (bt))
#define HIGH(s, bt) ((s) * SLAB + SLAB + (bt) > NZ ? NZ : (s) * SLAB + SLAB + (bt))

static void by_slabs(Plane *now, Plane *next, int points, long bt) {
#pragma SMint parallel for copyin(now[LOW(s, bt):HIGH(s, bt) - LOW(s, bt)][ ][ ])
#pragma omp parallel for
  for (long s = 0; s < NZ / SLAB; s++) {
    Plane own[2][SLAB + 2 * MOST];
    const long low = LOW(s, bt), high = HIGH(s, bt);
    memcpy(own[0], now[low], sizeof(Plane) * (size_t)(high - low));
    memcpy(own[1], own[0], sizeof(Plane) * (size_t)(high - low));
    for (long k = 1; k <= bt; k++) /* a plane less at either side, but at the ends of the whole */
      for (long z = low == 0 ? 1 : low + k; z < (high == NZ ? NZ - 1 : high - k); z++)
        for (long y = 1; y < NY - 1; y++)
          for (long x = 1; x < NX - 1; x++)
            own[k % 2][z - low][y][x] = cell((const Plane *)&own[1 - k % 2][z - low], y, x, points);
    memcpy(next[s * SLAB], own[bt % 2][s * SLAB - low], sizeof(Plane) * SLAB);
  }
}

static void run(int points, long bt) {
  Plane *now = u, *next = v;
  begin();
  for (int done = 0; done < STEPS; done += (int)bt) {
    if (bt == 1)
      by_planes(now, next, points);
    else
      by_slabs(now, next, points, bt);
    Plane *swap = now;
    now = next;
    next = swap;
  }
#pragma SMint single
  printf("%d points, bt %ld: digest %016llx\n", points, bt, digest_of(&now[0][0][0], (size_t)NZ * NY * NX));
}

int main(void) {
  run(7, 1);
  run(7, 4);
  run(27, 1);
  run(27, 4);
  return 0;
}
