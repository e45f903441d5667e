/* options: -lm ranks: 1 2 3 4 */
/* Time loops on periodic arrays, which are lifted: what they leave is compared with serial C to the bit. */
#include <math.h>
#include <stdio.h>
#define N 30
#define M 23
#pragma xmp nodes p[*][*]
#pragma xmp template t[N][M]
#pragma xmp distribute t[block][block] onto p
double u[N][M], v[N][M], w[N][M];
#pragma xmp align [j][i] with t[j][i] :: u, v, w
#pragma xmp shadow [1][2] :: u
#pragma xmp shadow [1][1] :: w

#pragma xmp nodes line[*]
#pragma xmp template s[N][5]
#pragma xmp distribute s[block][*] onto line
int a[N][5], b[N][5], edge[N][5];
#pragma xmp align [j][k] with s[j][k] :: a, b, edge
#pragma xmp shadow [2][1] :: a
#pragma xmp shadow [1][0] :: edge
#ifdef _XCALABLEMP
#define U(j, i) u[j][i]
#define W(j, i) w[j][i]
#define A(j, k) a[j][k]
#else /* serial C has no shadows: the index goes round */
#define U(j, i) u[((j) + N) % N][((i) + M) % M]
#define W(j, i) w[((j) + N) % N][((i) + M) % M]
#define A(j, k) a[((j) + N) % N][((k) + 5) % 5]
#endif

static long told(void) {
  long total = 0;
#pragma xmp loop (j,i) on t[j][i] reduction(+:total)
  for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++) total += (long)(1e6 * u[j][i]) * (j + 3 * i) + (long)(1e6 * v[j][i]) * (i + 1);
  return total;
}

static void begin(void) {
#pragma xmp loop (j,i) on t[j][i]
  for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++) {
      u[j][i] = exp(-0.05 * ((j - 9) * (j - 9) + (i - 4) * (i - 4)));
      v[j][i] = w[j][i] = 0;
    }
}

/* Along both dimensions, corners, two cells away along one. */
static void drift(int steps) {
  for (int k = 0; k < steps; k++) {
#pragma xmp reflect (u) width(/periodic/1, /periodic/2:1)
#pragma xmp loop (j,i) on t[j][i]
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++)
        v[j][i] = 0.5 * U(j, i) + 0.25 * U(j - 1, i - 2) + 0.125 * U(j + 1, i + 1) + 0.125 * U(j, i - 1);
#pragma xmp loop (j,i) on t[j][i]
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) u[j][i] = v[j][i];
  }
}

/* Periodic along one dimension, with walls along the other; by two directives, whose widths add up. */
static void channel(int steps) {
  for (int k = 0; k < steps; k++) {
#pragma xmp reflect (u) width(0, /periodic/1)
#pragma xmp reflect (u) width(1, 0)
#pragma xmp loop (j,i) on t[j][i]
    for (int j = 1; j < N - 1; j++)
      for (int i = 0; i < M; i++)
        v[j][i] = u[j][i] + 0.2 * (U(j - 1, i) + U(j + 1, i) + U(j, i - 1) + U(j, i + 1) - 4 * u[j][i]);
#pragma xmp loop (j,i) on t[j][i]
    for (int j = 1; j < N - 1; j++)
      for (int i = 0; i < M; i++) u[j][i] = v[j][i];
  }
}

