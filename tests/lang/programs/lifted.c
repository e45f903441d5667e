/* options: -lm ranks: 1 2 4 */
/* Time loops that are lifted, each in a way of its own: what they leave is compared with serial C to the bit. */
#include <math.h>
#include <stdio.h>
#define N 37
#define M 41
#define K 11
#pragma xmp nodes p[*][2]
#pragma xmp template t[N][M]
#pragma xmp distribute t[block][block] onto p
double u[N][M], v[N][M], old[N][M], sum[N][M];
int wall[N][M];
#pragma xmp align [j][i] with t[j][i] :: u, v, old, sum, wall
#pragma xmp shadow u[1][1]
static double bias = 0.125;

#pragma xmp template s(1:K, 1:M, 1:N)
#pragma xmp distribute s(block, *, block) onto p
float q[N][M][K], r[N][M][K], c[2][N][M][K];
#pragma xmp align [j][i][k] with s(k + 1, i + 1, j + 1) :: q, r
#pragma xmp align [*][j][i][k] with s(k + 1, i + 1, j + 1) :: c
#pragma xmp shadow q[1][1][1]

#pragma xmp nodes line[*]
#pragma xmp template w[96]
#pragma xmp distribute w[block] onto line
long a[96], b[96];
#pragma xmp align [i] with w[i] :: a, b
#pragma xmp shadow [2] :: a, b

static long hash(long before, double value) { return (before * 31 + (long)(value * 1e9)) % 1000000007L; }

/* Sums of integers come out the same in any order. */
static long told(void) {
  long total = 0;
#pragma xmp loop (j,i) on t[j][i] reduction(+:total)
  for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++) total += hash(hash(j * 100 + i, u[j][i]), v[j][i]) + hash(old[j][i] != 0, sum[j][i]);
  return total;
}

static void begin(void) {
#pragma xmp loop (j,i) on t[j][i]
  for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++) {
      u[j][i] = (double)((j * 7 + i * 3) % 11) / 7;
      v[j][i] = old[j][i] = u[j][i] / 3;
      sum[j][i] = 0;
      wall[j][i] = (j * i) % 5 == 0;
    }
}

/* Cells that stay as they are, numbers of this function and of the file, a greatest change that the last step leaves. */
static double with_walls(int steps, double weight) {
  double most = 0, change;
  int k, j, i;
  for (k = 0; k < steps; k++) {
    most = 0;
#pragma xmp reflect (u)
#pragma xmp loop (j,i) on t[j][i] reduction(max:most)
    for (j = 1; j < N - 1; j++)
      for (i = 1; i <= M - 2; i++) {
        change = weight * (u[j - 1][i] + u[j + 1][i] + u[j][i - 1] + u[j][i + 1] - 4 * u[j][i]) + bias;
        if (!wall[j][i]) v[j][i] = u[j][i] + change;
        if (change > most) most = change;
      }
#pragma xmp loop (j,i) on t[j][i]
    for (j = 1; j < N - 1; j++)
      for (i = 1; i <= M - 2; i++) u[j][i] = v[j][i];
  }
  return most + k;
}

/* Two copies, of which one is a swap; an array that every step adds to; a loop that counts down by two. */
static void wave(void) {
#pragma acc data copy(u, v, old, sum)
  for (long k = 60; k >= 0; k -= 2) {
#pragma xmp reflect (u) width(1, 1) orthogonal acc
#pragma xmp loop (j,i) on t[j][i]
#pragma acc parallel loop collapse(2)
    for (int j = 1; j < N - 1; j++)
      for (int i = 1; i < M - 1; i++)
        v[j][i] = 2 * u[j][i] - old[j][i] + 0.1 * (u[j - 1][i] + u[j + 1][i] + u[j][i - 1] + u[j][i + 1] - 4 * u[j][i]);
#pragma xmp loop (j,i) on t[j][i]
#pragma acc parallel loop collapse(2)
    for (int j = 1; j < N - 1; j++)
      for (int i = 1; i < M - 1; i++) old[j][i] = u[j][i];
#pragma xmp loop (j,i) on t[j][i]
#pragma acc parallel loop collapse(2)
    for (int j = 1; j < N - 1; j++)
      for (int i = 1; i < M - 1; i++) u[j][i] = v[j][i];
#pragma xmp barrier
#pragma xmp loop (j,i) on t[j][i]
#pragma acc parallel loop collapse(2)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) sum[j][i] += u[j][i];
  }
}

