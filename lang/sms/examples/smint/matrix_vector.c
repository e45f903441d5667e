/* y = A x in SMint: a sequential program, and what it is without `tasuki cc`. */
#include "../digest.h"

#include <smint.h>
#include <stdio.h>

#define N 256
#pragma SMint shared ::[NPROCS][](0, NPROCS);
double a[N][N];
#pragma SMint shared ::[](0, 1)
double x[N];
#pragma SMint shared ::[NPROCS](0, NPROCS)
double y[N];

int main(void) {
#pragma SMint parallel for
  for (long i = 0; i < N; i++)
    for (long k = 0; k < N; k++) a[i][k] = (double)((i * 7 + k * 13) % 101) / 101;
#pragma SMint single
  for (long k = 0; k < N; k++) x[k] = 1.0 / (double)(k + 1);
#pragma SMint parallel for copyin(x[ ])
#pragma omp parallel for
  for (long i = 0; i < N; i++)
    for (long k = 0; k < N; k++) y[i] += a[i][k] * x[k];
#pragma SMint single
  printf("y[0] %.17g digest %016llx, %zu bytes\n", y[0], digest_of(y, N), sizeof a + sizeof y);
  return 0;
}
