/* OpenACC as it is usually written: pointers that are present, in a time loop; inlined routines; kernels, queues, atomics, rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#pragma xmp nodes p[*]
#define IDX(i, j) ((i)*m + (j))
typedef struct {
  int n, m;
  double *a, *b;
} grid;
static void init(grid* g, int n, int m) {
  g->n = n;
  g->m = m;
  g->a = calloc(n * m, 8);
  g->b = calloc(n * m, 8);
  for (int j = 0; j < m; j++) g->a[j] = g->b[j] = 1;
}
#pragma acc routine seq
static inline double avg(double l, double r, double u, double d) { return 0.25 * (l + r + u + d); }
static void relax(void) {
  int n = 24, m = 20, iter = 0;
  double err = 1;
  grid g;
  init(&g, n, m);
  double *restrict A = g.a, *restrict B = g.b;
#pragma acc data copy(A[0:n * m]) create(B[0:n * m])
  while (err > 1e-4 && iter < 60) {
    err = 0;
#pragma acc parallel loop collapse(2) reduction(max : err) default(present)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) {
        B[IDX(i, j)] = avg(A[IDX(i, j - 1)], A[IDX(i, j + 1)], A[IDX(i - 1, j)], A[IDX(i + 1, j)]);
        err = fmax(err, fabs(B[IDX(i, j)] - A[IDX(i, j)]));
      }
#pragma acc parallel loop gang vector collapse(2) present(A, B)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) A[IDX(i, j)] = B[IDX(i, j)];
    iter++;
  }
  double s = 0;
  for (int k = 0; k < n * m; k++) s += A[k];
#pragma xmp task on p[0]
  printf("%d %.10f %.10f\n", iter, err, s);
}
#define N 200
static void saxpy(int n, float a, const float *restrict x, float *restrict y) {
#pragma acc kernels copyin(x[0:n]) copy(y[0:n])
  {
    for (int i = 0; i < n; i++) y[i] += a * x[i];
    for (int i = 0; i < n; i++) y[i] *= 2;
  }
}
int main(void) {
  relax();
  float *x = malloc(N * 4), *y = malloc(N * 4);
  float(*c)[10] = malloc(sizeof(float[N][10]));
  int hist[16] = {0};
  for (int i = 0; i < N; i++) {
    x[i] = i;
    y[i] = 1;
  }
  saxpy(N, 0.5f, x, y);
#pragma acc enter data create(c[0:N][0:10]) copyin(x[0:N])
#pragma acc parallel loop async(1) present(c, x)
  for (int i = 0; i < N; i++) {
#pragma acc loop vector
    for (int k = 0; k < 10; k++) c[i][k] = x[i] * k;
  }
#pragma acc parallel loop copy(hist) async(1)
  for (int i = 0; i < N; i++) {
#pragma acc atomic update
    hist[i % 16]++;
  }
#pragma acc update self(c[10:5][0:10]) async(1)
#pragma acc wait
#pragma acc exit data delete (c, x)
  float t = 0;
  for (int i = 0; i < N; i++) t += y[i];
#pragma xmp task on p[0]
  printf("%g %g %d\n", t, c[12][3], hist[3]);
}
