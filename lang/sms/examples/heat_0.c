/* Heat on a plate, a sequential program: where the tutorial begins. heat_0 STEPS */
#include "digest.h"
#include "seconds.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 1024 };
typedef double Row[N];

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 20;
  Row* u = calloc(N, sizeof(Row));
  Row* v = calloc(N, sizeof(Row));
  for (long k = 0; k < N; k++) u[0][k] = v[0][k] = 1;
  const double begun = seconds();
  for (int s = 0; s < steps; s++) {
    for (long i = 1; i < N - 1; i++)
      for (long k = 1; k < N - 1; k++)
        v[i][k] = 0.25 * (u[i - 1][k] + u[i + 1][k] + u[i][k - 1] + u[i][k + 1]);
    Row* swap = u;
    u = v;
    v = swap;
  }
  fprintf(stderr, "%.3f s\n", seconds() - begun);
  printf("%d steps, digest %016llx\n", steps, digest_of(&u[0][0], (size_t)N * N));
  return 0;
}
