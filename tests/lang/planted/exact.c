/* Sums whose last bits depend on their order. */
#include <stdio.h>
#define N 1000
double a[N]; float b[N][37];
#pragma xmp nodes p[*][2]
#pragma xmp nodes q[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto q
#pragma xmp template u[N][37]
#pragma xmp distribute u[block][cyclic(3)] onto p
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i][j] with u[i][j]
int main(void) {
  double s = 0.125, d = 0; float f = 1;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) a[i] = 1.0 / (i + 1);
#pragma xmp loop (i,j) on u[i][j]
  for (int i = 0; i < N; i++) for (int j = 0; j < 37; j++) b[i][j] = 1.0f / (i + j * j + 1);
#pragma xmp loop (i) on t[i] reduction(+:s) reduction(-:d)
  for (int i = 0; i < N; i++) { if (i % 7 == 3) continue; s += a[i]; s += 1e-17; d -= a[i] * 1e10; }
#pragma xmp loop (i,j) on u[i][j] reduction(+:f)
  for (int i = 0; i < N; i++) for (int j = 0; j < 37; j++) { if ((i ^ j) & 1) f += b[i][j]; }
#pragma xmp task on q[0]
  printf("%a %a %a\n", s, d, f);
}
