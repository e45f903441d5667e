/* Sections between arrays that are cut along different dimensions, read in and written out by each node, into themselves. */
#include <stdio.h>
#define M 10
#define N 7
#pragma xmp nodes p[*]
#pragma xmp template t[M][N]
#pragma xmp distribute t[block][*] onto p
#pragma xmp template s[M][N]
#pragma xmp distribute s[*][cyclic] onto p
double a[M][N], b[M][N], c[N][M], line[M];
#pragma xmp align a[j][i] with t[j][i]
#pragma xmp align b[j][i] with s[j][i]
#pragma xmp align c[i][j] with t[j][i]
int main(void) {
  double sum = 0, one = 0, part[3] = {0, 0, 0};
#pragma xmp loop (j) on t[j][:]
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) a[j][i] = 100 * j + i;
#ifdef _XCALABLEMP
#pragma xmp gmove
  b[0:M][0:N] = a[0:M][0:N];
#pragma xmp gmove
  c[3][:] = a[:][2];
#pragma xmp gmove
  line[:] = b[:][5];
#pragma xmp gmove
  a[0:8][:] = a[2:8][:];
#pragma xmp gmove in
  part[0:3] = b[1:3:3][6];
#pragma xmp gmove
  one = c[3][9];
#pragma xmp array on t[1:4][:]
  a[1:4][0:N] = a[1:4][0:N] + 1;
#else
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) b[j][i] = a[j][i];
  for (int j = 0; j < M; j++) c[3][j] = a[j][2];
  for (int j = 0; j < M; j++) line[j] = b[j][5];
  for (int j = 0; j < 8; j++)
    for (int i = 0; i < N; i++) a[j][i] = a[j + 2][i];
  for (int k = 0; k < 3; k++) part[k] = b[1 + 3 * k][6];
  one = c[3][9];
  for (int j = 1; j < 5; j++)
    for (int i = 0; i < N; i++) a[j][i] += 1;
#endif
#pragma xmp loop (j) on t[j][:] reduction(+:sum)
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) sum += a[j][i] * (j + 1) + c[3][j] * i;
#pragma xmp loop (i) on s[:][i] reduction(+:sum)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) sum += b[j][i] * (j + i);
  for (int j = 0; j < M; j++) sum += line[j] * (j + 1);
#pragma xmp task on p[0]
  printf("%.0f %.0f %.0f\n", sum, one, part[0] + 10 * part[1] + 100 * part[2]);
}
