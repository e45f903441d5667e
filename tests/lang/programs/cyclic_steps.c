/* Loops that step, count down and include their bound, over cyclic dimensions of every width, in round lists. */
#include <stdio.h>
#define N 26
#pragma xmp nodes p(*)
#pragma xmp template (1:N) :: one, four, all
#pragma xmp distribute one(cyclic) onto p
#pragma xmp distribute four(cyclic(4)) onto p
#pragma xmp distribute all(cyclic(26)) onto p
int a[N], b[N], c[N];
#pragma xmp align a[i] with one(i+1)
#pragma xmp align b[i] with four(i+1)
#pragma xmp align c[i] with all(i+1)
int main(void) {
  long sums[3] = {0, 0, 0};
#pragma xmp loop (i) on one(i+1)
  for (int i = 0; i < N; i++) a[i] = i;
#pragma xmp loop (i) on four(i+1)
  for (int i = N - 1; i >= 0; i--) b[i] = 2 * i;
#pragma xmp loop (i) on all(i+1)
  for (int i = 0; i <= N - 1; i = i + 1) c[i] = 3 * i;
  for (int step = 1; step < 7; step++) {
#pragma xmp loop (i) on one(i+1) reduction(+:sums)
    for (int i = step; i < N; i += step) sums[0] += a[i] * (i % 7);
#pragma xmp loop (i) on four(i+1) reduction(+:sums)
    for (int i = N - step; i > 0; i -= step) sums[1] += b[i] * (i % 5);
#pragma xmp loop (i) on all(i+1) reduction(+:sums)
    for (int i = N - 1; step <= i; i = i - step) sums[2] += c[i] * (i % 3);
  }
#pragma xmp task on p(1)
  printf("%ld %ld %ld\n", sums[0], sums[1], sums[2]);
  return 0;
}
