/* Periodic shadows: both ends of a dimension are neighbours, also of a node that is its own. Round lists of widths. */
#include <stdio.h>
#define N 10
#define M 6
#pragma xmp nodes p(*)
#pragma xmp template t(0:M-1, 0:N-1)
#pragma xmp distribute t(*, block) onto p
int a[N][M], b[N][M];
#pragma xmp align [j][i] with t(i, j) :: a, b
#pragma xmp shadow a[2][1]
#ifdef _XCALABLEMP
#define AT(j, i) a[j][i]
#else
#define AT(j, i) a[((j) + N) % N][((i) + M) % M]
#endif
int main(void) {
  long sum = 0;
#pragma xmp loop (j) on t(*, j)
  for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++) a[j][i] = j * M + i;
  for (int k = 0; k < 3; k++) {
#pragma xmp reflect (a) width(/periodic/2, /periodic/1)
#pragma xmp loop (j) on t(*, j)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) b[j][i] = AT(j - 2, i + 1) + 2 * AT(j + 1, i - 1) - AT(j + 2, i);
#pragma xmp loop (j) on t(*, j)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) a[j][i] = b[j][i] % 997;
  }
#pragma xmp loop (j) on t(*, j) reduction(+ : sum)
  for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++) sum += a[j][i] * (j + 2 * i);
#pragma xmp task on p(1)
  printf("%ld\n", sum);
  return 0;
}
