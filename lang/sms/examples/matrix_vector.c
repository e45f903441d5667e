/* y = A x by SMS functions: A and y in bands, x on process 0. What each process needs of x comes as it is touched, or, with
 * --preload, before. The paper's program; prints a digest of y, the same on any processes. */
#include "digest.h"

#include <sms.h>

#include <stdio.h>

#define N 1024

static void init(double (*a)[N], double* x, long from, long to) {
  for (long i = from; i < to; i++)
    for (long k = 0; k < N; k++) a[i][k] = (double)((i * 7 + k * 13) % 101) / 101;
  if (sms_rank == 0)
    for (long k = 0; k < N; k++) x[k] = 1.0 / (double)(k + 1);
}

static void print(const double* y) {
  printf("y[0] %.17g y[%d] %.17g digest %016llx\n", y[0], N - 1, y[N - 1], digest_of(y, N));
}

int main(int argc, char** argv) {
  sms_startup(&argc, &argv);
  int preload = argc > 1 && strcmp(argv[1], "--preload") == 0;
  int dim[] = {N, N, -1}, div[] = {sms_nprocs, 1, -1}, one[] = {N, -1};
  double(*a)[N] = sms_mapalloc(dim, div, sizeof(double), 0, sms_nprocs);
  double* x = sms_alloc(sizeof(double), N, 0);
  double* y = sms_mapalloc(one, div, sizeof(double), 0, sms_nprocs);
  long from = (long)N * sms_rank / sms_nprocs, to = (long)N * (sms_rank + 1) / sms_nprocs;
  init(a, x, from, to);
  sms_sync();
  if (preload) sms_preload_array(x, (size_t[]){N}, (size_t[]){N}, 1, sizeof(double), 0);
#pragma omp parallel for
  for (long i = from; i < to; i++)
    for (long k = 0; k < N; k++) y[i] += a[i][k] * x[k];
  sms_sync();
  if (sms_rank == 0) print(y);
  sms_shutdown();
  return 0;
}