/* Until it is flat, and with steps on the way that read the shadow as the step before has left it. */
static long until(double eps) {
  double most = 1;
  long seen = 0;
  int k = 0;
  while (most > eps && k < 300) {
    most = 0;
#pragma xmp reflect (u) width(/periodic/1, /periodic/1) orthogonal
#pragma xmp loop (j,i) on t[j][i] reduction(max:most)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) {
        v[j][i] = 0.25 * (U(j - 1, i) + U(j + 1, i) + U(j, i - 1) + U(j, i + 1));
        most = fmax(most, fabs(v[j][i] - u[j][i]));
      }
#pragma xmp loop (j,i) on t[j][i]
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) u[j][i] = v[j][i];
    k++;
  }
  for (int n = 0; n < 40; n++) {
#pragma xmp reflect (u) width(/periodic/1, /periodic/2:1)
#pragma xmp loop (j,i) on t[j][i]
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) v[j][i] = 0.9 * U(j - 1, i - 2) + 0.1 * U(j + 1, i + 1) + 0.001 * i;
    if (n % 15 == 11) {
      seen = 3 * seen + told();
#pragma xmp loop (j,i) on t[j][i]
      for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) v[j][i] += 0.5 * U(j, i - 2) + U(j - 1, i);
    }
#pragma xmp loop (j,i) on t[j][i]
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) u[j][i] = v[j][i];
  }
  return seen + k;
}

/* Arrays read in turn, one begun by reflect_init. */
static void turns(int steps) {
#pragma xmp reflect_init (w) width(/periodic/0:1, /periodic/1:0)
  for (int k = 0; k < steps; k++) {
#pragma xmp reflect (u) width(/periodic/1, 0)
#pragma xmp loop (j,i) on t[j][i]
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) w[j][i] = 0.5 * (U(j - 1, i) - U(j + 1, i)) + 0.01 * v[j][i];
#pragma xmp reflect_do (w)
#pragma xmp loop (j,i) on t[j][i]
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) u[j][i] = u[j][i] + 0.3 * (W(j + 1, i) - W(j, i - 1)) + 0.1 * W(j + 1, i - 1);
  }
}

/* Integers; one dimension is not cut, and its ends are neighbours too; another array's ends are not. */
static long life(int steps) {
  long sum = 0;
#pragma xmp loop (j,k) on s[j][k]
  for (int j = 0; j < N; j++)
    for (int k = 0; k < 5; k++) {
      a[j][k] = (j * j + k) % 3 == 0;
      edge[j][k] = j % 4;
    }
  for (int n = 0; n < steps; n++) {
#pragma xmp reflect (a) width(/periodic/2:1, /periodic/1)
#pragma xmp reflect (edge)
#pragma xmp loop (j,k) on s[j][k]
    for (int j = 0; j < N; j++)
      for (int k = 0; k < 5; k++) b[j][k] = (A(j - 2, k) + A(j + 1, k - 1) * 3 + A(j, k + 1) * 5 + edge[j][k]) % 17;
#pragma xmp loop (j,k) on s[j][k]
    for (int j = 1; j < N - 1; j++)
      for (int k = 0; k < 5; k++) b[j][k] += edge[j - 1][k] + edge[j + 1][k];
#pragma xmp loop (j,k) on s[j][k]
    for (int j = 0; j < N; j++)
      for (int k = 0; k < 5; k++) a[j][k] = b[j][k];
  }
#pragma xmp loop (j,k) on s[j][k] reduction(+:sum)
  for (int j = 0; j < N; j++)
    for (int k = 0; k < 5; k++) sum += a[j][k] * (j + 31 * k);
  return sum;
}

/* Called for steps that read the ends without a reflect that goes round: they are the loop's own. */
static void ends(int steps) {
  for (int k = 0; k < steps; k++) {
#pragma xmp reflect (w)
#pragma xmp loop (j,i) on t[j][i]
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) v[j][i] = j > 0 ? 0.5 * W(j - 1, i) : w[j][i];
#pragma xmp loop (j,i) on t[j][i]
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) w[j][i] = v[j][i];
  }
}

int main(void) {
  long sums[6];
  begin();
  drift(50);
  sums[0] = told();
  channel(40);
  sums[1] = told();
  turns(30);
  sums[2] = told();
  sums[3] = until(0.05);
  sums[4] = told() + 7 * life(25);
  ends(20);
  sums[5] = told();
#pragma xmp task on p[0][0]
  for (int n = 0; n < 6; n++) printf("%ld\n", sums[n]);
  return 0;
}
