/* Parameters without a shadow, for which arrays of unlike shadows are passed. */
#include <stdio.h>
#define N 21
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
long a[N], b[N], c[N];
#pragma xmp align [i] with t[i] :: a, b, c
#pragma xmp shadow a[1]
#pragma xmp shadow b[2:0]
static long dot(long x[N], long y[N]) {
#pragma xmp align x[i] with t[i]
#pragma xmp align y[i] with t[i]
  long sum = 0;
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 0; i < N; i++) sum += x[i] * y[i];
  return sum;
}
static void add(long x[N], long y[N]) {
#pragma xmp align [i] with t[i] :: x, y
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) x[i] += 2 * y[i];
}
int main(void) {
  long sums[4];
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) {
    a[i] = i;
    b[i] = i * i % 7;
    c[i] = 3 * i % 11;
  }
  sums[0] = dot(a, b);
  sums[1] = dot(c, a);
  add(b, a);
  add(a, c);
#pragma xmp reflect (a, b)
#pragma xmp loop (i) on t[i]
  for (int i = 2; i < N - 1; i++) c[i] = a[i + 1] - b[i - 2];
  sums[2] = dot(b, c);
  sums[3] = dot(a, a);
#pragma xmp task on p[0]
  printf("%ld %ld %ld %ld\n", sums[0], sums[1], sums[2], sums[3]);
}
