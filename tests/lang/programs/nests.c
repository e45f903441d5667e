/* Nests that are not tight, triangles, loops that count down, steps, bounds that are computed, loops in loops that are cut. */
#include <stdio.h>
#define N 19
#pragma xmp nodes p[*]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][*] onto p
#pragma xmp template c[N]
#pragma xmp distribute c[cyclic(3)] onto p
int a[N][N], d[N];
long row[N];
#pragma xmp align a[j][i] with t[j][i]
#pragma xmp align d[i] with c[i]
#pragma xmp align row[j] with t[j][*]
static int bound(int j) { return j < N / 2 ? N - j : j; }
int main(void) {
  long sum = 0, turns = 0;
#pragma xmp loop (j) on t[j][*]
  for (int j = N - 1; j >= 0; j--) {
    row[j] = j;
    int i;
    for (i = 0; i <= j; i++) a[j][i] = j - i;
    row[j] += i;
    for (; i < N; i++) a[j][i] = -1;
  }
#pragma xmp loop (j,i) on t[j][i] reduction(+:turns)
  for (int j = 1; j < N; j += 3) {
    row[j] *= 2;
    for (int i = bound(j); i > 2; i -= 2) {
      a[j][i] += 100;
      turns++;
    }
    row[j] += a[j][3];
  }
  int i;
#pragma xmp loop on c[i] reduction(+:sum)
  for (int k = 1; k < 3; k++)
    for (i = 0; i < N; i++) sum += k * i * i;
#pragma xmp loop (i) on c[i]
  for (i = 0; i != N; i++) d[i] = i * i;
#pragma xmp loop (i) on c[i] reduction(+:sum)
  for (i = N - 1; i >= 0; --i) {
    if (i % 4 == 1) continue;
    int k = 0;
    while (k * k < d[i]) k++;
    sum += k * (i + 1);
  }
#pragma xmp loop (i) on c[i] reduction(+:sum)
  for (i = 2; i < N; i = i + 4) sum += 1000 * d[i];
#pragma xmp loop (j) on t[j][*] reduction(+:sum)
  for (int j = 0; j < N; ++j) {
    sum += row[j];
    for (int k = 0; k < N; k++) sum += a[j][k] * (k + 1);
  }
#pragma xmp task on p[0]
  printf("%ld %ld\n", sum, turns);
}
