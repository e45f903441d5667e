/* Loops in loops: a cut loop in a cut one, a triangle, indices that are declared outside, the value behind a loop, continue. */
#include <stdio.h>
#define N 14
#pragma xmp nodes p(*)
#pragma xmp template t(0:N-1)
#pragma xmp distribute t(block) onto p
#pragma xmp template s[N][N]
#pragma xmp distribute s[cyclic][*] onto p
int a[N], m[N][N];
#pragma xmp align a[i] with t(i)
#pragma xmp align m[j][i] with s[j][i]
int main(void) {
  int i, j, sum = 0, seen = 0;
#pragma xmp loop on t(i)
  for (i = 0; i < N; i++) {
    if (i % 3 == 1) {
      a[i] = 0;
      continue;
    }
    a[i] = 0;
    for (j = 0; j <= i; j++) a[i] += j;
  }
#pragma xmp loop (j, i) on s[j][i]
  for (j = 0; j < N; j++)
    for (i = j; i < N; i++) m[j][i] = i - j;
#pragma xmp loop (j) on s[j][*]
  for (j = 1; j < N; j++)
    for (i = j - 1; i >= 0; i -= 2) {
      m[j][i] = 1000;
      if (i > 0) m[j][i - 1] = -1;
    }
#pragma xmp loop (j) on s[j][*] reduction(+ : sum, seen)
  for (j = 0; j < N; j++) {
    int inner = 0;
    do {
      sum += m[j][inner] * (inner + 1);
    } while (++inner < N);
    switch (j % 3) {
      case 0: seen += 1; break;
      case 1: seen += 10; break;
      default: seen += 100;
    }
  }
#pragma xmp loop (i) on t(i) reduction(+ : sum)
  for (i = 0; i < N; i++) sum += a[i] * i;
#pragma xmp task on p(1)
  printf("%d %d\n", sum, seen);
  return 0;
}
