/* 7 or 27 points in three dimensions, slabs of planes, bt steps between synchronisations: a slab is brought with bt planes of
 * either neighbour, which are computed twice. What is needed of neighbours comes as it is touched, or with --sections in one go, and
 * is kept up to date by synchronisations. The cells of a process are done by threads (cc -fopenmp) or by what OpenACC has (-fopenacc).
 *
 *   sms-stencil [--27] [--sections] [--bt STEPS] [--planes N] [--counts]
 *
 * Prints a digest of the last step, the same on any processes. With --counts, what it cost behind the first steps. */
#include "stencil.h"
#include "digest.h"

#include <sms.h>

#include <stdio.h>

/* One step of the planes from <= z < to of a slab that begins at plane `first`. */
static void step(const Plane* u, Plane* v, long from, long to, long first, long planes, int points) {
#ifdef _OPENACC
#pragma acc parallel loop collapse(3) present(u [0:1], v [0:1])
#else
#pragma omp parallel for
#endif
  for (long z = from; z < to; z++)
    for (long y = 0; y < NY; y++)
      for (long x = 0; x < NX; x++) v[z - first][y][x] = next_value(&u[z - first], z, y, x, planes, points);
}

int main(int argc, char** argv) {
  sms_startup(&argc, &argv);
  const Options o = options_of(argc, argv);
  const long nz = o.planes, bt = o.bt;
  int dim[] = {(int)nz, NY, NX, -1}, div[] = {sms_nprocs, 1, 1, -1};
  Plane* a = sms_mapalloc(dim, div, sizeof(double), 0, sms_nprocs);
  Plane* b = sms_mapalloc(dim, div, sizeof(double), 0, sms_nprocs);
  const long from = nz * sms_rank / sms_nprocs, to = nz * (sms_rank + 1) / sms_nprocs;
  const long first = from - bt < 0 ? 0 : from - bt, end = to + bt > nz ? nz : to + bt, count = end - first;
  for (long z = from; z < to; z++)
    for (long y = 0; y < NY; y++)
      for (long x = 0; x < NX; x++) a[z][y][x] = first_value(z, y, x);
  sms_sync();

  Plane* u = malloc(sizeof(Plane) * (size_t)count);
  Plane* v = malloc(sizeof(Plane) * (size_t)count);
  const size_t whole[] = {(size_t)nz, NY, NX};
  sms_counts before = {0};
  for (long done = 0; done < STEPS; done += bt) {
    if (done == 2 * bt) before = sms_count();
    const long steps = STEPS - done < bt ? STEPS - done : bt;
    if (o.sections && first < from)
      sms_overload_array(a[first], whole, (size_t[]){(size_t)(from - first), NY, NX}, 3, 8, 0);
    if (o.sections && to < end)
      sms_overload_array(a[to], whole, (size_t[]){(size_t)(end - to), NY, NX}, 3, 8, 0);
    memcpy(u, a[first], sizeof(Plane) * (size_t)count);
#ifdef _OPENACC
#pragma acc data copy(u [0:count], v [0:count])
#endif
    for (long s = 1; s <= steps; s++) { /* each can do a plane less at either side, but at the whole's ends */
      const long low = first == 0 ? 0 : first + s, high = end == nz ? nz : end - s;
      step(u, v, low, high, first, nz, o.points);
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
    printf("%d points, bt %ld: digest %016llx\n", o.points, bt, digest_of(&a[0][0][0], (size_t)nz * NY * NX));
  if (o.counts && sms_rank == 0) /* of the steps behind the first two blocks */
    printf("touches %llu, first writes %llu, bytes in %llu, bytes out %llu, messages %llu\n",
           after.faults - before.faults, after.first_writes - before.first_writes,
           after.bytes_in - before.bytes_in, after.bytes_out - before.bytes_out,
           after.messages - before.messages);
  free(u);
  free(v);
  sms_shutdown();
  return 0;
}
