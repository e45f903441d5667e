/* Lists in parentheses alone: nodes from 1, ranges by their ends, the first dimension fastest; with templates that begin anywhere. */
#include <stdio.h>
#define N 21
#define M 6
#pragma xmp nodes p(*)
#pragma xmp template t(-3:N+8)
#pragma xmp distribute t(cyclic(2)) onto p
#pragma xmp template b(1:M,0:N-1)
#pragma xmp distribute b(*,block) onto p
int a[N], c[N][M], own[N];
#pragma xmp align a[i] with t(i+2)
#pragma xmp align c[j][i] with b(i+1,j)
#pragma xmp shadow c[2:1][0]
int main(void) {
  int sum = 0, value = 0, last = 0;
#pragma xmp loop (i) on t(i+2)
  for (int i = 0; i < N; i += 2) a[i] = 7 * i;
#pragma xmp loop on t(i+2)
  for (int i = N - 2; i > 0; i -= 2) a[i] = -i;
#pragma xmp loop (i,j) on b(i+1,j)
  for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++) c[j][i] = 10 * j + i;
#pragma xmp reflect (c) width(2:1,0)
#pragma xmp loop (j) on b(*,j) reduction(+:sum)
  for (int j = 2; j < N - 1; j++)
    for (int i = 0; i < M; i++) sum += c[j - 2][i] * (i + 1) + c[j + 1][i];
#pragma xmp loop (i) on t(i+2) reduction(+:sum) reduction(max:last)
  for (int i = 0; i < N; i++) {
    sum += a[i] * (i + 3);
    if (a[i] > last) last = a[i];
  }
#ifdef _XCALABLEMP
#pragma xmp gmove
  own[0:7] = a[2:7:2];
#else
  for (int k = 0; k < 7; k++) own[k] = a[2 + 2 * k];
#endif
#pragma xmp task on p(1)
  value = 40 + own[3];
#pragma xmp bcast (value) from p(1)
#pragma xmp barrier on p(1:1)
#pragma xmp task on p(1:1)
  printf("%d %d %d\n", sum, last, value);
}
