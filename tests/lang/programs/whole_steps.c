/* options: -lm ranks: 1 2 4 */
/* Time loops of regions, which GPUs do as a whole: round the ends, given numbers, functions, a sum that is left, steps of their own. */
#include <math.h>
#include <stdio.h>
#define N 24
#define M 17
#pragma xmp nodes p[*][1]
#pragma xmp template t[N][M]
#pragma xmp distribute t[block][block] onto p
double u[N][M], v[N][M], w[2][N][M];
#pragma xmp align [j][i] with t[j][i] :: u, v
#pragma xmp align [*][j][i] with t[j][i] :: w
#pragma xmp shadow [1][2] :: u
#ifdef _XCALABLEMP
#define U(j, i) u[j][i]
#else
#define U(j, i) u[((j) + N) % N][((i) + M) % M]
#endif
static double weight(double a, int k) { return k % 3 ? a : a * 0.5; }

static void tell(int step) {
  long total = 0;
#pragma xmp loop (j,i) on t[j][i] reduction(+:total)
  for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++) total += (long)(1e9 * u[j][i]) * (1 + j + 3 * i);
#pragma xmp task on p[0][0]
  printf("step %d: %ld\n", step, total);
}

static void drift(int steps, double rate) {
  double left = 0;
#pragma acc data copy(u) copyin(w) create(v)
  for (int k = 0; k < steps; k++) {
    left = 0;
#pragma xmp reflect (u) width(/periodic/1, /periodic/2:1) acc
#pragma xmp loop (j,i) on t[j][i]
#pragma acc parallel loop collapse(2)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) {
        double sum = w[0][j][i] * U(j - 1, i);
        sum += w[1][j][i] * U(j + 1, i);
        v[j][i] = 0.5 * U(j, i) + weight(rate, i) * U(j - 1, i - 2) + 0.125 * U(j + 1, i + 1) + sum;
      }
#pragma xmp loop (j,i) on t[j][i] reduction(max:left)
#pragma acc parallel loop collapse(2) reduction(max:left)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) {
        double change = fabs(v[j][i] - u[j][i]);
        if (change > left) left = change;
      }
#pragma xmp loop (j,i) on t[j][i]
#pragma acc parallel loop collapse(2)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) u[j][i] = v[j][i];
  }
#pragma xmp task on p[0][0]
  printf("left %.17g\n", left);
}

/* Two arrays in turn, and every fifth step one that the host sees. */
static void looked_at(int steps) {
  int looks = 0;
#pragma acc data copy(u) create(v)
  for (int k = 0; k < steps; k++) {
#pragma xmp reflect (u) width(1, 0) acc
#pragma xmp loop (j,i) on t[j][i]
#pragma acc parallel loop collapse(2)
    for (int j = 1; j < N - 1; j++)
      for (int i = 0; i < M; i++) v[j][i] = (u[j - 1][i] + u[j + 1][i]) / 2;
#pragma xmp loop (j,i) on t[j][i]
#pragma acc parallel loop collapse(2)
    for (int j = 1; j < N - 1; j++)
      for (int i = 0; i < M; i++) u[j][i] = v[j][i];
    if (k % 15 == 14) {
#pragma acc update host(u)
      tell(k);
    }
  }
}

/* A number whose copy on the device is another than the host's: its regions go one by one. */
static void paced(int steps, double rate) {
  double *r = &rate;
#pragma acc data copy(u) create(v) copyin(rate)
  {
#pragma acc parallel present(r[0:1])
    *r *= 0.5;
    for (int k = 0; k < steps; k++) {
#pragma xmp reflect (u) width(1, 0) acc
#pragma xmp loop (j,i) on t[j][i]
#pragma acc parallel loop collapse(2)
      for (int j = 1; j < N - 1; j++)
        for (int i = 0; i < M; i++) v[j][i] = rate * (u[j - 1][i] + u[j + 1][i]);
#pragma xmp loop (j,i) on t[j][i]
#pragma acc parallel loop collapse(2)
      for (int j = 1; j < N - 1; j++)
        for (int i = 0; i < M; i++) u[j][i] = v[j][i];
    }
  }
}

int main(void) {
#pragma xmp loop (j,i) on t[j][i]
  for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++) {
      u[j][i] = (j * 7 + i * 3) % 11;
      v[j][i] = 0;
      w[0][j][i] = 0.03 * (j % 4);
      w[1][j][i] = 0.02 * (i % 3);
    }
  drift(23, 0.25);
  looked_at(45);
  paced(12, 0.75);
  tell(-1);
}
