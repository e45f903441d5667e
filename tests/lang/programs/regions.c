/* Data regions in functions and in each other: what is present stays, conditions, sections, queues, exits, memory by address. */
#include <stdio.h>
#include <stdlib.h>
#define N 15
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
double u[N], v[N];
#pragma xmp align [i] with t[i] :: u, v
#pragma xmp shadow u[1]
double table[N][3];
#pragma acc declare create(table)
static void add(double *x, int n, double by) {
#pragma acc parallel loop present_or_copy(x[0:n])
  for (int i = 0; i < n; i++) x[i] += by;
}
static void steps(int count) {
#pragma acc data present(u) create(v)
  for (int k = 0; k < count; k++) {
#pragma xmp loop (i) on t[i]
#pragma acc parallel loop async(1)
    for (int i = 1; i < N - 1; i++) v[i] = (u[i - 1] + u[i + 1]) / 2;
#pragma xmp loop (i) on t[i]
#pragma acc parallel loop async(1)
    for (int i = 1; i < N - 1; i++) u[i] = v[i];
#pragma acc wait(1)
#pragma xmp reflect (u) acc
  }
}
int main(void) {
  double own[8], sum = 0, *heap = malloc(N * sizeof *heap);
  int on = N > 3;
  for (int i = 0; i < 8; i++) own[i] = i;
  for (int i = 0; i < N; i++) heap[i] = 0.5 * i;
#pragma acc data copy(own) if(on)
  {
    add(own, 8, 1);
    own[0] = -100;
#pragma acc update device(own[0:1])
#pragma acc data copy(own)
    add(own, 8, 10);
#pragma acc update host(own[2:3]) if_present
    sum += own[2] + own[4];
  }
  add(own + 4, 2, 1000);
#pragma acc data copy(own) if(!on)
  own[7] += 0.25;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) u[i] = i * i;
#pragma acc enter data copyin(u)
#pragma xmp reflect (u) acc
  steps(3);
  steps(2);
#pragma acc exit data copyout(u)
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < N; i++)
    for (int k = 0; k < 3; k++) table[i][k] = i + 10 * k;
#pragma acc update self(table[2:4])
#pragma acc enter data create(heap[0:N])
#pragma acc update device(heap[3:5])
#pragma acc kernels present(heap[0:N])
  for (int i = 4; i < 8; i++) heap[i] = heap[i] + heap[i - 1];
#pragma acc exit data copyout(heap[3:5])
  for (int i = 0; i < 8; i++) sum += own[i] * (i + 1) + heap[i] * 100;
  for (int k = 0; k < 3; k++) sum += 7 * table[3][k] + table[5][k];
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 0; i < N; i++) sum += u[i] * 4096;
#pragma xmp task on p[0]
  printf("%.0f %g %g\n", sum * 4, own[0], own[7]);
  free(heap);
}
