/* Shadows that are wider than a neighbour's block, on both sides unlike, periodic too; added into their owners. */
#include <stdio.h>
#define N 13
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
long u[N], v[N], f[N];
#pragma xmp align [i] with t[i] :: u, v, f
#pragma xmp shadow u[6:5]
#pragma xmp shadow f[1:1]
int main(void) {
  long sum = 0;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) u[i] = i * i + 1;
#pragma xmp reflect (u)
#pragma xmp loop (i) on t[i]
  for (int i = 6; i < N - 5; i++) v[i] = u[i - 6] + 3 * u[i + 5] - u[i - 4];
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 6; i < N - 5; i++) sum += v[i] * i;
#ifdef _XCALABLEMP
#pragma xmp reflect (u) width(/periodic/6:5)
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 0; i < N; i++) sum += (u[i - 6] - 2 * u[i + 5]) * (i + 1);
#else
  for (int i = 0; i < N; i++) sum += (u[(i - 6 + N) % N] - 2 * u[(i + 5) % N]) * (i + 1);
#endif
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) f[i] = 0;
#ifdef _XCALABLEMP
#pragma xmp loop (i) on t[i] expand(1)
  for (int i = 0; i < N; i++) f[i] = 1;
#pragma xmp reduce_shadow (f)
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 0; i < N; i++) sum += f[i] > 0;
#else
  sum += N;
#endif
#pragma xmp task on p[0]
  printf("%ld\n", sum);
}
