/* options: -DR=2 ranks: 2 4 6 8 */
/* Four dimensions, two of them cut, one by cyclic pieces; shadows on the block alone. */
#include <stdio.h>
#define A 5
#define B 6
#define C 4
#define D 7
#pragma xmp nodes p[R][*]
#pragma xmp template t[A][B][C][D]
#pragma xmp distribute t[*][block][*][cyclic(2)] onto p
short u[A][B][C][D];
int v[A][B][C][D];
#pragma xmp align [l][k][j][i] with t[l][k][j][i] :: u, v
#pragma xmp shadow u[0][1][0][0]
int main(void) {
  long sum = 0;
#pragma xmp loop (k, i) on t[*][k][*][i]
  for (int l = 0; l < A; l++)
    for (int k = 0; k < B; k++)
      for (int j = 0; j < C; j++)
        for (int i = 0; i < D; i++) u[l][k][j][i] = l * 100 + k * 30 + j * 7 + i;
#pragma xmp reflect (u)
#pragma xmp loop (l, k, j, i) on t[l][k][j][i]
  for (int l = 1; l < A; l++)
    for (int k = 1; k < B - 1; k++)
      for (int j = 1; j < C; j++)
        for (int i = 0; i < D; i++) v[l][k][j][i] = u[l - 1][k - 1][j][i] + 2 * u[l][k + 1][j - 1][i];
#pragma xmp loop (l, k, j, i) on t[l][k][j][i] reduction(+:sum)
  for (int l = 1; l < A; l++)
    for (int k = 1; k < B - 1; k++)
      for (int j = 1; j < C; j++)
        for (int i = 0; i < D; i++) sum += v[l][k][j][i] * (l + k * j + i);
#pragma xmp task on p[0][0]
  printf("%ld\n", sum);
  return 0;
}
