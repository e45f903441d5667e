/* Heat on a plate, step 2 of the tutorial: rows live with the process that computes them. heat_2 STEPS */
#include "digest.h"
#include "seconds.h"

#include <sms.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 1024 };
typedef double Row[N];

int main(int argc, char** argv) {
  sms_startup(&argc, &argv);
  const int steps = argc > 1 ? atoi(argv[1]) : 20;
  int dim[] = {N, N, -1}, div[] = {sms_nprocs, 1, -1};
  Row* u = sms_mapalloc(dim, div, sizeof(double), 0, sms_nprocs);
  Row* v = sms_mapalloc(dim, div, sizeof(double), 0, sms_nprocs);
  const long from = (long)N * sms_rank / sms_nprocs, to = (long)N * (sms_rank + 1) / sms_nprocs;
  if (sms_rank == 0)
    for (long k = 0; k < N; k++) u[0][k] = v[0][k] = 1;
  sms_sync();
  const double begun = seconds();
  for (int s = 0; s < steps; s++) {
    for (long i = from > 1 ? from : 1; i < to && i < N - 1; i++)
      for (long k = 1; k < N - 1; k++)
        v[i][k] = 0.25 * (u[i - 1][k] + u[i + 1][k] + u[i][k - 1] + u[i][k + 1]);
    sms_sync();
    Row* swap = u;
    u = v;
    v = swap;
  }
  if (sms_rank == 0) {
    fprintf(stderr, "%.3f s\n", seconds() - begun);
    printf("%d steps, digest %016llx\n", steps, digest_of(&u[0][0], (size_t)N * N));
  }
  sms_shutdown();
  return 0;
}
