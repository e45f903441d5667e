/* Blocks of a width that is given, in both forms: the last nodes have less, or nothing. */
#include <stdio.h>
#define N 14
#pragma xmp nodes p[*]
#pragma xmp template [N] :: all, seven
#pragma xmp template round(0:N-1)
#pragma xmp distribute all[block(N)] onto p
#pragma xmp distribute seven[block(14)] onto p
#pragma xmp distribute round(block(15)) onto p
int a[N], b[N], c[N];
#pragma xmp align a[i] with all[i]
#pragma xmp align b[i] with seven[i]
#pragma xmp align c[i] with round(i)
#pragma xmp shadow a[2]
#pragma xmp shadow b[1:0], c[0:1]
int main(void) {
  int sum = 0;
#pragma xmp loop (i) on all[i]
  for (int i = 0; i < N; i++) a[i] = i * i;
#pragma xmp loop (i) on seven[i]
  for (int i = 0; i < N; i++) b[i] = 3 * i;
#pragma xmp loop (i) on round(i)
  for (int i = 0; i < N; i++) c[i] = 5 - i;
#pragma xmp reflect (a)
#pragma xmp reflect (b)
#pragma xmp reflect (c)
#pragma xmp loop (i) on all[i] reduction(+ : sum)
  for (int i = 2; i < N - 2; i++) sum += a[i - 2] * i - a[i + 2];
#pragma xmp loop (i) on seven[i] reduction(+ : sum)
  for (int i = 1; i < N; i++) sum += b[i - 1] * (i + 1);
#pragma xmp loop (i) on round(i) reduction(+ : sum)
  for (int i = 0; i < N - 1; i++) sum += c[i + 1] * (i + 2);
#pragma xmp task on p[0]
  printf("%d\n", sum);
  return 0;
}
