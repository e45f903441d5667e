/* Exchanges that end later: async and wait_async, peel_and_wait, two at a time, reflect_init and reflect_do, a part of the shadow. */
#include <stdio.h>
#define M 13
#define N 17
#pragma xmp nodes p[*]
#pragma xmp template t[M][N]
#pragma xmp distribute t[block][*] onto p
long u[M][N], v[M][N], w[M][N];
#pragma xmp align [j][i] with t[j][i] :: u, v, w
#pragma xmp shadow [2][0] :: u, v
int main(void) {
  long sum = 0;
#pragma xmp loop (j) on t[j][:]
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) {
      u[j][i] = j * i;
      v[j][i] = j - i;
    }
#pragma xmp reflect_init (u, v)
  for (int step = 0; step < 5; step++) {
#pragma xmp reflect (u) async(3)
#pragma xmp reflect (v) width(1, 0) async(step)
#pragma xmp wait_async (3, step)
#pragma xmp loop (j) on t[j][:]
    for (int j = 2; j < M - 2; j++)
      for (int i = 0; i < N; i++) w[j][i] = u[j - 2][i] + u[j + 2][i] - v[j - 1][i] + 2 * v[j + 1][i];
#pragma xmp loop (j) on t[j][:]
    for (int j = 0; j < M; j++)
      for (int i = 0; i < N; i++) u[j][i] = (w[j][i] + step) % 101;
#pragma xmp reflect_do (u, v)
#pragma xmp loop (j) on t[j][:]
    for (int j = 1; j < M - 1; j++)
      for (int i = 0; i < N; i++) w[j][i] = u[j - 1][i] * 3 + u[j + 1][i];
#pragma xmp loop (j) on t[j][:]
    for (int j = 0; j < M; j++)
      for (int i = 0; i < N; i++) v[j][i] = w[j][i] % 97;
  }
#pragma xmp loop (j) on t[j][:] reduction(+:sum)
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) sum += (u[j][i] + 1000 * v[j][i]) * (j + i);
#pragma xmp task on p[0]
  printf("%ld\n", sum);
}
