/* Sound in a duct by finite differences in time: pressure in cells, velocity on their faces, bands of rows. First a plane wave, whose
 * numerical solution is known to the last bits; then the same with a scatterer, whose cells stand in a table of indices that
 * another process owns. Prints the wave's error and digests, the same on any processes. */
#include "digest.h"

#include <sms.h>

#include <math.h>
#include <stdio.h>

enum { NY = 64, NX = 128, STEPS = 60, MOST = 400 };
typedef double Row[NX];

static const double kCourant = 0.5; /* c dt / dx */

int main(int argc, char** argv) {
  sms_startup(&argc, &argv);
  int dim[] = {NY, NX, -1}, div[] = {sms_nprocs, 1, -1};
  Row* p = sms_mapalloc(dim, div, sizeof(double), 0, sms_nprocs);
  Row* vx = sms_mapalloc(dim, div, sizeof(double), 0, sms_nprocs);
  Row* vy = sms_mapalloc(dim, div, sizeof(double), 0, sms_nprocs);
  int* solid = sms_alloc(sizeof(int), MOST, sms_nprocs - 1); /* numbers of cells; -1 ends */
  const long from = (long)NY * sms_rank / sms_nprocs, to = (long)NY * (sms_rank + 1) / sms_nprocs;
  const double pi = acos(-1), wave = 2 * pi * 3 / NX;      /* three waves in the length, which is periodic */
  const double omega = 2 * asin(kCourant * sin(wave / 2)); /* of the scheme: a phase a step */

  for (int scatter = 0; scatter <= 1; scatter++) {
    if (sms_rank == 0) {
      int count = 0;
      for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++)
          if (scatter && (y - 30) * (y - 30) + (x - 80) * (x - 80) < 80) solid[count++] = y * NX + x;
      solid[count] = -1;
    }
    /* p at whole steps, vx at half ones before them: both of a wave that goes to the right. */
    for (long y = from; y < to; y++)
      for (long x = 0; x < NX; x++) {
        p[y][x] = cos(wave * (double)x);
        vx[y][x] = cos(wave * ((double)x - 0.5) + omega / 2);
        vy[y][x] = 0;
      }
    sms_sync();
    for (int s = 0; s < STEPS; s++) {
      /* Velocities: face x lies between cells x - 1 and x, face y between rows y - 1 and y; none in or out at top and bottom. */
      for (long y = from; y < to; y++)
        for (long x = 0; x < NX; x++) {
          vx[y][x] -= kCourant * (p[y][x] - p[y][(x + NX - 1) % NX]);
          if (y > 0) vy[y][x] -= kCourant * (p[y][x] - p[y - 1][x]);
        }
      sms_sync();
      for (int k = 0; solid[k] >= 0;
           k++) { /* no flow through a solid's faces: each process sees to its own rows */
        const int y = solid[k] / NX, x = solid[k] % NX;
        if (y >= from && y < to) vx[y][x] = vx[y][(x + 1) % NX] = vy[y][x] = 0;
        if (y + 1 >= from && y + 1 < to) vy[y + 1][x] = 0;
      }
      sms_sync();
      for (long y = from; y < to; y++)
        for (long x = 0; x < NX; x++)
          p[y][x] -= kCourant *
                     (vx[y][(x + 1) % NX] - vx[y][x] + (y + 1 < NY ? vy[y + 1][x] - vy[y][x] : -vy[y][x]));
      sms_sync();
    }
    if (sms_rank == 0) {
      double worst = 0;
      for (long y = 0; y < NY; y++)
        for (long x = 0; x < NX; x++)
          worst = fmax(worst, fabs(p[y][x] - cos(wave * (double)x - omega * STEPS)));
      printf("%s: %s the plane wave to 1e-12, digest %016llx\n", scatter ? "scatterer" : "duct",
             worst < 1e-12 ? "is" : "is not", digest_of(&p[0][0], NY * NX));
    }
    sms_sync();
  }
  sms_shutdown();
  return 0;
}