/* Three dimensions of which one is not cut, corners, components by a loop of their own. */
static long corners(void) {
  long total = 0;
#pragma xmp loop (j,i,k) on s(k + 1, i + 1, j + 1)
  for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++)
      for (int k = 0; k < K; k++) {
        q[j][i][k] = (float)((j + i * k) % 13) / 13;
        r[j][i][k] = 0;
        for (int l = 0; l < 2; l++) c[l][j][i][k] = 0.1f + 0.01f * (float)((j + l) % 3);
      }
  for (int step = 0; step < 15; step++) {
#pragma xmp reflect (q)
#pragma xmp loop (j,i,k) on s(k + 1, i + 1, j + 1)
    for (int j = 1; j < N - 1; j++)
      for (int i = 1; i < M - 1; i++)
        for (int k = 1; k < K - 1; k++) {
          float mean = 0.5f * (q[j - 1][i][k - 1] + q[j + 1][i][k + 1]);
          for (int l = 0; l < 2; l++) mean += c[l][j][i][k] * (q[j + 1][i + 1][k] - q[j - 1][i - 1][k]);
          r[j][i][k] = mean;
        }
#pragma xmp loop (j,i,k) on s(k + 1, i + 1, j + 1)
    for (int j = 1; j < N - 1; j++)
      for (int i = 1; i < M - 1; i++)
        for (int k = 1; k < K - 1; k++) q[j][i][k] = r[j][i][k];
  }
#pragma xmp loop (j,i,k) on s(k + 1, i + 1, j + 1) reduction(+:total)
  for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++)
      for (int k = 0; k < K; k++) total += hash(j + i + k, q[j][i][k]) + hash(k, r[j][i][k]);
  return total;
}

/* Arrays of a caller, read two cells away, each in turn from the other. */
static void rule(long from[], long to[]) {
#pragma xmp align from[i] with w[i]
#pragma xmp align to[i] with w[i]
#pragma xmp shadow [2] :: from, to
  for (int k = 0; k < 10; k++) {
#pragma xmp reflect (from)
#pragma xmp loop (i) on w[i]
    for (int i = 2; i < 94; i++) to[i] = (from[i - 2] + from[i + 1] * 3) ^ from[i + 2];
#pragma xmp reflect (to)
#pragma xmp loop (i) on w[i]
    for (int i = 2; i < 94; i++) from[i] = to[i - 1] % 1000 - to[i + 2] % 1000;
  }
}

/* Until a change is small: by a while, beside a count, and by a break at the end of a step. */
static int settled(int how, double eps) {
  double err = 1;
  int k = 0, n = 500, turns = 0;
  if (how == 0)
    while (turns < n * 4 && err > eps) {
      err = 0;
#pragma xmp reflect (u)
#pragma xmp loop (j,i) on t[j][i] reduction(max:err)
      for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < M - 1; i++) {
          double d = 0.25 * (u[j - 1][i] + u[j + 1][i] + u[j][i - 1] + u[j][i + 1]) - u[j][i];
          v[j][i] = u[j][i] + d;
          err = d * d > err ? d * d : err;
        }
#pragma xmp loop (j,i) on t[j][i]
      for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < M - 1; i++) u[j][i] = v[j][i];
      turns++;
    }
  if (how == 1)
    for (k = 0; k < n && -err < -eps; k += 2) {
      err = -1e30;
#pragma xmp loop (j,i) on t[j][i]
      for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < M - 1; i++) v[j][i] = u[j][i];
#pragma xmp reflect (u)
#pragma xmp loop (j,i) on t[j][i] reduction(max:err)
      for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < M - 1; i++) {
          old[j][i] = 0.25 * (u[j - 1][i] + u[j + 1][i] + u[j][i - 1] + u[j][i + 1]);
          if (fabs(old[j][i] - v[j][i]) > err) err = fabs(old[j][i] - v[j][i]);
        }
#pragma xmp loop (j,i) on t[j][i]
      for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < M - 1; i++) u[j][i] = old[j][i];
    }
  if (how == 2)
    for (turns = 0; turns < n; turns++) {
      err = 1e30;
#pragma xmp reflect (u)
#pragma xmp loop (j,i) on t[j][i] reduction(min:err)
      for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < M - 1; i++) {
          v[j][i] = 0.9 * u[j][i] + 0.01 * u[j + 1][i];
          if (v[j][i] < err) err = v[j][i];
        }
#pragma xmp loop (j,i) on t[j][i]
      for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < M - 1; i++) u[j][i] = v[j][i];
      if (err < eps) break;
    }
  return k + 1000 * turns + (int)(hash(0, err) % 1000) * 1000000;
}

