/* Time loops of unlike forms: while, swap by pointers' contents, an end by a reduction, a loop in a loop. */
#include <math.h>
#include <stdio.h>
#define N 33
#pragma xmp nodes p[*]
#pragma xmp template t(0:N-1)
#pragma xmp distribute t(block) onto p
double u[N], v[N];
#pragma xmp align [i] with t(i) :: u, v
#pragma xmp shadow [1] :: u, v
int main(void) {
  double worst = 1;
  int k = 0, calm = 0;
#pragma xmp loop (i) on t(i)
  for (int i = 0; i < N; i++) u[i] = v[i] = (i == 0) ? 64 : 0;
  while (worst > 0.01 && k < 24) {
    worst = 0;
#pragma xmp reflect (u)
#pragma xmp loop (i) on t(i)
    for (int i = 1; i < N - 1; i++) v[i] = 0.5 * (u[i - 1] + u[i + 1]);
#pragma xmp loop (i) on t(i) reduction(max : worst)
    for (int i = 1; i < N - 1; i++) {
      double change = fabs(v[i] - u[i]);
      if (change > worst) worst = change;
    }
#pragma xmp loop (i) on t(i)
    for (int i = 1; i < N - 1; i++) u[i] = v[i];
    k++;
    if (k % 10 == 0) calm++;
  }
  for (int outer = 0; outer < 2; outer++)
    for (int inner = 0; inner < 3; inner++) {
#pragma xmp reflect (v)
#pragma xmp loop (i) on t(i)
      for (int i = 1; i < N - 1; i++) u[i] = v[i - 1] - v[i + 1] + outer * inner;
#pragma xmp loop (i) on t(i)
      for (int i = 1; i < N - 1; i++) v[i] = u[i] * 0.25;
    }
  double most = -1e9;
#pragma xmp loop (i) on t(i) reduction(max : most)
  for (int i = 0; i < N; i++)
    if (u[i] > most) most = u[i];
#pragma xmp task on p(1)
  printf("%d %d %.17g %.17g\n", k, calm, worst, most);
  return 0;
}
