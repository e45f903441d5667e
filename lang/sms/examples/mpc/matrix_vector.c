/* y = A x in MpC: bands of A and y, x on process 0. Prints what ../smint/matrix_vector.c prints as sequential C. */
#include "../digest.h"

#include <sms.h>
#include <stdio.h>

#define N 256
shared double a[N][N] ::[NPROCS][](0, NPROCS);
shared double x[N] ::[](0, 1), y[N] ::[NPROCS](0, NPROCS);

static void multiply(shared double (*rows)[N], const double *by, shared double *into, long from, long to) {
  for (long i = from; i < to; i++)
    for (long k = 0; k < N; k++) into[i] += rows[i][k] * by[k];
}

int main(void) {
  const long from = (long)N * sms_rank / NPROCS, to = (long)N * (sms_rank + 1) / NPROCS;
  for (long i = from; i < to; i++)
    for (long k = 0; k < N; k++) a[i][k] = (double)((i * 7 + k * 13) % 101) / 101;
  if (sms_rank == 0)
    for (long k = 0; k < N; k++) x[k] = 1.0 / (double)(k + 1);
  sms_sync();
  multiply(a, x, y, from, to);
  sms_sync();
  if (sms_rank == 0)
    printf("y[0] %.17g digest %016llx, %zu bytes\n", y[0], digest_of(y, N), sizeof a + sizeof y);
  return 0;
}
