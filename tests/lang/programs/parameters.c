/* What a parameter written as an array is: bcast, reductions, sections and loops of OpenACC take all of it. */
#include <stdio.h>
#define N 11
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#ifdef _XCALABLEMP
int c[N]:[*];
#else
int c[N];
#endif

static long sum_up(long s[3], int m[2][5]) {
  long sum = 0;
#pragma xmp task on p[0]
  for (int k = 0; k < 10; k++) m[k / 5][k % 5] = k * k;
#pragma xmp bcast (m) from p[0]
#pragma xmp task on p[0]
  for (int k = 0; k < 3; k++) s[k] = 7 + k;
#pragma xmp reduction (max : s)
  for (int k = 0; k < 10; k++) sum += (k + 1) * m[k / 5][k % 5];
  for (int k = 0; k < 3; k++) sum += 1000 * (k + 1) * s[k];
  return sum;
}

static int counted(int n, int a[n], int counts[4]) {
  int sum = 0;
#pragma xmp align a[i] with t[i]
#pragma xmp loop (i) on t[i] reduction(+ : counts)
  for (int i = 0; i < n; i++) counts[a[i] % 4] += i;
  for (int k = 0; k < 4; k++) sum = 100 * sum + counts[k];
  return sum;
}

int main(void) {
  long s[3] = {0, 0, 0}, up;
  int a[N], m[2][5] = {{0}}, counts[4] = {1, 1, 1, 1}, many, on_device = 0;
#pragma xmp align a[i] with t[i]
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) a[i] = 3 * i;
  up = sum_up(s, m), many = counted(N, a, counts);
#pragma acc parallel loop
  for (int i = 0; i < N; i++) c[i] = 5 * i;
#pragma acc parallel loop reduction(+ : on_device)
  for (int i = 0; i < N; i++) on_device += c[i] * i;
#pragma xmp task on p[0]
  printf("%ld %d %d %d\n", up, many, on_device, c[N - 1]);
  return 0;
}
