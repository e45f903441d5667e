/* options: -lm */
/* A Poisson equation by 19 points, as the Himeno benchmark has it, in three dimensions of nodes. */
#include <stdio.h>
#ifndef MI
#define MI 17
#define MJ 17
#define MK 33
#endif
#ifndef STEPS
#define STEPS 20
#endif
#pragma xmp nodes n(1, 1, *)
#pragma xmp template t(0:MK-1, 0:MJ-1, 0:MI-1)
#pragma xmp distribute t(block, block, block) onto n
float p[MI][MJ][MK], wrk1[MI][MJ][MK], wrk2[MI][MJ][MK], bnd[MI][MJ][MK], a[4][MI][MJ][MK], b[3][MI][MJ][MK], c[3][MI][MJ][MK];
#pragma xmp align [i][j][k] with t(k, j, i) :: p, bnd, wrk1, wrk2
#pragma xmp align [*][i][j][k] with t(k, j, i) :: a, b, c
#pragma xmp shadow p[1][1][1]
static void fill(void) {
  int i, j, k;
#pragma xmp loop (k, j, i) on t(k, j, i)
  for (i = 0; i < MI; i++)
    for (j = 0; j < MJ; j++)
      for (k = 0; k < MK; k++) {
        a[0][i][j][k] = a[1][i][j][k] = a[2][i][j][k] = 1.0f;
        a[3][i][j][k] = 1.0f / 6.0f;
        b[0][i][j][k] = b[1][i][j][k] = b[2][i][j][k] = 0.0f;
        c[0][i][j][k] = c[1][i][j][k] = c[2][i][j][k] = 1.0f;
        p[i][j][k] = (float)(i * i) / (float)((MI - 1) * (MI - 1));
        wrk1[i][j][k] = 0.0f;
        wrk2[i][j][k] = p[i][j][k];
        bnd[i][j][k] = 1.0f;
      }
}
static float jacobi(int steps) {
  int i, j, k;
  float gosa = 0, s0, ss;
#pragma acc data present(p, bnd, wrk1, wrk2, a, b, c) copy(gosa)
  for (int step = 0; step < steps; step++) {
    gosa = 0.0f;
#pragma xmp reflect (p) acc
#pragma xmp loop (k, j, i) on t(k, j, i) reduction(max : gosa)
#pragma acc parallel loop firstprivate(s0, ss) reduction(max : gosa) collapse(2) gang vector_length(64) async
    for (i = 1; i < MI - 1; ++i)
      for (j = 1; j < MJ - 1; ++j)
#pragma acc loop vector reduction(max : gosa) private(s0, ss)
        for (k = 1; k < MK - 1; ++k) {
          s0 = a[0][i][j][k] * p[i + 1][j][k] + a[1][i][j][k] * p[i][j + 1][k] + a[2][i][j][k] * p[i][j][k + 1] +
               b[0][i][j][k] * (p[i + 1][j + 1][k] - p[i + 1][j - 1][k] - p[i - 1][j + 1][k] + p[i - 1][j - 1][k]) +
               b[1][i][j][k] * (p[i][j + 1][k + 1] - p[i][j - 1][k + 1] - p[i][j + 1][k - 1] + p[i][j - 1][k - 1]) +
               b[2][i][j][k] * (p[i + 1][j][k + 1] - p[i - 1][j][k + 1] - p[i + 1][j][k - 1] + p[i - 1][j][k - 1]) +
               c[0][i][j][k] * p[i - 1][j][k] + c[1][i][j][k] * p[i][j - 1][k] + c[2][i][j][k] * p[i][j][k - 1] +
               wrk1[i][j][k];
          ss = (s0 * a[3][i][j][k] - p[i][j][k]) * bnd[i][j][k];
          gosa = ss * ss > gosa ? ss * ss : gosa;
          wrk2[i][j][k] = p[i][j][k] + 0.8f * ss;
        }
#pragma xmp loop (k, j, i) on t(k, j, i)
#pragma acc parallel loop collapse(2)
    for (i = 1; i < MI - 1; ++i)
      for (j = 1; j < MJ - 1; ++j)
        for (k = 1; k < MK - 1; ++k) p[i][j][k] = wrk2[i][j][k];
#pragma acc wait
  }
  return gosa;
}
int main(void) {
  float gosa;
  fill();
#pragma acc enter data copyin(p, bnd, wrk1, wrk2, a, b, c)
  gosa = jacobi(STEPS);
#pragma acc exit data copyout(p) delete(bnd, wrk1, wrk2, a, b, c)
#pragma xmp task on n(1, 1, 1)
  printf("%.9e\n", gosa);
}
