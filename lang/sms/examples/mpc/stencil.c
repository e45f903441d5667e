/* 7 and 27 points in three dimensions in MpC, slabs of planes, bt steps between synchronisations. Prints what ../smint/stencil.c
 * prints as sequential C. */
#include "../digest.h"

#include <sms.h>
#include <stdio.h>
#include <stdlib.h>

enum { NZ = 24, NY = 16, NX = 32, STEPS = 8 };
typedef double Plane[NY][NX];
shared Plane u[NZ] ::[NPROCS](0, NPROCS), v[NZ] ::[NPROCS][][](0, NPROCS);

static double first_value(long z, long y, long x) { return (double)((z * 31 + y * 17 + x * 7) % 97) / 97; }

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

/* One process' planes and bt of either neighbour; the rims are computed twice. */
static void run(int points, long bt) {
  const long from = (long)NZ * sms_rank / NPROCS, to = (long)NZ * (sms_rank + 1) / NPROCS;
  const long low = from < bt ? 0 : from - bt, high = to + bt > NZ ? NZ : to + bt;
  const size_t whole[] = {NZ, NY, NX}, bytes = sizeof(Plane) * (size_t)(high - low);
  for (long z = from; z < to; z++)
    for (long y = 0; y < NY; y++)
      for (long x = 0; x < NX; x++) u[z][y][x] = v[z][y][x] = first_value(z, y, x);
  sms_sync();
  Plane *own[2] = {malloc(bytes), malloc(bytes)};
  shared Plane *now = u, *next = v;
  for (int done = 0; done < STEPS; done += (int)bt) {
    if (low < from)
      sms_overload_array(now[low], whole, (size_t[]){(size_t)(from - low), NY, NX}, 3, sizeof(double), 0);
    if (to < high)
      sms_overload_array(now[to], whole, (size_t[]){(size_t)(high - to), NY, NX}, 3, sizeof(double), 0);
    memcpy(own[0], now[low], bytes);
    memcpy(own[1], now[low], bytes);
    for (long k = 1; k <= bt; k++) /* a plane less at either side, but at the ends of the whole */
      for (long z = low == 0 ? 1 : low + k; z < (high == NZ ? NZ - 1 : high - k); z++)
        for (long y = 1; y < NY - 1; y++)
          for (long x = 1; x < NX - 1; x++)
            own[k % 2][z - low][y][x] = cell((const Plane *)&own[1 - k % 2][z - low], y, x, points);
    memcpy(next[from], own[bt % 2][from - low], sizeof(Plane) * (size_t)(to - from));
    sms_sync();
    Plane *swap = now;
    now = next;
    next = swap;
  }
  if (sms_rank == 0)
    printf("%d points, bt %ld: digest %016llx\n", points, bt, digest_of(&now[0][0][0], (size_t)NZ * NY * NX));
  free(own[0]);
  free(own[1]);
  sms_sync(); /* nobody begins again while the digest is made */
}

int main(void) {
  run(7, 1);
  run(7, 4);
  run(27, 1);
  run(27, 4);
  return 0;
}
