/* OpenACC alone and with distributed arrays: regions, updates, sections, pointers, nesting, host_data. */
#include <stdio.h>
#include <stdlib.h>
#define N 16
double a[N], twice[N][4];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
double u[N], v[N];
#pragma xmp align [i] with t[i] :: u, v
#pragma xmp shadow u[1]
static double sum_of(int n, double *x) {
  double sum = 0;
#pragma acc parallel loop present(x[0:n]) reduction(+:sum)
  for (int i = 0; i < n; i++) sum += x[i];
  return sum;
}
int main(void) {
  double *heap = malloc(N * sizeof *heap), sums[4] = {0, 0, 0, 0};
  for (int i = 0; i < N; i++) a[i] = heap[i] = i;
#pragma acc data copyin(a) copy(heap[0:N]) create(twice)
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      for (int k = 0; k < 4; k++) twice[i][k] = 2 * a[i] + k;
#pragma acc kernels loop independent
    for (int i = 0; i < N; i++) heap[i] += twice[i][3];
    a[3] = 100;
#pragma acc update device(a[3:1])
#pragma acc update self(twice)
    sums[0] = sum_of(N, a);
  }
  for (int i = 0; i < N; i++) sums[1] += heap[i] + twice[i][1];
#pragma acc enter data copyin(u) create(v)
#pragma xmp loop (i) on t[i]
#pragma acc parallel loop
  for (int i = 0; i < N; i++) u[i] = i * i;
#pragma xmp reflect (u) acc
#pragma acc parallel loop present(u, v)
#pragma xmp loop (i) on t[i]
  for (int i = 1; i < N - 1; i++) v[i] = u[i - 1] + u[i + 1];
#pragma acc update host(v) async(1)
#pragma acc wait(1)
#pragma xmp loop (i) on t[i] reduction(+:sums)
  for (int i = 1; i < N - 1; i++) sums[2] += v[i];
#pragma acc exit data delete(v) copyout(u)
#pragma xmp loop (i) on t[i] reduction(+:sums)
  for (int i = 0; i < N; i++) sums[3] += u[i];
#pragma xmp task on p[0]
  printf("%g %g %g %g\n", sums[0], sums[1], sums[2], sums[3]);
  free(heap);
}
