/* 7 or 27 points in three dimensions, slabs of planes, bt steps between synchronisations: a slab is brought with bt planes of
 * either neighbour, which are computed twice. What is needed of neighbours comes as it is touched, or with --sections in one go, and
 * is kept up to date by synchronisations.
 *
 *   sms-stencil [--27] [--sections] [--bt STEPS] [--counts]
 *
 * Prints a digest of the last step, the same on any processes. With --counts, what it cost behind the first steps. */
#include "digest.h"

#include <sms.h>

#include <stdio.h>
#include <stdlib.h>

enum { NZ = 48, NY = 32, NX = 64, STEPS = 24, PLANE = NY * NX };
typedef double Plane[NY][NX];

static double first_value(long z, long y, long x) { return (double)((z * 31 + y * 17 + x * 7) % 97) / 97; }

/* One step of the planes from <= z < to; all of the rim of the whole stays as it is. */
static void step(const Plane* u, Plane* v, long from, long to, long first, int points) {
#pragma omp parallel for
  for (long z = from; z < to; z++)
    for (long y = 0; y < NY; y++)
      for (long x = 0; x < NX; x++) {
        const Plane* c = &u[z - first];
        if (z == 0 || z == NZ - 1 || y == 0 || y == NY - 1 || x == 0 || x == NX - 1) {
          v[z - first][y][x] = c[0][y][x];
        } else if (points == 7) {
          v[z - first][y][x] = 0.4 * c[0][y][x] + 0.1 * (c[-1][y][x] + c[1][y][x] + c[0][y - 1][x] +
                                                         c[0][y + 1][x] + c[0][y][x - 1] + c[0][y][x + 1]);
        } else {
          double sum = 0;
          for (int k = -1; k <= 1; k++)
            for (int j = -1; j <= 1; j++)
              for (int i = -1; i <= 1; i++) sum += c[k][y + j][x + i];
          v[z - first][y][x] = sum / 27;
        }
      }
}

int main(int argc, char** argv) {
  sms_startup(&argc, &argv);
  int points = 7, sections = 0, counts = 0;
  long bt = 4;
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "--27")) points = 27;
    if (!strcmp(argv[k], "--sections")) sections = 1;
    if (!strcmp(argv[k], "--counts")) counts = 1;
    if (!strcmp(argv[k], "--bt") && k + 1 < argc) bt = atol(argv[++k]);
  }
  int dim[] = {NZ, NY, NX, -1}, div[] = {sms_nprocs, 1, 1, -1};
  Plane* a = sms_mapalloc(dim, div, sizeof(double), 0, sms_nprocs);
  Plane* b = sms_mapalloc(dim, div, sizeof(double), 0, sms_nprocs);
  const long from = (long)NZ * sms_rank / sms_nprocs, to = (long)NZ * (sms_rank + 1) / sms_nprocs;
  const long first = from - bt < 0 ? 0 : from - bt, end = to + bt > NZ ? NZ : to + bt;
  for (long z = from; z < to; z++)
    for (long y = 0; y < NY; y++)
      for (long x = 0; x < NX; x++) a[z][y][x] = first_value(z, y, x);
  sms_sync();

  Plane* u = malloc(sizeof(Plane) * (size_t)(end - first));
  Plane* v = malloc(sizeof(Plane) * (size_t)(end - first));
  const size_t whole[] = {NZ, NY, NX};
  sms_counts before = {0};
  for (long done = 0; done < STEPS; done += bt) {
    if (done == 2 * bt) before = sms_count();
    const long steps = STEPS - done < bt ? STEPS - done : bt;
    if (sections && first < from)
      sms_overload_array(a[first], whole, (size_t[]){(size_t)(from - first), NY, NX}, 3, 8, 0);
    if (sections && to < end)
      sms_overload_array(a[to], whole, (size_t[]){(size_t)(end - to), NY, NX}, 3, 8, 0);
    memcpy(u, a[first], sizeof(Plane) * (size_t)(end - first));
    for (long s = 1; s <= steps;
         s++) { /* each step can do a plane less at either side, but at the ends of the whole */
      const long low = first == 0 ? 0 : first + s, high = end == NZ ? NZ : end - s;
      step(u, v, low, high, first, points);
      Plane* swap = u;
      u = v;
      v = swap;
    }
    memcpy(b[from], u[from - first], sizeof(Plane) * (size_t)(to - from));
    sms_sync();
    Plane* swap = a;
    a = b;
    b = swap;
  }
  const sms_counts after = sms_count();
  if (sms_rank == 0)
    printf("%d points, bt %ld: digest %016llx\n", points, bt, digest_of(&a[0][0][0], (size_t)NZ * PLANE));
  if (counts && sms_rank == 0) /* of the steps behind the first two blocks */
    printf("touches %llu, first writes %llu, MiB in %.4f, MiB out %.4f\n", after.faults - before.faults,
           after.first_writes - before.first_writes, (double)(after.bytes_in - before.bytes_in) / 1048576,
           (double)(after.bytes_out - before.bytes_out) / 1048576);
  free(u);
  free(v);
  sms_shutdown();
  return 0;
}
