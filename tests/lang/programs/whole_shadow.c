/* Full shadows: every node has the whole dimension after a reflect, whatever its part of it is. */
#include <stdio.h>
#define N 13
#define M 4
#pragma xmp nodes p(*)
#pragma xmp template t(0:N-1)
#pragma xmp distribute t(block) onto p
#pragma xmp template c(0:N-1)
#pragma xmp distribute c(cyclic(2)) onto p
double x[N], y[N], a[N][N];
long m[M][N];
#pragma xmp align x[i] with t(i)
#pragma xmp align y[i] with t(i)
#pragma xmp align a[i][*] with t(i)
#pragma xmp align m[*][i] with t(i)
#pragma xmp shadow x[*]
#pragma xmp shadow m[0][*]
int main(void) {
  double sum = 0;
  long other = 0;
#pragma xmp loop (i) on t(i)
  for (int i = 0; i < N; i++) {
    x[i] = i + 1;
    for (int j = 0; j < N; j++) a[i][j] = (i * j) % 7;
    for (int k = 0; k < M; k++) m[k][i] = k * i;
  }
  for (int k = 0; k < 3; k++) {
#pragma xmp reflect (x)
#pragma xmp loop (i) on t(i)
    for (int i = 0; i < N; i++) {
      y[i] = 0;
      for (int j = 0; j < N; j++) y[i] += a[i][j] * x[j];
    }
#pragma xmp loop (i) on t(i)
    for (int i = 0; i < N; i++) x[i] = y[i] - 1000 * (int)(y[i] / 1000);
  }
#pragma xmp reflect (m)
#pragma xmp loop (i) on t(i) reduction(+ : sum, other)
  for (int i = 0; i < N; i++) {
    sum += x[i] * (i + 1);
    for (int k = 0; k < M; k++) other += m[k][N - 1 - i] * (i + k);
  }
#pragma xmp task on p(1)
  printf("%.0f %ld\n", sum, other);
  return 0;
}
