/* What kernels are made of: nests of three, cyclic pieces, structs, functions, names that C++ keeps, sums of every kind, atomics, queues. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 12
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template c[N]
#pragma xmp distribute c[cyclic(2)] onto p
typedef struct { float weight; int new[2]; } cell;
enum { FIRST = 3 };
double u[N][N][N], v[N][N][N];
#pragma xmp align [k][*][*] with t[k] :: u, v
#pragma xmp shadow u[1][0][0]
int w[N];
#pragma xmp align [i] with c[i] :: w
cell cells[N];
static int bins[4];
static double half(double x) { return x / 2; }
#pragma acc routine
static double mean(double x, double y) { return half(x + y); }

static void nests(double *least, double *most) {
  int i, j, k;
  double low = 1e9, high = -1e9;
#pragma acc data copyout(v) copyin(u)
  {
#pragma xmp loop (k) on t[k]
#pragma acc parallel loop collapse(3)
    for (k = 0; k < N; k++)
      for (j = 0; j < N; j++)
        for (i = 0; i < N; i++) {
          u[k][j][i] = sqrt((float)(k * j)) + fabs(i - 5.5);
          v[k][j][i] = 0;
        }
#pragma xmp reflect (u) acc
#pragma xmp loop (k) on t[k]
#pragma acc parallel loop gang
    for (k = 1; k < N - 1; k++)
#pragma acc loop vector
      for (j = N - 2; j > 0; j--)
        for (i = 1; i <= N - 2; i += 2) {
          if (i == FIRST) continue;
          double middle = mean(u[k - 1][j][i], u[k + 1][j][i]);
          v[k][j][i] = middle + u[k][j][i - 1] - u[k][j][i + 1];
        }
#pragma xmp loop (k) on t[k] reduction(min:low) reduction(max:high)
#pragma acc parallel loop collapse(2) reduction(min:low) reduction(max:high)
    for (k = 0; k < N; k++)
      for (j = 0; j < N; j++)
        for (i = 0; i < N; i++) {
          if (v[k][j][i] < low) low = v[k][j][i];
          if (v[k][j][i] > high) high = v[k][j][i];
        }
  }
  *least = low, *most = high;
}

static long pieces(void) {
  long total = 0;
#pragma acc data copyout(w)
  {
#pragma xmp loop (i) on c[i]
#pragma acc parallel loop
    for (int i = 0; i < N; i++) w[i] = i * i - 7;
#pragma xmp loop (i) on c[i] reduction(+:total)
#pragma acc parallel loop
    for (int i = N - 1; i >= 0; i--) total += w[i];
  }
  return total;
}

static double alone(int n) {
  double table[n][5], *row = malloc(n * sizeof *row), kept[3], sums[2] = {1, 2}, last = 0;
  int class = 4, count = 0, before[N];
#pragma acc data copy(cells, bins) create(table) copyout(row[0:n])
  {
#pragma acc parallel loop async(1) firstprivate(class)
    for (int i = 0; i < n; i++) {
      cells[i].weight = 0.5f * i;
      class += i;
      cells[i].new[1] = class;
      class -= i;
    }
#pragma acc parallel loop private(kept) async(1)
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < 3; k++) kept[k] = cells[i].new[1] * k;
      for (int k = 0; k < 5; k++) table[i][k] = kept[k % 3];
    }
#pragma acc wait(1)
#pragma acc parallel loop reduction(+:sums)
    for (int i = 0; i < n; i++) {
      double sum = 0;
#pragma acc loop seq
      for (int k = 0; k < 5; k++) sum += table[i][k];
      row[i] = sum;
      sums[i % 2] += sum;
#pragma acc atomic update
      bins[i % 4] += i;
    }
#pragma acc parallel loop copy(count) copyout(before)
    for (int i = 0; i < n; i++) {
      int was;
#pragma acc atomic capture
      was = count++;
      before[i] = was >= 0;
    }
#pragma acc kernels loop
    for (int i = 1; i < n; i++) row[i] += row[i - 1];
#pragma acc kernels copyout(last)
    {
      last = row[n - 1];
      for (int i = 0; i < n; i++) row[i] = last - row[i];
    }
  }
  for (int i = 0; i < n; i++) last += row[i] * (i + 1) + before[i] + cells[i].weight;
  free(row);
  return last + sums[0] * 3 + sums[1] + bins[0] + 2 * bins[1] + 3 * bins[2] + 4 * bins[3] + count;
}

int main(void) {
  double low, high, sum = 0;
  nests(&low, &high);
#pragma xmp loop (k) on t[k] reduction(+:sum)
  for (int k = 0; k < N; k++)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++) sum += v[k][j][i] * (k + j * 2 + i * 3);
  long total = pieces();
  double rest = alone(N);
#pragma xmp task on p[0]
  printf("%.6f %.6f %.6f %ld %.4f\n", low, high, sum, total, rest);
}
