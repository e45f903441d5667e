/* OpenACC: conditions of regions, parts of arrays and pointers, sections of several pieces, addresses of the device, declare in functions. */
#include <stdio.h>
#include <stdlib.h>
#define N 24
#define M 7
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
int u[N];
#pragma xmp align u[i] with t[i]
static int total(int *x, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum = 3 * sum % 10007 + x[i];
  return sum;
}
static void known(int a[N]) {
#pragma acc data copy(a)
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++) a[i] += i;
  }
}
static void given(int *a, int *b, int n) {
#pragma acc declare deviceptr(b)
#pragma acc parallel loop deviceptr(a)
  for (int i = 0; i < n; i++) a[i] = a[i] * 2 + b[i];
#pragma acc data deviceptr(a)
  {
#pragma acc parallel loop
    for (int i = 1; i < n; i++) a[i] -= b[i];
  }
}
static int declared(int by, int leave) {
  int local[N], out[N];
  for (int i = 0; i < N; i++) local[i] = by * i, out[i] = 0;
#pragma acc declare copyin(local) create(out)
#pragma acc parallel loop
  for (int i = 0; i < N; i++) out[i] = local[i] + 1;
#pragma acc update host(out)
  if (leave) return total(out, N);
  return -total(out, N);
}
static int conditions(int n) {
  int a[N], b[N], on = n > 0, s = 0;
  for (int i = 0; i < N; i++) a[i] = b[i] = i;
#pragma acc data copy(a) copyin(b)
  {
#pragma acc parallel loop if (n < 0)
    for (int i = 0; i < N; i++) a[i] = -1 - i;
#pragma acc update device(a)
#pragma acc kernels loop if (on)
    for (int i = 0; i < N; i++) a[i] += 5;
#pragma acc parallel loop reduction(+ : s)
    for (int i = 0; i < N; i++) s += b[i];
#pragma acc parallel loop reduction(+ : s) if (n == 0)
    for (int i = 0; i < N; i++) s += 3 * b[i];
#pragma acc update host(b) if (n < 0)
  }
#pragma acc data copy(b) if (on)
  {
    on = 0;
#pragma acc parallel loop if (!on)
    for (int i = 0; i < N; i++) b[i] += 100;
  }
  return total(a, N) + total(b, N) + s;
}
static int parts(void) {
  int a[N], *heap = malloc(N * sizeof *heap), grid[N][M], (*rows)[M] = grid;
  for (int i = 0; i < N; i++) {
    a[i] = heap[i] = i;
    for (int j = 0; j < M; j++) grid[i][j] = 0;
  }
#pragma acc data copy(a[4:8], heap[6:N - 6])
  {
    int low = 6;
#pragma acc parallel loop
    for (int i = 4; i < 12; i++) a[i] += 10;
    low++;
#pragma acc parallel loop
    for (int i = low; i < N; i++) heap[i] *= 2;
    a[0] = heap[0] = 77;
  }
#pragma acc parallel loop copy(heap[1:3])
  for (int i = 1; i < 4; i++) heap[i] = -i;
#pragma acc parallel loop copy(rows[3][:])
  for (int j = 0; j < M; j++) rows[3][j] = j;
#pragma acc data copyin(grid)
  {
#pragma acc parallel loop collapse(2)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++) grid[i][j] = 10 * i + j;
    for (int i = 0; i < N; i++)
      if (i / 2 != 6) grid[i][1] = grid[i][6] = -5;
    grid[2][3] = grid[9][3] = -7; /* beyond the rows that are updated */
#pragma acc update host(grid[3:6][2:4])
#pragma acc update host(rows[12:2][0:M])
    for (int j = 2; j < 4; j++) grid[4][j] = -j;
    grid[4][0] = grid[4][4] = -9;
#pragma acc update device(grid[4][2:2])
#pragma acc parallel loop
    for (int j = 2; j < 4; j++) grid[4][j] += 1000;
#pragma acc update host(grid[4][2:2])
  }
  int sum = total(a, N) + total(heap, N) + grid[2][3] + grid[9][3] + grid[4][2] + grid[4][5];
  for (int i = 0; i < N; i++) sum += (i + 1) * (grid[i][1] + grid[i][6]);
  for (int i = 3; i < 9; i++) sum += 3 * total(grid[i] + 2, 4);
  free(heap);
  return sum + total(grid[12], 2 * M);
}
int main(void) {
  int a[N], b[N], number = 3, *there, s = 0;
  for (int i = 0; i < N; i++) a[i] = b[i] = i;
  known(a);
#pragma acc data copy(a) copyin(b)
  {
#pragma acc host_data use_device(a, b)
    given(a, b, N);
#pragma acc host_data use_device(number)
    there = &number;
  }
  *there += 4;
  int calls = declared(1, 0) + declared(2, 1) + declared(3, 0);
#pragma acc data copy(u)
  {
#pragma xmp loop (i) on t[i]
#pragma acc parallel loop
    for (int i = 0; i < N; i++) u[i] = i;
#pragma acc update host(u)
#pragma xmp loop (i) on t[i]
#pragma acc parallel loop if (number < 0)
    for (int i = 0; i < N; i++) u[i] *= 3;
#pragma acc update device(u)
  }
#pragma xmp loop (i) on t[i] reduction(+ : s)
  for (int i = 0; i < N; i++) s += u[i];
  int c = conditions(1), d = parts();
#pragma xmp task on p[0]
  printf("%d %d %d %d %d %d\n", total(a, N), number, calls, s, c, d);
}
