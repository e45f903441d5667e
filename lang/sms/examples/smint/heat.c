/* Heat on a plate, as the tutorial leaves it in SMint: a sequential program and four lines. Prints a digest of the last step. */
#include "../digest.h"

#include <smint.h>
#include <stdio.h>

enum { N = 256, STEPS = 20 };
#pragma SMint shared ::[NPROCS][](0, NPROCS)
double u[N][N], v[N][N];

int main(void) {
  double(*now)[N] = u, (*next)[N] = v;
#pragma SMint single
  for (long k = 0; k < N; k++) u[0][k] = v[0][k] = 1;
  for (int s = 0; s < STEPS; s++) {
#pragma SMint parallel for copyin(now[i - 1:3][ ])
    for (long i = 1; i < N - 1; i++)
      for (long k = 1; k < N - 1; k++)
        next[i][k] = 0.25 * (now[i - 1][k] + now[i + 1][k] + now[i][k - 1] + now[i][k + 1]);
    double(*swap)[N] = now;
    now = next;
    next = swap;
  }
#pragma SMint single
  printf("%d steps, digest %016llx\n", STEPS, digest_of(&now[0][0], (size_t)N * N));
  return 0;
}