/* Steps that the loop does itself on the way: they look at everything, and change what cells are given. */
static long on_the_way(void) {
  double weight = 0.25, last = 0;
  long total = 0;
  for (int k = 0; k < 60; k++) {
    last = -1;
#pragma xmp reflect (u)
#pragma xmp loop (j,i) on t[j][i] reduction(max:last)
    for (int j = 1; j < N - 1; j++)
      for (int i = 1; i < M - 1; i++) {
        v[j][i] = weight * (u[j - 1][i] + u[j + 1][i] + u[j][i - 1] + u[j][i + 1]) + bias;
        last = fmax(last, v[j][i]);
      }
    if (k % 20 == 12) {
      total = (total + told() + hash(k, last)) % 1000000007L;
      weight *= 0.9;
#pragma xmp loop (j,i) on t[j][i]
      for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) v[j][i] = v[j][i] + old[j][i];
    }
#pragma xmp loop (j,i) on t[j][i]
    for (int j = 1; j < N - 1; j++)
      for (int i = 1; i < M - 1; i++) u[j][i] = v[j][i];
  }
  return total + hash(0, last);
}

/* Cells that call functions of the file, one of which is written behind; they read a number that a branch changes. */
static double limit(double value);
static double pull(double a, double b) { return limit(0.5 * (a - b)) * bias; }
static void limited(void) {
  for (int k = 0; k < 50; k++) {
#pragma xmp reflect (u)
#pragma xmp loop (j,i) on t[j][i]
    for (int j = 1; j < N - 1; j++)
      for (int i = 1; i < M - 1; i++)
        v[j][i] = limit(u[j][i] + pull(u[j - 1][i], u[j + 1][i]) - pull(u[j][i - 1], fabs(u[j][i + 1])));
    if (k == 20) bias *= 2;
#pragma xmp loop (j,i) on t[j][i]
    for (int j = 1; j < N - 1; j++)
      for (int i = 1; i < M - 1; i++) u[j][i] = v[j][i];
  }
}
static double limit(double value) { return value < -bias ? -bias : value > 0.75 ? 0.75 : value; }

/* Called with one array for both, which keeps it from being lifted. */
static void grow(long from[], long to[]) {
#pragma xmp align from[i] with w[i]
#pragma xmp align to[i] with w[i]
#pragma xmp shadow [2] :: from, to
  for (int k = 0; k < 20; k++) {
#pragma xmp loop (i) on w[i]
    for (int i = 0; i < 96; i++) to[i] = from[i] * 3 % 1009;
    if (k > 18) break;
  }
}

/* Too few steps to be lifted, and, on four ranks, a rank without cells. */
#pragma xmp template few[5]
#pragma xmp distribute few[block] onto line
int x[5], y[5];
#pragma xmp align [i] with few[i] :: x, y
#pragma xmp shadow x[1]
static long small(int steps) {
  long total = 0;
#pragma xmp loop (i) on few[i]
  for (int i = 0; i < 5; i++) x[i] = y[i] = i * i;
  for (int k = 0; k < steps; k++) {
#pragma xmp reflect (x)
#pragma xmp loop (i) on few[i]
    for (int i = 1; i < 4; i++) y[i] = (x[i - 1] + 3 * x[i + 1]) % 1009;
#pragma xmp loop (i) on few[i]
    for (int i = 1; i < 4; i++) x[i] = y[i];
  }
#pragma xmp loop (i) on few[i] reduction(+:total)
  for (int i = 0; i < 5; i++) total += (i + 1) * x[i];
  return total;
}

int main(void) {
  double most;
  long sums[7], total = 0;
  int ends[3];
  begin();
  most = with_walls(33, 0.2);
  sums[0] = told();
  wave();
  sums[1] = told();
  ends[0] = settled(0, 1e-7);
  ends[1] = settled(1, 2e-4);
  ends[2] = settled(2, 1e-3);
  sums[4] = on_the_way();
  sums[5] = small(40) * 10000 + small(5);
  limited();
  sums[6] = told();
  sums[2] = corners();
#pragma xmp loop (i) on w[i]
  for (int i = 0; i < 96; i++) {
    a[i] = (i * i) % 17;
    b[i] = i;
  }
  rule(a, b);
  rule(b, a);
  grow(a, b);
  grow(b, b);
#pragma xmp loop (i) on w[i] reduction(+:total)
  for (int i = 0; i < 96; i++) total += a[i] * (i + 1) + b[i] * (96 - i);
  sums[3] = total + told();
#pragma xmp task on p[0][0]
  {
    printf("%.17g\n", most);
    for (int n = 0; n < 7; n++) printf("%ld\n", sums[n]);
    for (int n = 0; n < 3; n++) printf("%d\n", ends[n]);
  }
  return 0;
}
