/* Loops whose clauses say which threads do what: the same results however they are shared out. */
#include <stdio.h>
#define N 37
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
double u[N][N][5], v[N][N][5];
#pragma xmp align [k][*][*] with t[k] :: u, v
long a[N * N];

int main(void) {
  long total = 0, most = 0, n = 3;
  double sum = 0;
#pragma acc data copyout(u, v, a)
  {
#pragma xmp loop (k) on t[k]
#pragma acc parallel loop gang num_gangs(n) num_workers(2) vector_length(16)
    for (int k = 0; k < N; k++)
#pragma acc loop worker
      for (int j = 0; j < N; j++)
#pragma acc loop vector
        for (int i = 0; i < 5; i++) u[k][j][i] = k + 2 * j + 4 * i;
#pragma xmp loop (k) on t[k]
#pragma acc parallel loop gang vector collapse(2) vector_length(96)
    for (int k = 0; k < N; k++)
      for (int j = N - 1; j >= 0; j--)
        for (int i = 0; i < 5; i++) v[k][j][i] = u[k][j][4 - i] / 2;
#pragma acc parallel loop num_gangs(2) vector_length(40)
    for (int i = 0; i < N * N; i++) a[i] = i % 19 - 3;
#pragma acc parallel loop reduction(+:total) num_gangs(7) num_workers(3) vector_length(11)
    for (int i = 0; i < N * N; i += 2) total += a[i];
#pragma acc parallel loop vector reduction(max:most) vector_length(513)
    for (int i = 0; i < N * N; i++)
      if (a[i] * i > most) most = a[i] * i;
#pragma acc kernels loop independent gang(5)
    for (int i = 0; i < N; i++)
#pragma acc loop independent vector(32)
      for (int j = 0; j < N; j++) a[i * N + j] += j;
  }
#pragma xmp loop (k) on t[k] reduction(+:sum)
  for (int k = 0; k < N; k++)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < 5; i++) sum += u[k][j][i] * (k + 1) + v[k][j][i] * (j + 3 * i);
  for (int i = 0; i < N * N; i++) total += a[i] * (i % 5);
#pragma xmp task on p[0]
  printf("%.1f %ld %ld\n", sum, total, most);
}
