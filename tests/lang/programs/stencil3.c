/* Three dimensions, corners in the shadow, widths less than the shadow, reflect of two arrays, orthogonal. */
#include <stdio.h>
#define X 11
#define Y 9
#define Z 10
#pragma xmp nodes p(1, 1, *)
#pragma xmp template t(0:X-1, 0:Y-1, 0:Z-1)
#pragma xmp distribute t(block, block, block) onto p
long a[Z][Y][X], b[Z][Y][X], c[Z][Y][X];
#pragma xmp align [k][j][i] with t(i, j, k) :: a, b, c
#pragma xmp shadow [2][1][1] :: a, b
int main(void) {
  long sum = 0, weighted = 0;
#pragma xmp loop (k, j, i) on t(i, j, k)
  for (int k = 0; k < Z; k++)
    for (int j = 0; j < Y; j++)
      for (int i = 0; i < X; i++) {
        a[k][j][i] = k * 100 + j * 10 + i;
        b[k][j][i] = (k + j + i) % 5;
        c[k][j][i] = 0;
      }
#pragma xmp reflect (a, b)
#pragma xmp loop (k, j, i) on t(i, j, k)
  for (int k = 2; k < Z - 2; k++)
    for (int j = 1; j < Y - 1; j++)
      for (int i = 1; i < X - 1; i++)
        c[k][j][i] = a[k - 2][j][i] + a[k + 1][j - 1][i + 1] * b[k - 1][j + 1][i - 1] + b[k + 2][j][i];
#pragma xmp loop (k, j, i) on t(i, j, k) reduction(+:sum, weighted)
  for (int k = 0; k < Z; k++)
    for (int j = 0; j < Y; j++)
      for (int i = 0; i < X; i++) {
        sum += c[k][j][i];
        weighted += c[k][j][i] * (k + 2 * j + 3 * i);
      }
#pragma xmp loop (k, j, i) on t(i, j, k)
  for (int k = 0; k < Z; k++)
    for (int j = 0; j < Y; j++)
      for (int i = 0; i < X; i++) a[k][j][i] += c[k][j][i];
#pragma xmp reflect (a) width(1, 0, 1) orthogonal
#pragma xmp loop (k, j, i) on t(i, j, k) reduction(+:sum)
  for (int k = 1; k < Z - 1; k++)
    for (int j = 0; j < Y; j++)
      for (int i = 1; i < X - 1; i++) sum += a[k - 1][j][i] - 2 * a[k + 1][j][i] + a[k][j][i - 1];
#pragma xmp task on p(1, 1, 1)
  printf("%ld %ld\n", sum, weighted);
}
