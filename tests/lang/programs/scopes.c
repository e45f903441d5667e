/* Arrays of functions, of blocks in loops, of variable length, static ones; nodes and templates of functions. */
#include <stdio.h>
#pragma xmp nodes p[*]
static long recursive(int n, int depth) {
#pragma xmp template t[n]
#pragma xmp distribute t[block] onto p
  long a[n], sum = 0;
#pragma xmp align a[i] with t[i]
#pragma xmp shadow a[1]
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < n; i++) a[i] = i * depth;
  if (depth > 0) sum = recursive(n + 2, depth - 1);
#pragma xmp reflect (a)
#pragma xmp loop (i) on t[i] reduction(+ : sum)
  for (int i = 1; i < n - 1; i++) sum += a[i - 1] + 3 * a[i + 1];
  return sum;
}
static long kept(int add) {
#pragma xmp template t(1 : 9)
#pragma xmp distribute t(cyclic) onto p
  static long a[9];
#pragma xmp align a[i] with t(i + 1)
  long sum = 0;
#pragma xmp loop (i) on t(i + 1)
  for (int i = 0; i < 9; i++) a[i] += add * i;
#pragma xmp loop (i) on t(i + 1) reduction(+ : sum)
  for (int i = 0; i < 9; i++) sum += a[i] * i;
  return sum;
}
int main(void) {
  long sums[3] = {recursive(8, 3), 0, 0};
  for (int k = 1; k < 5; k++) {
    int n = 3 * k;
#pragma xmp nodes q[*] = p
#pragma xmp template t[n][4]
#pragma xmp distribute t[cyclic(2)][*] onto q
    int a[n][4];
#pragma xmp align a[j][i] with t[j][i]
#pragma xmp loop (j) on t[j][*]
    for (int j = 0; j < n; j++)
      for (int i = 0; i < 4; i++) a[j][i] = k + j * i;
    long sum = 0;
#pragma xmp loop (j) on t[j][*] reduction(+ : sum)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < 4; i++) sum += a[j][i];
    sums[1] += sum;
    sums[2] = kept(k);
  }
#pragma xmp task on p[0]
  printf("%ld %ld %ld\n", sums[0], sums[1], sums[2]);
  return 0;
}
