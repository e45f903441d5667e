/* Periodic shadows reached by -1 and N, expanded loops, the rim alone, the shadow added into its owners. */
#include <stdio.h>
#define N 24
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#ifdef _XCALABLEMP
int a[N], b[N];
#else
int memory[N + 2], *a = memory + 1, b[N];
#endif
#pragma xmp align [i] with t[i] :: a, b
#pragma xmp shadow a[1]
int main(void) {
  long sum = 0;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) {
    a[i] = i * i % 13;
    b[i] = 0;
  }
#pragma xmp reflect (a) width(/periodic/1)
#ifndef _XCALABLEMP
  a[-1] = a[N - 1];
  a[N] = a[0];
#endif
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) b[i] = a[i - 1] + 3 * a[i + 1];
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 0; i < N; i++) sum += b[i] * (i + 1);
  long inner = 0;
#pragma xmp loop (i) on t[i] reduction(+:inner)
  for (int i = 0; i < N; i++) inner += a[i];
#pragma xmp task on p[0]
  printf("%ld %ld\n", sum, inner);
}
