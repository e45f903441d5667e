/* By hand for a host: the passes of tests/lang/programs/laplace.c and himeno.c, with extents known at run time.
 *
 *   cc -O2 -march=native -ffp-contract=off -fopenmp bench/directives/plain.c -o plain && OMP_NUM_THREADS=2 ./plain laplace 4096 4096 1 100
 *
 * Prints what the program prints; its last line is microseconds a step. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy_back(double *restrict to, const double *restrict from, long rows, long columns) {
#pragma omp parallel for
  for (long j = 1; j < rows - 1; j++)
#pragma omp simd
    for (long i = 1; i < columns - 1; i++) to[j * columns + i] = from[j * columns + i];
}

static void five_points(double *restrict u, const double *restrict v, long rows, long columns) {
#pragma omp parallel for
  for (long j = 1; j < rows - 1; j++)
#pragma omp simd
    for (long i = 1; i < columns - 1; i++) {
      const long at = j * columns + i;
      u[at] = (v[at - columns] + v[at + columns] + v[at - 1] + v[at + 1]) / 4;
    }
}

static double laplace(long rows, long columns, int steps) {
  double *u = malloc(rows * columns * sizeof *u), *v = malloc(rows * columns * sizeof *v), change = 0;
  if (!u || !v) exit(1);
#pragma omp parallel for
  for (long j = 0; j < rows; j++)
    for (long i = 0; i < columns; i++) u[j * columns + i] = v[j * columns + i] = j == 0;
  const double begin = omp_get_wtime();
  for (int k = 0; k < steps; k++) {
    copy_back(v, u, rows, columns);
    five_points(u, v, rows, columns);
  }
  const double time = omp_get_wtime() - begin;
  for (long j = 1; j < rows - 1; j++)
    for (long i = 1; i < columns - 1; i++) change += v[j * columns + i] - u[j * columns + i];
  printf("change %.12g\n", change);
  return time;
}

struct himeno {
  float *p, *wrk1, *wrk2, *bnd, *a, *b, *c;
  long rows, columns, planes; /* along j, k and i */
};

static float jacobi(struct himeno h) {
  const long sj = h.columns, si = h.rows * h.columns, n = h.planes * si;
  const float *restrict p = h.p, *restrict a = h.a, *restrict b = h.b, *restrict c = h.c;
  float *restrict wrk2 = h.wrk2, gosa = 0;
#pragma omp parallel for reduction(max : gosa)
  for (long i = 1; i < h.planes - 1; i++)
    for (long j = 1; j < h.rows - 1; j++) {
      const long row = i * si + j * sj;
#pragma omp simd reduction(max : gosa)
      for (long at = row + 1; at < row + h.columns - 1; at++) {
        const float s0 = a[at] * p[at + si] + a[n + at] * p[at + sj] + a[2 * n + at] * p[at + 1] +
                         b[at] * (p[at + si + sj] - p[at + si - sj] - p[at - si + sj] + p[at - si - sj]) +
                         b[n + at] * (p[at + sj + 1] - p[at - sj + 1] - p[at + sj - 1] + p[at - sj - 1]) +
                         b[2 * n + at] * (p[at + si + 1] - p[at - si + 1] - p[at + si - 1] + p[at - si - 1]) +
                         c[at] * p[at - si] + c[n + at] * p[at - sj] + c[2 * n + at] * p[at - 1] + h.wrk1[at];
        const float ss = (s0 * a[3 * n + at] - p[at]) * h.bnd[at];
        gosa = ss * ss > gosa ? ss * ss : gosa;
        wrk2[at] = p[at] + 0.8f * ss;
      }
    }
  return gosa;
}

static void take_over(struct himeno h) {
  float *restrict p = h.p, *restrict wrk2 = h.wrk2;
#pragma omp parallel for
  for (long i = 1; i < h.planes - 1; i++)
    for (long j = 1; j < h.rows - 1; j++) {
      const long row = (i * h.rows + j) * h.columns;
#pragma omp simd
      for (long at = row + 1; at < row + h.columns - 1; at++) p[at] = wrk2[at];
    }
}

static float *filled(long count, float value) {
  float *at = malloc(count * sizeof *at);
  if (!at) exit(1);
#pragma omp parallel for
  for (long n = 0; n < count; n++) at[n] = value;
  return at;
}

static double himeno(long rows, long columns, long planes, int steps) {
  const long n = planes * rows * columns;
  struct himeno h = {filled(n, 0), filled(n, 0), filled(n, 0), filled(n, 1), filled(4 * n, 1),
                     filled(3 * n, 0), filled(3 * n, 1), rows, columns, planes};
  for (long at = 0; at < n; at++) {
    const long i = at / (rows * columns);
    h.a[3 * n + at] = 1.0f / 6.0f;
    h.p[at] = h.wrk2[at] = (float)(i * i) / (float)((planes - 1) * (planes - 1));
  }
  float gosa = 0;
  const double begin = omp_get_wtime();
  for (int k = 0; k < steps; k++) {
    gosa = jacobi(h);
    take_over(h);
  }
  const double time = omp_get_wtime() - begin;
  printf("%.9e\n", gosa);
  return time;
}

int main(int argc, char **argv) {
  if (argc != 6) return fprintf(stderr, "plain laplace|himeno ROWS COLUMNS PLANES STEPS\n"), 2;
  const long rows = atol(argv[2]), columns = atol(argv[3]), planes = atol(argv[4]);
  const int steps = atoi(argv[5]);
  const double time = strcmp(argv[1], "laplace") ? himeno(rows, columns, planes, steps) : laplace(rows, columns, steps);
  printf("%.2f\n", 1e6 * time / steps);
  return 0;
}
