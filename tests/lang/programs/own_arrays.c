/* Cells with arrays of their own, by index in a loop of theirs; one that is declared between the loops is not. */
#include <stdio.h>
#define N 17
#define M 12
#pragma xmp nodes p[*]
#pragma xmp template t[N][M]
#pragma xmp distribute t[block][*] onto p
long f[N][M][3], g[N][M][3];
#pragma xmp align [j][i][*] with t[j][i] :: f, g
int main(void) {
  long sum = 0;
#pragma xmp loop (j,i) on t[j][i]
  for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++)
      for (int q = 0; q < 3; q++) f[j][i][q] = (j * 5 + i * 3 + q) % 7;
#pragma xmp loop (j,i) on t[j][i]
  for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++) {
      long in[3], all = 0;
      for (int q = 0; q < 3; q++) {
        in[q] = f[j][i][q] * (q + 1);
        all += in[q];
      }
      for (int q = 0; q < 3; q++) g[j][i][q] = all - 2 * in[2 - q];
    }
#pragma xmp loop (j,i) on t[j][i]
  for (int j = 0; j < N; j++) {
    long row[1] = {j};
    for (int i = 0; i < M; i++) {
      row[0] = (row[0] * 3 + g[j][i][0]) % 101;
      f[j][i][1] = row[0];
    }
  }
#pragma xmp loop (j,i) on t[j][i] reduction(+:sum)
  for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++)
      for (int q = 0; q < 3; q++) sum += (j + 2 * i + 3 * q) * (f[j][i][q] + 5 * g[j][i][q]);
#pragma xmp task on p[0]
  printf("%ld\n", sum);
}
