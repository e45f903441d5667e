/* One loop over arrays of a format: -DFORMAT=block, "cyclic(64)", cyclic or "gblock(sizes)", -DR=ranks.
 * Prints seconds a loop of node 0, the best of ROUNDS, and a sum that is the same for all formats. */
#include <stdio.h>
#include <xmp.h>
#ifndef N
#define N (1L << 24)
#endif
#ifndef ROUNDS
#define ROUNDS 20
#endif
#if R == 1
int sizes[R] = {N};
#else
int sizes[R] = {N / 2 + 5, N / 2 - 5};
#endif
#pragma xmp nodes p[R]
#pragma xmp template t[N]
#pragma xmp distribute t[FORMAT] onto p
double a[N], b[N], c[N];
#pragma xmp align [i] with t[i] :: a, b, c

int main(void) {
  double best = 1e30;
  long sum = 0;
#pragma xmp loop (i) on t[i]
  for (long i = 0; i < N; i++) {
    a[i] = 0;
    b[i] = i % 7;
    c[i] = i % 5;
  }
  for (int round = 0; round < ROUNDS; round++) {
#pragma xmp barrier
    double begin = xmp_wtime();
#pragma xmp loop (i) on t[i]
    for (long i = 0; i < N; i++) a[i] = b[i] + 3 * c[i];
    double time = xmp_wtime() - begin;
    best = time < best ? time : best;
  }
#pragma xmp loop (i) on t[i] reduction(+ : sum)
  for (long i = 0; i < N; i++) sum += (long)a[i] * (i % 3);
#pragma xmp task on p[0]
  printf("{\"seconds\": %.9g, \"sum\": %ld}\n", best, sum);
  return 0;
}
